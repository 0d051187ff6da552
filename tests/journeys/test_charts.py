"""Charts in a thread, as people see them: at the opening, when asked for, and where the workspace has no charts."""

import time
from pathlib import Path
from typing import Any

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX
from tests.journeys.world import World, running
from tests.slack_driver import Message
from tests.wording import acknowledged, queue


async def moving(world: World) -> Message:
    """An incident whose queue grows while it is open, until its thread shows the queue up to now."""
    world.farm.queue(LINUX, 14, 114)
    await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
    parent = await world.slack.channel("ci").parent(LINUX)
    begun = time.monotonic()
    await world.eventually(lambda: time.monotonic() > begun + 8, "looks enough for a chart")
    world.farm.queue(LINUX, 18, 114)
    await parent.until(queue(18))
    return parent


def charts(message: Message) -> list[Any]:
    return [block for block in message.blocks if block["type"] == "data_visualization"]


async def test_a_thread_draws_its_queue_where_the_workspace_has_charts_and_says_it_where_not(
    tmp_path: Path, redis_url: str
) -> None:
    """One request leaves the chart out; its words, the thread and the buttons stay, and the next is not refused."""
    async with running(tmp_path, redis_url) as world:
        parent = await moving(world)
        await parent.choose_more("Chart", user="U0BEN")
        request = await parent.reply("<@U0BEN> asked for the chart")
        world.stand_in.settings.refused_blocks = frozenset({"data_visualization"})
        await world.slack.mention("chart", parent)
        again = await parent.reply("<@U0ANA> asked for the chart")
        assert "peak 18" in again.text
        assert charts(again) == []
        for chart in charts(request):
            series = chart["chart"]["series"]
            assert all(len(one["data"]) == len(chart["chart"]["axis_config"]["categories"]) for one in series)
        await world.slack.mention("ack", parent)
        await parent.until(acknowledged("U0ANA"))
        assert (await world.ask("/readyz")).status_code == 200
