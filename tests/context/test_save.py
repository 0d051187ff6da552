"""What is written together with an incident's move, and what happens when two write at once."""

from dataclasses import replace

import pytest

from bot.context.save import EXPIRES_SECONDS, follows, keep
from bot.core.incident.incident import Incident, muted, redrawn, reply_posted, rooted
from bot.core.people.ownership import acked
from bot.core.record import Change, Conflict, Stored
from tests.builders import CHANNEL, NOW, POOL, closed, incident, with_fields
from tests.world import ANA, OTHER_POOL, World

NEW, OPEN, CLOSED = incident(shown=False), incident(), closed()
MOVED = replace(NEW, thread=replace(NEW.thread, channel="C0OPS"))
SETS = (("open", "i1"), (f"watch:{POOL}", "i1"))
LATE = ("undelivered", "i1")
ACKED = acked(OPEN, ANA, NOW)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (None, NEW, Change(join=(*SETS, (f"waiting:{CHANNEL}", "i1"), LATE), wake=(f"pool:{POOL}",))),
        (
            NEW,
            rooted(NEW, CHANNEL, "1.5", "drawn", NOW),
            Change(leave=((f"waiting:{CHANNEL}", "i1"), LATE), point={f"thread:{CHANNEL}:1.5": ("i1", None)}),
        ),
        (
            OPEN,
            with_fields(OPEN, candidates=(POOL, OTHER_POOL)),
            Change(join=((f"watch:{OTHER_POOL}", "i1"),), wake=(f"pool:{OTHER_POOL}",)),
        ),
        (OPEN, CLOSED, Change(leave=SETS, join=(("ended", "i1"),))),
        (CLOSED, OPEN, Change(join=SETS, wake=(f"pool:{POOL}",))),
        (OPEN, redrawn(OPEN, "drawn", NOW), Change()),
        (OPEN, ACKED, Change(join=(LATE,))),
        (ACKED, muted(ACKED, ANA, NOW, on=True), Change(join=(LATE,))),
        (ACKED, reply_posted(ACKED, ACKED.log.outbox[-1]), Change(leave=(LATE,))),
        (NEW, MOVED, Change(join=(("waiting:C0OPS", "i1"), LATE), leave=((f"waiting:{CHANNEL}", "i1"),))),
    ],
    ids=[
        "new",
        "rooted",
        "pool-joins",
        "ends",
        "goes-on",
        "nothing-follows",
        "reply",
        "older-release",
        "posted",
        "moves",
    ],
)
def test_sets_and_indexes_follow_the_incident(before: Incident | None, after: Incident, change: Change) -> None:
    found = follows(before, after)
    assert (set(found.join), set(found.leave)) == (set(change.join), set(change.leave))
    assert (found.point, found.wake) == (change.point, change.wake)


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
