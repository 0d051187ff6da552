"""An ordinary asker never delays an urgent one: random mixes, by the clock of the test, for both keepers of lanes."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import redis

from bot.adapters.redis.rate_lanes import ACQUIRE_SLOT, PAUSE_LANE
from bot.adapters.redis.scripts import Script
from bot.playground.memory.rows import GRACE_SECONDS, RateLane
from tests.adapters.store_world import CLOCK, timed

LATE = 0.05
"""How late, at most, somebody comes back for a slot."""


class MemoryLane:
    def __init__(self) -> None:
        self.lane = RateLane()

    def ask(self, who: str, now: float, interval: float, burst: int, *, urgent: bool) -> float:
        """Seconds to wait."""
        return self.lane.turn(who, now, interval, burst, urgent=urgent)

    def pause(self, seconds: float, now: float) -> None:
        self.lane.hold(now + seconds, now)


class RedisLane:
    """The lane of the Redis scripts, which read the time of the test instead of the server's."""

    keys = ("{tailback}:pace:t", "{tailback}:pace:t:urgent")

    def __init__(self, url: str) -> None:
        self.server = redis.Redis.from_url(url)
        self.server.delete(*self.keys)

    def _run(self, script: Script, now: float, *args: object) -> int:
        self.server.hset(CLOCK, mapping={"s": int(now), "us": round(now % 1 * 1e6)})
        reply = self.server.eval(timed(script).text, 2, *self.keys, *map(str, args))
        assert isinstance(reply, list)
        return int(reply[0])

    def ask(self, who: str, now: float, interval: float, burst: int, *, urgent: bool) -> float:
        """Seconds to wait."""
        return self._run(ACQUIRE_SLOT, now, who, round(interval * 1000), burst, int(urgent)) / 1000

    def pause(self, seconds: float, now: float) -> None:
        self._run(PAUSE_LANE, now, round(seconds * 1000))


AnyLane = MemoryLane | RedisLane


@pytest.fixture(params=["memory", "redis"])
def fresh(request: pytest.FixtureRequest) -> Callable[[], AnyLane]:
    url = request.getfixturevalue("redis_url") if request.param == "redis" else ""
    return lambda: RedisLane(url) if url else MemoryLane()


@dataclass
class Run:
    """One random mix of askers, and what each of them was granted."""

    seed: int
    interval: float = 0.0
    burst: int = 1
    grants: list[float] = field(default_factory=list)
    promised: dict[str, float] = field(default_factory=dict)
    """Urgent asker: the latest time at which its slot must be granted, as the rate alone demands."""
    granted: dict[str, float] = field(default_factory=dict)

    def play(self, lane: AnyLane) -> "Run":
        """Everybody asks, comes back when told to, a little late, and stops when granted."""
        dice = random.Random(self.seed)
        self.interval, self.burst = dice.choice([0.2, 1.0, 1.2]), dice.choice([1, 3, 5])
        start, span = 1_800_000_000.0, 40 * self.interval
        count = dice.randint(20, 60)
        share = dice.choice([0.1, 0.3, 0.6])
        coming = [(start + dice.uniform(0, span), f"a{n}", dice.random() < share) for n in range(count)]
        while coming:
            coming.sort()
            now, who, urgent = coming.pop(0)
            if urgent and who not in self.promised:
                waiting = sum(one not in self.granted for one in self.promised)
                self.promised[who] = max(now, self._free(now) + waiting * self.interval)
            wait = lane.ask(who, now, self.interval, self.burst, urgent=urgent)
            if wait <= 0:
                self.grants.append(now)
                self.granted[who] = now
            else:
                coming.append((now + wait + dice.uniform(0, LATE), who, urgent))
            assert len(self.grants) <= count
            assert now < start + span + count * (self.interval + LATE) + GRACE_SECONDS
        return self

    def _free(self, now: float) -> float:
        tat = 0.0
        for at in self.grants:
            tat = max(tat, at) + self.interval
        return max(tat, now) - (self.burst - 1) * self.interval


