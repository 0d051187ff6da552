"""Unfollowing one thing, or all of them."""

from bot.notifications.follows import follows_of
from tests.builders import POOL
from tests.jobs.test_find import URL
from tests.jobs.test_watch_followed import DRAIN_SECONDS, waiting
from tests.world import ANA, refused


async def test_unfollow_ends_one_or_all() -> None:
    world = await waiting()
    await world.types("follow", URL)
    await world.types("follow", POOL)
    await world.types("unfollow", f"<{URL}|the job>")
    assert [one.target for one in await follows_of(world.context, ANA)] == [POOL]
    await world.types("unfollow")
    world.queues(0)
    await world.passes(DRAIN_SECONDS)
    assert world.direct(ANA) == []
    await refused("follow no job", world.types("unfollow"))
