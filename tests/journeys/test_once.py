"""Nothing is lost or done twice: pressed twice, fired again, `kill -9` (SL-1, AC-3), or an earlier release's (RT-8)."""

import asyncio
import time
from pathlib import Path

from bot.playground.slack.limits import Limits
from tests.journeys.alerts import queue_alert
from tests.journeys.opening import opened
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, process, running
from tests.processes import Zygote
from tests.said import acknowledged

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

        expected = ["RunnerQueueTooLong", *names]
        await world.eventually(lambda: all(world.threads_of(name) for name in expected), "thirty threads")
        parent = await world.slack.channel("ci").parent("RunnerQueueTooLong")
        world.farm.queue(LINUX, 44, 50)
        await parent.until("44 jobs queued")
        assert {name: world.threads_of(name) for name in expected} == dict.fromkeys(expected, 1)


async def test_a_double_click_acts_once(world: World) -> None:
    """Two presses of the same Diagnose as it was drawn: one diagnosis, and the second press is told so."""
    parent = await opened(world)
    await asyncio.gather(*(parent.click("Diagnose", stale=True) for _ in range(2)))
    await parent.reply("asked for a diagnosis")
    refusal = await world.slack.ephemeral(containing="This was already requested")
    assert "ago by <@U0ANA>" in refusal.text
    await parent.click("Acknowledge", stale=True)
    await parent.until(acknowledged("U0ANA"))
    diagnoses = [one for one in await parent.replies() if "asked for a diagnosis" in one.text]
    assert len(diagnoses) == 1


async def test_a_question_confirmed_twice_scales_once(world: World) -> None:
    parent = await opened(world)
    await parent.click("Scale up")
    question = await world.slack.modal(title="Scale up")
    await asyncio.gather(question.submit(), question.submit(), return_exceptions=True)
    await parent.until("request accepted")
    assert len(world.farm.sets) == 1


async def lived_through(world: World, began: float) -> None:
    world.farm.queue(LINUX, 14, 40)
    await world.fires(queue_alert(LINUX, started_at=began))
    parent = await world.slack.channel("ci").parent(LINUX)
    await world.fires(queue_alert(LINUX, started_at=began, firing=False))
    world.farm.drain()
    await parent.until("DRAINED")


async def test_soon_again_goes_on_in_the_same_thread(tmp_path: Path, redis_url: str) -> None:
    async with running(tmp_path, redis_url) as world:
        began = time.time() - 600
        await lived_through(world, began)
        world.farm.queue(LINUX, 30, 12)
        assert await world.fires(queue_alert(LINUX, started_at=began + 500)) == "joined"
        parent = await world.slack.channel("ci").parent(LINUX)
        await parent.until("OPEN · P1")
        await parent.reply("The alert fired again")
        await parent.until(lambda shown: "Scale up" in shown.buttons)
        assert len(world.roots()) == 1
        await world.fires(queue_alert(LINUX, started_at=began + 500, firing=False))
        world.farm.drain()
        await parent.until("DRAINED")


async def test_much_later_is_a_new_thread(tmp_path: Path, redis_url: str) -> None:
    async with running(tmp_path, redis_url, Setup(reopen_within="500ms")) as world:
        began = time.time() - 600
        await lived_through(world, began)
        first = await world.slack.channel("ci").parent("DRAINED")
        await asyncio.sleep(0.6)
        world.farm.queue(LINUX, 30, 12)
        assert await world.fires(queue_alert(LINUX, started_at=began + 500)) == "opened"
        second = await world.slack.channel("ci").parent("OPEN · P1")
        assert second.ts != first.ts
        assert len(world.roots()) == 2
        assert "DRAINED" in (await first.read()).text
