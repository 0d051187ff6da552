"""Nothing is lost or done twice: pressed twice, fired again, `kill -9` (SL-1, AC-3), or an earlier release's (RT-8)."""

import asyncio
import time
from pathlib import Path

import pytest
import redis

from bot.adapters.migrations import FORMAT
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.safety_checks import FORMAT_KEY
from bot.adapters.redis.store import RedisStore
from bot.playground.slack.limits import Limits
from handlers.machine import now
from tests.audit import broken_at
from tests.journeys.alerts import queue_alert
from tests.journeys.earlier import Earlier
from tests.journeys.opening import opened
from tests.journeys.setup import LARGE, LINUX, MAC, Setup
from tests.journeys.test_care import ANA, BEN, CareSetup
from tests.journeys.world import World, process, product, running, surroundings
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

        wanted = ["RunnerQueueTooLong", *names]
        await world.eventually(lambda: all(world.threads_of(name) for name in wanted), "thirty threads")
        parent = await world.slack.channel("ci").parent("RunnerQueueTooLong")
        world.farm.queue(LINUX, 44, 50)
        await parent.until("44 jobs queued")
        assert {name: world.threads_of(name) for name in wanted} == dict.fromkeys(wanted, 1)


async def test_a_double_click_acts_once(world: World) -> None:
    """Two presses of the same Diagnose as it was drawn: one diagnosis, and the second press is told so."""
    parent = await opened(world)
    await asyncio.gather(*(parent.click("Diagnose", stale=True) for _ in range(2)))
    await parent.reply("asked for a diagnosis")
    told = await world.slack.ephemeral(containing="This was already requested")
    assert "ago by <@U0ANA>" in told.text
    await parent.click("Acknowledge", stale=True)
    await parent.until(acknowledged("U0ANA"))
    diagnoses = [one for one in await parent.replies() if "asked for a diagnosis" in one.text]
    assert len(diagnoses) == 1


async def test_a_question_confirmed_twice_scales_once(world: World) -> None:
    parent = await opened(world)
    await parent.click("Scale up")
    await (await world.slack.modal(title="Scale up")).submit()
    question = await world.slack.modal(title="Scale up?")
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


@pytest.mark.parametrize("release", ["0.1.0", "0.2.0"])
async def test_what_an_earlier_release_left_is_taken_over(release: str, tmp_path: Path, redis_url: str) -> None:
    """Its two threads go on, the third is opened, what was asked is done, and what was lent goes back."""
    earlier, setup = Earlier(release), CareSetup(lease="1h")
    earlier.into(redis_url)
    async with surroundings(tmp_path, setup) as world:
        earlier.around(world)
        world.farm.queue(LINUX, 14, 114)
        world.farm.queue(LARGE, 9, 30)
        world.farm.queue(MAC, 3, 20)
        world.farm.pools[LINUX].busy = 14
        async with product(world, setup, redis_url) as runtime:
            assert await runtime.store.adopt() == []
            await world.until_ready()
            channel = world.slack.channel("ci")
            large = await channel.parent(LARGE)
            await large.reply("silenced")
            await (await large.reply("A second person must agree")).click("Approve", user=BEN)
            await large.reply("request accepted")
            assert [(pool, target) for pool, target, _ in world.farm.sets] == [(LARGE, 24)]
            await channel.parent(MAC)
            linux = await channel.parent(LINUX)
            await linux.until("Acknowledged by")
            came = await linux.reply("verified")
            await came.click("Undo", user=ANA)
            await linux.reply("linux.2xlarge is back to 10")
            world.farm.drain()
            for pool in (LINUX, LARGE, MAC):
                await (await channel.parent(pool)).until("DRAINED")
            assert len(await channel.parents()) == 3
    store = RedisStore(connect(redis_url), Clocks(now, now), lease_seconds=5)
    assert broken_at(await store.audit_trail()) is None
    await store.aclose()
    with redis.Redis.from_url(redis_url) as client:
        assert client.get(FORMAT_KEY) == str(FORMAT).encode()
