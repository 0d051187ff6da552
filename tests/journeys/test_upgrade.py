"""RT-8: this release takes over from earlier ones: open threads, a lease, a question, and work not done yet."""

from pathlib import Path

import pytest
import redis

from bot.adapters.migrations import FORMAT
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.safety_checks import FORMAT_KEY
from bot.adapters.redis.store import RedisStore
from handlers.machine import now
from tests.audit import broken_at
from tests.journeys.earlier import Earlier
from tests.journeys.setup import LARGE, LINUX, MAC
from tests.journeys.test_care import ANA, BEN, CareSetup
from tests.journeys.world import product, surroundings


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
