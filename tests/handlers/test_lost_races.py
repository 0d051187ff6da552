"""Lost races: when somebody else writes a record first, its handler runs again at once, not after its lease."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bot.adapters.records import kind_name
from bot.core.record import Change
from bot.registry import BEHAVIORS
from handlers.worker import RETRY_SECONDS, Worker
from tests.builders import CHANNEL, POOL
from tests.fakes_store import FakeStore
from tests.patience import PATIENCE_SECONDS
from tests.world import World

pytestmark = pytest.mark.usefixtures("quiet")


class RacingStore(FakeStore):
    """Somebody else writes a record in the moment before its handler does, a number of times."""

    member = ""
    races = 0
    conflicts = 0

    async def commit(self, change: Change) -> None:
        """The other one's write comes first."""
        for put in change.puts:
            member = f"{kind_name(type(put.value))}:{put.value.id}"
            if put.held.fence is not None and member == self.member and self.conflicts < self.races:
                self.conflicts += 1
                row = self.data.rows[member]
                row.value, row.version = row.value or put.held.value, row.version + 1
        await super().commit(change)


async def _incident(world: World) -> str:
    await world.fires()
    return f"inc:{world.incident.id}"


async def _request(world: World) -> str:
    await world.opens()
    await world.confirms(await world.types("scale_up", POOL, "24"))
    return next(member for member in world.data.due if member.startswith("act:"))


def _woken(member: str) -> Callable[[World], Awaitable[str]]:
    async def wake(world: World) -> str:
        await world.store.commit(Change(wake=(member,)))
        return member

    return wake


DUE = {
    "inc": _incident,
    "act": _request,
    **{kind: _woken(f"{kind}:{POOL}") for kind in ("pool", "lease", "early", "fill", "follow")},
    **{kind: _woken(f"{kind}:{CHANNEL}") for kind in ("digest", "weekly", "rejected", "page", "tell")},
    "chore": _woken("chore:sweep"),
}
"""Kind of record: makes one due."""


def test_every_kind_of_record_is_tried() -> None:
    """Also the next one."""
    assert set(DUE) == set(BEHAVIORS)


async def raced(kind: str, races: int) -> tuple[World, RacingStore, str]:
    """A record whose handler is about to lose so many races."""
    world = World()
    store = RacingStore(world.clock.now, world.clock.monotonic, data=world.data)
    world.store = world.context.store = store  # type: ignore[assignment]  # a fake of another kind
    world.queues(14)
    member = await DUE[kind](world)
    for other in [one for one in world.data.due if one != member]:
        del world.data.due[other]
    store.member, store.races = member, races
    return world, store, member


async def works(world: World, done: Callable[[], bool], seconds: float) -> float:
    """The real worker runs until then; gives the seconds of the fake clock that it took."""
    worker, began = Worker(world.context), world.clock.now()
    task = asyncio.create_task(worker.run())
    try:
        while world.clock.now() - began < seconds:
            for _ in range(40):
                await asyncio.sleep(0)
            if done():
                break
            world.clock.advance(0.05)
            worker._wake_up.set()
    finally:
        worker.stop()
        await asyncio.wait_for(task, PATIENCE_SECONDS)
    return world.clock.now() - began


@pytest.mark.parametrize("kind", BEHAVIORS)
async def test_a_lost_race_is_run_again_within_a_second(kind: str) -> None:
    """Whatever the record: nobody waits for the lease of 10 s."""
    world, store, member = await raced(kind, 1)
    row = world.data.rows.get(member)
    before = row.version if row else 0
    took = await works(world, lambda: world.data.rows[member].version > before + 1, 3.0)
    assert store.conflicts == 1
    assert world.data.rows[member].fence is None
    assert world.data.rows[member].version > before + 1
    assert took <= 1.0


async def test_a_record_that_loses_every_race_is_bounded() -> None:
    """After a few retries it waits for its lease, so that two writers cannot keep a processor busy."""
    world, store, member = await raced("digest", 1000)
    await works(world, lambda: False, 5.0)
    assert store.conflicts == len(RETRY_SECONDS) + 1
    assert world.data.rows[member].fence is not None
