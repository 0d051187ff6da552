"""What is written together with an incident's move, and what happens when two write at once."""

from dataclasses import replace

import pytest

from bot.context.save import EXPIRES_SECONDS, follows, keep
from bot.core.incident.incident import Incident, acked, muted, rooted
from bot.core.record import Conflict, Stored
from tests.builders import CHANNEL, NOW, POOL, closed, incident, with_fields
from tests.world import ANA, OTHER_POOL, World


def test_a_new_incident_is_open_watched_and_waiting() -> None:
    change = follows(None, incident(shown=False))
    assert set(change.join) == {("open", "i1"), (f"watch:{POOL}", "i1"), (f"waiting:{CHANNEL}", "i1")}
    assert (change.leave, change.wake, change.point) == ((), (f"pool:{POOL}",), {})


def test_a_thread_that_was_confirmed_is_found_by_its_address() -> None:
    before = incident(shown=False)
    change = follows(before, rooted(before, CHANNEL, "1.5", "drawn", NOW))
    assert change.leave == ((f"waiting:{CHANNEL}", "i1"),)
    assert change.point == {f"thread:{CHANNEL}:1.5": ("i1", None)}


def test_a_pool_that_joins_is_watched_and_woken() -> None:
    before = incident()
    change = follows(before, with_fields(before, candidates=(POOL, OTHER_POOL)))
    assert (change.join, change.wake) == (((f"watch:{OTHER_POOL}", "i1"),), (f"pool:{OTHER_POOL}",))


def test_an_incident_that_ends_is_watched_no_longer() -> None:
    change = follows(incident(), closed())
    assert set(change.leave) == {("open", "i1"), (f"watch:{POOL}", "i1")}
    assert change.join == (("ended", "i1"),)


def test_an_incident_that_goes_on_is_watched_again() -> None:
    change = follows(closed(), incident())
    assert set(change.join) == {("open", "i1"), (f"watch:{POOL}", "i1")}


def test_a_move_without_consequences_writes_none() -> None:
    change = follows(incident(), acked(incident(), ANA, NOW))
    assert (change.join, change.leave, change.point, change.wake) == ((), (), {}, ())


def test_an_incident_that_moves_waits_in_the_new_channel_alone() -> None:
    before = incident(shown=False)
    change = follows(before, replace(before, thread=replace(before.thread, channel="C0OPS")))
    assert change.join == (("waiting:C0OPS", "i1"),)
    assert change.leave == ((f"waiting:{CHANNEL}", "i1"),)


async def held(world: World) -> Stored[Incident]:
    found = await world.store.get(Incident, world.incident.id)
    assert found is not None
    return found


async def test_a_move_is_run_again_on_what_somebody_else_wrote(world: World) -> None:
    await world.opens()
    stale = await held(world)
    await keep(world.context, stale, lambda fresh: muted(fresh, ANA, NOW, on=True), due=None)
    after = await keep(world.context, stale, lambda fresh: acked(fresh, ANA, NOW), due=None)
    assert (after.value.ownership.muted, after.value.ownership.owner) == (True, ANA)
    assert after == await held(world)


async def test_a_record_that_vanished_is_a_conflict(world: World) -> None:
    await world.opens()
    stale = await held(world)
    world.data.rows.clear()
    with pytest.raises(Conflict, match="lost"):
        await keep(world.context, stale, lambda fresh: acked(fresh, ANA, NOW), due=None)


async def test_an_incident_that_is_over_is_kept_for_thirty_days(world: World) -> None:
    await world.opens()
    await world.asks("resolve", surface="dialog")
    row = world.data.rows[f"inc:{world.incident.id}"]
    assert row.expires == world.clock.now() + EXPIRES_SECONDS


async def test_a_claim_that_is_kept_is_lengthened_from_before_the_write(world: World) -> None:
    await world.opens()
    await world.asks("ack")
    (claim,) = await world.claims()
    mine = Stored(world.incident, claim.held.version if claim.held else 0, claim.fence, None, claim.lease_ends)
    commit = world.store.commit

    async def slow(change: object) -> None:
        await commit(change)  # type: ignore[arg-type]  # handed on as it came
        world.clock.advance(3)

    world.store.commit = slow  # type: ignore[method-assign]  # the fake's own, that answers late
    before = world.clock.monotonic()
    after = await keep(world.context, mine, lambda fresh: fresh, due=0, release=False)
    assert after.lease_ends == before + 10.0
