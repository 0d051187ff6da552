"""From the first alert to an empty queue, as the people on call live through it."""

import asyncio
from pathlib import Path

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, running
from tests.slack_driver import Message, total
from tests.wording import acknowledged, queue

BEGAN = 1_790_000_000.0
MOST_REPLIES = 4


async def opened(world: World) -> Message:
    world.farm.queue(LINUX, 58, 41)
    await world.fires(queue_alert(LINUX, started_at=BEGAN))
    return await world.slack.channel("ci").parent(LINUX)


async def test_a_surge_from_the_alert_to_the_drained_queue(tmp_path: Path, redis_url: str) -> None:
    """Acknowledge, diagnose, scale up with its question, status, easing, drained; who did what when, peaks kept."""
    async with running(tmp_path, redis_url) as world:
        parent = await opened(world)
        await parent.until("OPEN · P1")

        await parent.click("Acknowledge")
        await parent.until(acknowledged("U0ANA"))
        assert "Acknowledge" not in parent.buttons

        await parent.click("Diagnose", user="U0BEN")
        diagnosis = await parent.reply("asked for a diagnosis")
        assert "<@U0BEN>" in diagnosis.text
        assert LINUX in diagnosis.text
        assert "100 %" in diagnosis.text or "100%" in diagnosis.text, diagnosis.text

        await parent.click("Scale up")
        choice = await world.slack.modal(title="Scale up")
        for words in ("now 10 runners", "limit 20", "maximum 40", "58 jobs queued"):
            assert words in choice.text, choice.text
        await total(choice, 30)
        question = await world.slack.modal(title="Scale up")
        assert question.labels == [f"New total for {LINUX}"]
        assert world.farm.sets == [], "another total is answered first"
        assert await question.submit() == {}
        await parent.until("from 10 to 30 runners (request accepted)")
        await parent.until("<@U0ANA> scaled linux.2xlarge")
        assert [(pool, target) for pool, target, _ in world.farm.sets] == [(LINUX, 30)]
        await parent.reply("I'll report here within")

        world.farm.queue(LINUX, 20, 12)
        await parent.until(queue(20))

        await world.fires(queue_alert(LINUX, firing=False, started_at=BEGAN))
        await parent.until("EASING")
        assert "Scale up" in parent.buttons, "easing is not over"

        world.farm.drain()
        await parent.until("DRAINED")
        farewell = await parent.reply("Drained: linux.2xlarge")
        for words in ("up to 58 jobs queued", "Developer time lost", "What happened:", "<@U0ANA> scaled linux.2xlarge"):
            assert words in farewell.text, farewell.text
        await parent.until(lambda shown: shown.buttons == [] and shown.choices == [])
        for words in ("58 jobs", "41 min", "Acknowledged by <@U0ANA>", "request accepted"):
            await parent.until(words)
        assert len(world.roots()) == 1


async def test_the_worse_it_gets_the_more_it_says_and_no_more_often_than_asked(tmp_path: Path, redis_url: str) -> None:
    async with running(tmp_path, redis_url) as world:
        parent = await opened(world)
        world.farm.queue(LINUX, 120, 55)
        await parent.reply("Worse: linux.2xlarge 120 queued")
        samples = world.farm.queries
        await world.eventually(lambda: world.farm.queries > samples + 60, "eight more samples of the pool")
        (worse,) = [call for call in world.stored() if "Worse: " in str(call.args["text"])]
        assert not worse.args.get("reply_broadcast")


async def test_an_owner_is_told_once_that_it_gets_worse_and_the_first_message_goes_on(
    tmp_path: Path, redis_url: str
) -> None:
    """Four replies in all: the alert, who has it, that it is worse, and the end; a figure alone is no reply."""
    setup = Setup(report="2s")
    async with running(tmp_path, redis_url, setup) as world:
        world.farm.queue(LINUX, 14, 41)
        await world.fires(queue_alert(LINUX, started_at=BEGAN))
        parent = await world.slack.channel("ci").parent(LINUX)
        await parent.click("Acknowledge")
        await parent.until(acknowledged("U0ANA"))
        for jobs in (20, 33, 70, 140, 300):
            await asyncio.sleep(2.5)  # the paces of the product are real seconds here
            world.farm.queue(LINUX, jobs, 41)
        await parent.until(queue(300))
        world.farm.drain()
        await world.fires(queue_alert(LINUX, firing=False, started_at=BEGAN))
        await parent.until("DRAINED")
        await parent.reply("Drained: linux.2xlarge")
        replies = [call for call in world.stored() if call.args.get("thread_ts")]
        assert len(replies) <= MOST_REPLIES, [call.args["text"] for call in replies]


async def test_the_queue_empties_while_the_alert_still_fires(tmp_path: Path, redis_url: str) -> None:
    """An empty queue under a firing alert is easing, not drained; jobs that queue again make it open again."""
    async with running(tmp_path, redis_url) as world:
        parent = await opened(world)
        world.farm.drain()
        await parent.until("EASING")
        world.farm.queue(LINUX, 31, 9)
        await parent.until("OPEN · P1")
        await parent.until("31 jobs")
