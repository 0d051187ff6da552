"""What every store promises of rate lanes, on the fake and on real servers alike; random mixes of askers among it."""

import random

import pytest

from bot.core.message import OPEN, SHUT
from bot.core.record import Change
from bot.playground.memory.rows import GRACE_SECONDS
from tests.adapters.store_world import AnyStore, World
from tests.patience import LONG

LATE = 0.05
"""How late, at most, somebody comes back for a slot."""


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

    async def wait() -> float:
        return await store.acquire_slot("C1", "i", 5.0, 1, urgent=False, unless=("shut:C1", "shut:token"))

    await store.commit(Change(point={"shut:token": ("17.5", None)}))
    assert await wait() == SHUT
    await store.commit(Change(point={"shut:token": (OPEN, "17.5")}))
    assert [await wait(), await wait()] == [0, 5]


async def test_a_burst_goes_out_at_once_and_then_waits(store: AnyStore) -> None:
    """As many turns as the burst allows are free; the next one waits an interval."""
    assert [await slot(store, f"i{n}", burst=3) for n in range(4)] == [0, 0, 0, 2]


async def test_those_who_wait_may_trade_their_slots(world: World, store: AnyStore) -> None:
    """In the order that is asked for; nobody else moves, and who has no slot gets none."""
    for who in ("first", "a", "other", "b", "c"):
        await slot(store, who)
    await store.arrange("C1", ["c", "stranger", "a", "b"])
    assert [await slot(store, who) for who in ("c", "other", "a", "b")] == [2, 4, 6, 8]
    world.passes(2)
    assert [await slot(store, who) for who in ("a", "c")] == [4, 0]


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
    callers = [("answer", True), ("second", False), ("third", False), ("late", False)]
    assert [await slot(store, who, 1, urgent=urgent) for who, urgent in callers] == [5, 6, 6, 7]
    world.passes(5)
    assert await slot(store, "answer", 1, urgent=True) == 0
    world.passes(1)
    assert await slot(store, "second", 1) == 0


async def test_a_lane_without_an_interval_is_free_until_it_is_held(world: World, store: AnyStore) -> None:
    """Pacing can be switched off; a 429 is respected all the same."""
    assert [await slot(store, "i", 0) for _ in range(3)] == [0, 0, 0]
    await store.pause_lane("C1", 5)
    assert [await slot(each, "i", 0, urgent=True) for each in (store, world.store())] == [5, 5]


async def test_a_pause_keeps_reserved_slots(world: World, store: AnyStore) -> None:
    """When the lane opens again, the urgent asker goes first, however many ordinary ones are quicker."""
    assert await slot(store, "before") == 0
    assert await slot(store, "urgent", urgent=True) > 0
    await store.pause_lane("C1", 3)
    world.passes(3)
    assert await slot(store, "ordinary") > 0
    assert await slot(store, "urgent", urgent=True) == 0


class Mix:
    """A random mix of askers that come back when told to, a little late, and stop when granted."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.interval, self.burst = self.dice.choice([0.2, 1.0, 1.2]), self.dice.choice([1, 3, 5])
        self.granted: dict[str, float] = {}
        """In order: asker → when."""
        self.promised: dict[str, float] = {}
        """Urgent asker: the latest time at which its slot must be granted, as the rate alone demands."""

    async def play(self, world: World, store: AnyStore) -> "Mix":
        start, span, count = world.now(), 40 * self.interval, self.dice.randint(20, 60)
        share = self.dice.choice([0.1, 0.3, 0.6])
        coming = [(start + self.dice.uniform(0, span), f"a{n}", self.dice.random() < share) for n in range(count)]
        while coming:
            coming.sort()
            now, who, urgent = coming.pop(0)
            world.at(now)
            if urgent and who not in self.promised:
                waiting = sum(one not in self.granted for one in self.promised)
                self.promised[who] = max(now, self._free(now) + waiting * self.interval)
            wait = await slot(store, who, self.interval, self.burst, urgent=urgent)
            if wait <= 0:
                self.granted[who] = now
            else:
                coming.append((now + wait + self.dice.uniform(0, LATE), who, urgent))
            assert now < start + span + count * (self.interval + LATE) + GRACE_SECONDS
        return self

    def _free(self, now: float) -> float:
        used = 0.0
        for at in self.granted.values():
            used = max(used, at) + self.interval
        return max(used, now) - (self.burst - 1) * self.interval


@pytest.mark.parametrize("seed", range(60 if LONG else 20))
async def test_no_ordinary_asker_delays_an_urgent_one(seed: int, world: World, store: AnyStore) -> None:
    """An urgent one waits for the rate and for urgent ones before it; all that is added is how late those came."""
    mix = await Mix(seed).play(world, store)
    late = {who: mix.granted[who] - due for who, due in mix.promised.items()}
    allowed = LATE * (1 + len(mix.promised)) + 0.005
    assert {who: by for who, by in late.items() if by > allowed} == {}


@pytest.mark.parametrize("seed", range(60, 80 if LONG else 67))
async def test_the_rate_is_kept_and_everybody_is_granted(seed: int, world: World, store: AnyStore) -> None:
    """Never more than the burst and one an interval, in any span of time."""
    mix = await Mix(seed).play(world, store)
    grants = sorted(mix.granted.values())
    for first in range(len(grants)):
        for last in range(first, len(grants)):
            span = grants[last] - grants[first]
            assert last - first + 1 <= mix.burst + span / mix.interval + 1e-6 + 0.002 / mix.interval


async def test_a_reservation_that_nobody_takes_ends(world: World, store: AnyStore) -> None:
    """A process that died holds one slot back for the grace period, and the lane goes on at its rate meanwhile."""
    assert [await slot(store, who, 0.5, 3) for who in "abc"] == [0, 0, 0]
    assert await slot(store, "dead", 0.5, 3, urgent=True) == 0.5
    served = 0
    for turn in range(20):
        world.at(world.now() + 0.5)
        served += await slot(store, f"o{turn}", 0.5, 3) == 0
    assert served >= 15


@pytest.mark.parametrize("burst", [1, 3, 5])
@pytest.mark.parametrize("used", [1, 5])
async def test_a_pause_earns_no_burst(burst: int, used: int, world: World, store: AnyStore) -> None:
    """After a 429 the lane continues at one slot per interval; the burst returns when the lane was idle."""
    for number in range(used):
        await slot(store, f"before{number}", 1, burst)
    await store.pause_lane("C1", 10.0)
    opens, granted = world.now() + 10.001, 0
    for tick in range(60):
        world.at(opens + tick / 10)
        granted += await slot(store, f"after{granted}", 1, burst, urgent=True) == 0
    assert granted == 6
    world.at(opens + 60)
    found = [await slot(store, f"later{n}", 1, burst, urgent=True) == 0 for n in range(burst + 1)]
    assert found == [True] * burst + [False]


async def test_a_storm_is_served_at_the_full_rate_and_in_order(world: World, store: AnyStore) -> None:
    """Thirty that wait for one channel get their slots one interval apart, first come first served."""
    began = world.now()
    due = {f"i{n:02}": began for n in range(30)}
    served: list[str] = []
    while due:
        who = min(due, key=lambda name: (due[name], name))
        world.at(max(world.now(), due[who]))
        if wait := await slot(store, who, 1):
            due[who] = world.now() + wait
        else:
            served.append(who)
            del due[who]
    assert served == [f"i{n:02}" for n in range(30)]
    assert world.now() - began == pytest.approx(29, abs=0.1)
