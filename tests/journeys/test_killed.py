"""`kill -9` of the real process on its embedded Redis: nothing is lost, nothing said twice (points: SL-1, AC-3)."""

import asyncio
from pathlib import Path

from bot.playground.slack.limits import Limits
from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import process
from tests.processes import Zygote

FAST = Setup(limits=Limits(channel_per_second=20.0, channel_burst=6, per_minute={}), pace="100ms", edit_pace="200ms")
"""Slack takes 20 messages a second here, and any number of edits, so that thirty threads do not take a minute."""


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
