"""What every store promises of paced lanes, on the fake and on real servers alike."""

from bot.core.record import Change
from bot.ports import OPEN, SHUT
from tests.adapters.store_world import AnyStore, World


async def slot(store: AnyStore, who: str, interval: float = 2, burst: int = 1, *, urgent: bool = False) -> float:
    """Seconds after which to ask again for a slot in lane C1; 0 when it is granted."""
    return round(await store.acquire_slot("C1", who, interval, burst, urgent=urgent), 3)


async def test_a_lane_spaces_turns_and_serves_in_order(world: World, store: AnyStore) -> None:
    """Whoever asks gets a slot of its own, one interval after the last, and it is granted then."""
    assert [await slot(store, f"i{n}") for n in range(4)] == [0, 2, 4, 6]
    assert await slot(store, "i2") == 4
    world.passes(2)
    assert await slot(store, "newcomer") == 6
    assert await slot(world.store(), "i1") == 0


async def test_lanes_do_not_slow_each_other_down(store: AnyStore) -> None:
    assert [await store.acquire_slot(lane, "i", 5.0, 1, urgent=False) for lane in ("C1", "C2")] == [0, 0]


async def test_a_lane_grants_nothing_while_something_named_is_shut(store: AnyStore) -> None:
    """One round trip says so, and no slot is taken."""

    async def asked() -> float:
        return await store.acquire_slot("C1", "i", 5.0, 1, urgent=False, unless=("shut:C1", "shut:token"))

    await store.commit(Change(point={"shut:token": ("17.5", None)}))
    assert await asked() == SHUT
    await store.commit(Change(point={"shut:token": (OPEN, "17.5")}))
    assert [await asked(), await asked()] == [0, 5]


async def test_a_burst_goes_out_at_once_and_then_waits(store: AnyStore) -> None:
    """As many turns as the burst allows are free; the next one waits an interval."""
    assert [await slot(store, f"i{n}", burst=3) for n in range(4)] == [0, 0, 0, 2]


async def test_an_urgent_turn_passes_the_queue_but_keeps_the_spacing(world: World, store: AnyStore) -> None:
    """An answer to a person goes before waiting status, never faster than the lane allows; the others move by one."""
    for who in ("first", "second", "third"):
        await slot(store, who)
    assert await slot(store, "answer", urgent=True) == 2
    world.passes(2)
    assert await slot(store, "answer", urgent=True) == 0
    assert [await slot(store, who) for who in ("second", "third")] == [2, 4]


async def test_a_held_lane_stops_everybody_and_keeps_their_order(world: World, store: AnyStore) -> None:
    """After a 429 nobody gets a turn before its time, urgent or not, and the queue moves behind it."""
    for who in ("first", "second", "third"):
        await slot(store, who, 1)
    await store.pause_lane("C1", 5)
    await store.pause_lane("C1", 1)
    asked = [("answer", True), ("second", False), ("third", False), ("late", False)]
    assert [await slot(store, who, 1, urgent=urgent) for who, urgent in asked] == [5, 6, 6, 7]
    world.passes(5)
    assert await slot(store, "answer", 1, urgent=True) == 0
    world.passes(1)
    assert await slot(store, "second", 1) == 0


async def test_a_lane_without_an_interval_is_free_until_it_is_held(world: World, store: AnyStore) -> None:
    """Pacing can be switched off; a 429 is respected all the same."""
    assert [await slot(store, "i", 0) for _ in range(3)] == [0, 0, 0]
    await store.pause_lane("C1", 5)
    assert [await slot(each, "i", 0, urgent=True) for each in (store, world.store())] == [5, 5]


async def test_an_urgent_asker_reserves_its_slot(world: World, store: AnyStore) -> None:
    """Whoever comes in between waits one slot longer, and the urgent one is granted when it was told."""
    assert [await slot(store, who, urgent=who == "urgent") for who in ("before", "urgent", "after")] == [0, 2, 4]
    world.passes(2)
    assert await slot(world.store(), "ordinary") > 0
    assert await slot(store, "urgent", urgent=True) == 0


async def test_a_pause_keeps_reserved_slots(world: World, store: AnyStore) -> None:
    """When the lane opens again, the urgent asker goes first, however many ordinary ones are quicker."""
    assert await slot(store, "before") == 0
    assert await slot(store, "urgent", urgent=True) > 0
    await store.pause_lane("C1", 3)
    world.passes(3)
    assert await slot(store, "ordinary") > 0
    assert await slot(store, "urgent", urgent=True) == 0
