"""What every store promises of paced lanes, on the fake and on real servers alike."""

import pytest

from tests.adapters.store_world import AnyStore, World


async def test_a_lane_spaces_turns_and_serves_in_order(world: World, store: AnyStore) -> None:
    """Whoever asks gets a slot of its own, one interval after the last, and it is granted then."""
    waits = [await store.acquire_slot("C1", f"i{n}", 0.2, 1, urgent=False) for n in range(4)]
    assert waits == [pytest.approx(0.2 * n, abs=0.05) for n in range(4)]
    again = await store.acquire_slot("C1", "i2", 0.2, 1, urgent=False)
    assert again == pytest.approx(0.4, abs=0.05)
    await world.passes(0.21)
    assert await store.acquire_slot("C1", "newcomer", 0.2, 1, urgent=False) == pytest.approx(0.6, abs=0.06)
    assert await world.store().acquire_slot("C1", "i1", 0.2, 1, urgent=False) == 0


async def test_lanes_do_not_slow_each_other_down(store: AnyStore) -> None:
    """A busy channel holds nobody else up."""
    assert [await store.acquire_slot(lane, "i", 5.0, 1, urgent=False) for lane in ("C1", "C2")] == [0, 0]


async def test_a_burst_goes_out_at_once_and_then_waits(store: AnyStore) -> None:
    """As many turns as the burst allows are free; the next one waits an interval."""
    waits = [await store.acquire_slot("C1", f"i{n}", 1.0, 3, urgent=False) for n in range(4)]
    assert waits == [0, 0, 0, pytest.approx(1.0, abs=0.1)]


async def test_an_urgent_turn_passes_the_queue_but_keeps_the_spacing(world: World, store: AnyStore) -> None:
    """An answer to a person goes before waiting status, never faster than the lane allows; the others move by one."""
    for who in ("first", "second", "third"):
        await store.acquire_slot("C1", who, 0.2, 1, urgent=False)
    assert await store.acquire_slot("C1", "answer", 0.2, 1, urgent=True) == pytest.approx(0.2, abs=0.05)
    await world.passes(0.21)
    assert await store.acquire_slot("C1", "answer", 0.2, 1, urgent=True) == 0
    assert await store.acquire_slot("C1", "second", 0.2, 1, urgent=False) == pytest.approx(0.2, abs=0.06)
    assert await store.acquire_slot("C1", "third", 0.2, 1, urgent=False) == pytest.approx(0.4, abs=0.06)


async def test_a_held_lane_stops_everybody_and_keeps_their_order(world: World, store: AnyStore) -> None:
    """After a 429 nobody gets a turn before its time, urgent or not, and the queue moves behind it."""
    for who in ("first", "second", "third"):
        await store.acquire_slot("C1", who, 0.1, 1, urgent=False)
    await store.pause_lane("C1", 0.5)
    await store.pause_lane("C1", 0.1)
    asked = [("answer", True), ("second", False), ("third", False), ("late", False)]
    waits = [await store.acquire_slot("C1", who, 0.1, 1, urgent=urgent) for who, urgent in asked]
    assert waits == [pytest.approx(wait, abs=0.06) for wait in (0.5, 0.6, 0.6, 0.7)]
    await world.passes(0.52)
    assert await store.acquire_slot("C1", "answer", 0.1, 1, urgent=True) == 0
    await world.passes(0.12)
    assert await store.acquire_slot("C1", "second", 0.1, 1, urgent=False) == 0


async def test_a_lane_without_an_interval_is_free_until_it_is_held(world: World, store: AnyStore) -> None:
    """Pacing can be switched off; a 429 is respected all the same."""
    assert [await store.acquire_slot("C1", "i", 0, 1, urgent=False) for _ in range(3)] == [0, 0, 0]
    await store.pause_lane("C1", 5.0)
    assert await store.acquire_slot("C1", "i", 0, 1, urgent=True) == pytest.approx(5.0, abs=0.1)
    assert 4 < await world.store().acquire_slot("C1", "i", 0, 1, urgent=True) <= 5


async def test_an_urgent_asker_reserves_its_slot(world: World, store: AnyStore) -> None:
    """Whoever comes in between waits one slot longer, and the urgent one is granted when it was told."""
    assert await store.acquire_slot("C1", "before", 0.3, 1, urgent=False) == 0
    wait = await store.acquire_slot("C1", "urgent", 0.3, 1, urgent=True)
    assert await store.acquire_slot("C1", "after", 0.3, 1, urgent=False) == pytest.approx(0.6, abs=0.06)
    await world.passes(wait + 0.01)
    assert await world.store().acquire_slot("C1", "ordinary", 0.3, 1, urgent=False) > 0
    assert await store.acquire_slot("C1", "urgent", 0.3, 1, urgent=True) == 0


async def test_a_pause_keeps_reserved_slots(world: World, store: AnyStore) -> None:
    """When the lane opens again, the urgent asker goes first, however many ordinary ones are quicker."""
    assert await store.acquire_slot("C1", "before", 0.1, 1, urgent=False) == 0
    assert await store.acquire_slot("C1", "urgent", 0.1, 1, urgent=True) > 0
    await store.pause_lane("C1", 0.3)
    await world.passes(0.32)
    assert await store.acquire_slot("C1", "ordinary", 0.1, 1, urgent=False) > 0
    assert await store.acquire_slot("C1", "urgent", 0.1, 1, urgent=True) == 0
