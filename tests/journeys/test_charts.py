"""Charts in a thread, as people see them: at the opening, when asked for, at the farewell, and without the right to."""

import io
import time
from pathlib import Path
from typing import cast

from PIL import Image

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX
from tests.journeys.world import World, running
from tests.slack_blocks import Json
from tests.slack_driver import Message


async def moving(world: World) -> Message:
    """An incident whose queue grows while it is open, until its thread shows the queue up to now."""
    world.farm.queue(LINUX, 14, 114)
    await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
    parent = await world.slack.channel("ci").parent(LINUX)
    begun = time.monotonic()
    await world.eventually(lambda: time.monotonic() > begun + 2.5, "a few looks at the first queue")
    world.farm.queue(LINUX, 18, 114)
    await parent.reply("The queue up to now")
    return parent


def pictured(message: Message) -> str:
    """The id of the file that a message shows; empty when it shows none."""
    files = [cast("Json", block["slack_file"])["id"] for block in message.blocks if block["type"] == "image"]
    return str(files[0]) if files else ""


async def test_a_thread_shows_its_queue_at_the_opening_on_request_and_at_the_farewell(
    tmp_path: Path, redis_url: str
) -> None:
    """Each reply stands with its words, then has its picture: a real PNG with alt text, in our own marked message."""
    async with running(tmp_path, redis_url) as world:
        parent = await moving(world)
        first = await parent.reply("The queue up to now")
        await first.until(lambda shown: bool(pictured(shown)))
        await parent.choose("Chart", user="U0BEN")
        asked = await parent.reply("<@U0BEN> asked for the chart")
        await world.slack.mention("chart", parent)
        again = await parent.reply("<@U0ANA> asked for the chart")
        await world.fires(queue_alert(LINUX, firing=False, started_at=time.time() - 60))
        world.farm.drain()
        farewell = await parent.reply("Drained: linux.2xlarge")
        for words in ("Developer-hours waited: at least", "What happened:", "peak 18"):
            assert words in farewell.text, farewell.text
        for reply in (asked, again, farewell):
            await reply.until(lambda shown: bool(pictured(shown)))
            (image,) = [block for block in reply.blocks if block["type"] == "image"]
            assert f"{LINUX}: 14 jobs queued at" in str(image["alt_text"])
            upload = world.stand_in.workspace.uploads[pictured(reply)]
            assert Image.open(io.BytesIO(upload.content)).size[0] == 800
        posted = [call.args["text"] for call in world.stored()]
        assert sum("asked for the chart" in str(text) for text in posted) == 2
        assert sum("The queue up to now" in str(text) for text in posted) == 1


async def test_without_the_scope_the_words_are_all_there_is(tmp_path: Path, redis_url: str) -> None:
    """Slack refuses the upload: the thread goes on, and says the same in bars and figures."""
    async with running(tmp_path, redis_url) as world:
        world.stand_in.settings.scopes -= {"files:write"}
        parent = await moving(world)
        tried = lambda: len(world.stand_in.log.of("files.getUploadURLExternal")) == 1  # noqa: E731 - one line of a story
        await world.eventually(tried, "one try to upload")
        await world.slack.mention("ack", parent)
        await parent.until("<@U0ANA> has it since")
        reply = await parent.reply("The queue up to now")
        assert "peak 18" in reply.text
        assert not pictured(reply)
        assert (await world.ask("/readyz")).status_code == 200
