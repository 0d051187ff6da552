"""`kill -9` at the worst moments, of the real process on its embedded Redis: nothing is lost, nothing said twice."""

import asyncio
from pathlib import Path

from bot.playground.slack.limits import Limits
from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import process
from tests.patience import PATIENCE_SECONDS
from tests.processes import Zygote
from tests.said import acknowledged

FAST = Setup(limits=Limits(channel_per_second=20.0, channel_burst=6), pace="100ms", edit_pace="200ms")
"""Slack takes 20 messages a second here, so that thirty threads do not take half a minute."""


async def test_killed_in_the_middle_of_opening_thirty_threads(tmp_path: Path, zygote: Zygote) -> None:
    """Thirty groups taken, ten threads open: kill, start again, thirty threads, none double, status goes on."""
    async with process(tmp_path, zygote, FAST) as tailback:
        world = tailback.world
        world.farm.queue(LINUX, 14, 40)
        names = [f"Group {n:02}" for n in range(29)]
        sent = [queue_alert(f"pool-of-{name[-2:]}", name=name) for name in names]
        taken = await asyncio.gather(*(world.fires(alert) for alert in [queue_alert(LINUX), *sent]))
        assert taken == ["opened"] * 30
        await world.eventually(lambda: len(world.roots()) >= 10, "ten threads")
        tailback.kill()
        before = len(world.roots())
        assert before < 30
        await tailback.start()

        wanted = ["RunnerQueueTooLong", *names]
        await world.eventually(lambda: all(world.threads_of(name) for name in wanted), "thirty threads")
        parent = await world.slack.channel("ci").parent("RunnerQueueTooLong")
        world.farm.queue(LINUX, 44, 50)
        await parent.until("44 jobs queued")
        assert {name: world.threads_of(name) for name in wanted} == dict.fromkeys(wanted, 1)


async def test_killed_between_slack_storing_the_thread_and_its_answer(tmp_path: Path, zygote: Zygote) -> None:
    """Slack has the message, Tailback never hears of it and dies: the next one finds it instead of posting again."""
    async with process(tmp_path, zygote) as tailback:
        world = tailback.world
        world.farm.queue(LINUX, 14, 40)
        hold = world.stand_in.faults.hold("chat.postMessage", after_effect=True)
        await world.fires(queue_alert(LINUX))
        await asyncio.wait_for(hold.reached.wait(), PATIENCE_SECONDS)
        tailback.kill()
        hold.release()
        assert len(world.roots()) == 1
        await tailback.start()
        parent = await world.slack.channel("ci").parent(LINUX)
        world.farm.queue(LINUX, 44, 50)
        await parent.until("44 jobs queued")
        await parent.click("Acknowledge")
        await parent.until(acknowledged("U0ANA"))
        assert len(world.roots()) == 1


async def test_killed_after_a_click_before_the_scaler_answered(tmp_path: Path, zygote: Zygote) -> None:
    """A confirmed target whose answer never came is not asked for twice under another key; the outcome is told."""
    async with process(tmp_path, zygote) as tailback:
        world = tailback.world
        world.farm.queue(LINUX, 14, 40)
        await world.fires(queue_alert(LINUX))
        parent = await world.slack.channel("ci").parent(LINUX)
        await parent.click("Scale up")
        await (await world.slack.modal(title="Scale up")).submit()
        question = await world.slack.modal(title="Scale up?")
        world.farm.hold.clear()
        await question.submit()
        await world.eventually(lambda: len(world.farm.sets) == 1, "the target at the scaler")
        tailback.kill()
        world.farm.hold.set()
        await tailback.start()
        await parent.until("request accepted")
        assert len(world.farm.sets) == 1