@pytest.mark.parametrize("seed", range(60))
def test_no_ordinary_asker_delays_an_urgent_one(seed: int, fresh: Callable[[], AnyLane]) -> None:
    """An urgent one waits for the rate and for urgent ones before it; all that is added is how late those came."""
    run = Run(seed).play(fresh())
    late = {who: run.granted[who] - due for who, due in run.promised.items()}
    allowed = LATE * (1 + len(run.promised)) + 0.005
    assert {who: by for who, by in late.items() if by > allowed} == {}


@pytest.mark.parametrize("seed", range(60, 80))
def test_the_rate_is_kept_and_everybody_is_granted(seed: int, fresh: Callable[[], AnyLane]) -> None:
    """Never more than the burst and one an interval, in any span of time."""
    run = Run(seed).play(fresh())
    grants = sorted(run.grants)
    for first in range(len(grants)):
        for last in range(first, len(grants)):
            span = grants[last] - grants[first]
            assert last - first + 1 <= run.burst + span / run.interval + 1e-6 + 0.002 / run.interval


def test_a_reservation_that_nobody_takes_ends(fresh: Callable[[], AnyLane]) -> None:
    """A process that died holds one slot back for the grace period, and the lane goes on at its rate meanwhile."""
    lane, now = fresh(), 1_800_000_000.0
    assert lane.ask("a", now, 0.5, 3, urgent=False) == 0
    assert lane.ask("b", now, 0.5, 3, urgent=False) == 0
    assert lane.ask("c", now, 0.5, 3, urgent=False) == 0
    assert lane.ask("dead", now, 0.5, 3, urgent=True) == pytest.approx(0.5)
    served = 0
    for turn in range(20):
        now += 0.5
        served += lane.ask(f"o{turn}", now, 0.5, 3, urgent=False) == 0
    assert served >= 15


def test_a_reserved_slot_is_kept_through_a_pause(fresh: Callable[[], AnyLane]) -> None:
    lane, now = fresh(), 1_800_000_000.0
    lane.ask("first", now, 1.0, 1, urgent=False)
    lane.ask("urgent", now, 1.0, 1, urgent=True)
    lane.pause(30.0, now)
    assert lane.ask("ordinary", now + 30.001, 1.0, 1, urgent=False) > 0
    assert lane.ask("urgent", now + 30.01, 1.0, 1, urgent=True) == 0


@pytest.mark.parametrize("burst", [1, 3, 5])
@pytest.mark.parametrize("used", [1, 5])
def test_a_pause_earns_no_burst(burst: int, used: int, fresh: Callable[[], AnyLane]) -> None:
    """After a 429 the lane continues at one slot per interval; the burst returns when the lane was idle."""
    lane, now = fresh(), 1_800_000_000.0
    for number in range(used):
        lane.ask(f"before{number}", now, 1.0, burst, urgent=False)
    lane.pause(10.0, now)
    opens = now + 10.001
    granted = 0
    for tick in range(60):
        asker = f"after{granted}"
        granted += lane.ask(asker, opens + tick / 10, 1.0, burst, urgent=True) == 0
    assert granted == 6
    idle = opens + 60
    assert [lane.ask(f"later{n}", idle, 1.0, burst, urgent=True) == 0 for n in range(burst + 1)] == [True] * burst + [
        False
    ]


def test_a_storm_is_served_at_the_full_rate_and_in_order(fresh: Callable[[], AnyLane]) -> None:
    """Thirty that wait for one channel get their slots one interval apart, first come first served."""
    lane, began = fresh(), 1_800_000_000.0
    due = {f"i{n:02}": began for n in range(30)}
    served: list[str] = []
    now = began
    while due:
        who = min(due, key=lambda name: (due[name], name))
        now = max(now, due[who])
        wait = lane.ask(who, now, 1.0, 1, urgent=False)
        due[who] = now + wait
        if wait == 0:
            served.append(who)
            del due[who]
    assert served == [f"i{n:02}" for n in range(30)]
    assert now - began == pytest.approx(29, abs=0.1)
