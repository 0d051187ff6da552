"""A token that Slack refuses: of all incidents and channels together one call in ten seconds tries it (SL-5)."""

from bot.ports import Failure
from tests.builders import CHANNEL
from tests.world import World, spoken

CHANNELS = [f"C0TEAM{number}" for number in range(8)]
ROUTES = [{"match": {"team": channel}, "channel": channel} for channel in CHANNELS]


async def refused() -> World:
    """Eight incidents in as many channels, and a token that is not accepted any more."""
    world = World()
    world.configure(ROUTES)
    world.chat.script.fail("*", Failure.CREDENTIALS, times=None)
    for channel in CHANNELS:
        await world.fires(spoken(fingerprint=channel, team=channel), group_key=channel)
    return world


async def test_several_processes_share_one_try() -> None:
    world = await refused()
    processes = [world.process(world.context.settings) for _ in range(4)]
    turns = 0

    async def second() -> None:
        nonlocal turns
        world.clock.advance(1)
        while claims := (await world.store.claim(1)).claims:
            turns += 1
            await world.tell(claims[0], processes[turns % 4])

    for _ in range(100):
        await second()
    assert 5 <= world.chat.script.count("post") <= 11
    assert all(process.health.slack for process in processes), "each of them is degraded"
    world.chat.script.heal()
    for _ in range(25):
        await second()
    assert sorted(stored.channel for stored in world.chat.parents()) == CHANNELS


async def test_when_the_token_is_accepted_again_all_are_told_at_once() -> None:
    world = await refused()
    await world.passes(30, step=1)
    world.chat.script.heal()
    await world.passes(25, step=1)
    assert sorted(stored.channel for stored in world.chat.parents()) == CHANNELS
    assert CHANNEL not in {stored.channel for stored in world.chat.parents()}
