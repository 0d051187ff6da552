"""Computes how many runners keep the wait under a target, by queueing theory and by a replay of recorded hours.

Theory: M/M/c, with random arrivals, exponential job times, first come first served, and equilibrium within each hour
(A. K. Erlang 1917). The recursion of the loss formula, and `P(W > t) = C e^(-(c - a) t / h)`: R. B. Cooper,
Introduction to Queueing Theory, 2nd ed. 1981, chapter 3.

Replay: the recorded number of jobs of each hour arrives in batches of the pool's size at random instants, with
lognormal job times of the pool's spread. Jobs left over go into the next hour.

Both count every runner up to the limit as present. Include a runner's boot time in `hold_seconds`, and subtract it from
the target.
"""

import heapq
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

MEAN_OVER_MEDIAN = 1.12
"""Factor between mean and median job time where the pool's own is unknown."""
SHARE = 0.95
"""Share of the jobs that should start within the target."""
MARGIN = 1.05
"""Factor on the work, as reserve: rates are averages of minutes, and next weeks differ from the last ones."""
DRAWS = 6
"""Replays that must all keep the target: the very same hours come with other batches and job times."""
MOST_RUNNERS = 20_000
MOST_REPLAYED = 15_000
"""Largest number of jobs to replay per pool; above it, theory is used, because a person waits."""


class StaffingMethod(StrEnum):
    THEORY = "theory"
    """Erlang C, each hour in equilibrium."""
    REPLAY = "replay"
    """A replay of the recorded hours."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The work of one recorded hour, or of its measured part."""

    at: float
    """Start of the hour, epoch seconds."""
    arrivals: float
    hold_seconds: float
    """Mean time for which a job occupies a runner: its run time, plus the boot time if each job gets a new one."""
    seconds: float = 3600.0
    batch: float = 1.0
    """Mean number of jobs that arrive together."""
    mean_over_median: float = MEAN_OVER_MEDIAN
    """Of the job times: how long their tail is."""

    @property
    def load(self) -> float:
        """Mean number of busy runners, in erlangs."""
        return self.arrivals * self.hold_seconds / self.seconds


@dataclass(frozen=True, slots=True)
class Staffing:
    """The fewest runners that meet the target, and the method."""

    runners: int
    method: StaffingMethod
    late_share: float
    """Share of the jobs, 0 to 1, that still wait longer than the target."""
    jobs: int


def erlang_b(runners: int, load: float) -> float:
    """Share of jobs that find all runners busy, if none of them waits; `load` in erlangs."""
    blocked = 1.0
    for number in range(1, runners + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked


def erlang_c(runners: int, load: float) -> float:
    """Share of jobs that wait; 1 if the load exceeds the runners."""
    if load <= 0:
        return 0.0
    if load >= runners:
        return 1.0
    blocked = erlang_b(runners, load)
    return runners * blocked / (runners - load * (1 - blocked))


def late(runners: int, demand: Demand, target_seconds: float) -> float:
    """Share of an hour's jobs that wait longer than the target, in equilibrium; 1 if there is none."""
    if demand.load >= runners:
        return 1.0 if demand.load > 0 else 0.0
    spare = (runners - demand.load) / demand.hold_seconds if demand.hold_seconds > 0 else math.inf
    return erlang_c(runners, demand.load) * math.exp(-spare * target_seconds)


def late_by_theory(demands: Sequence[Demand], runners: int, target_seconds: float) -> float:
    """Share of all these hours' jobs that wait longer than the target; 0 without jobs."""
    jobs = sum(demand.arrivals for demand in demands)
    return sum(d.arrivals * late(runners, d, target_seconds) for d in demands) / jobs if jobs else 0.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive hours; the first `lead` fill the runners and are not counted."""

    hours: tuple[Demand, ...]
    lead: int = 0

    @property
    def counted(self) -> tuple[Demand, ...]:
        """The hours after the lead."""
        return self.hours[self.lead :]

    @property
    def arrivals(self) -> float:
        """Jobs that arrived in the counted hours."""
        return sum(demand.arrivals for demand in self.counted)

    @property
    def connected(self) -> bool:
        """Whether the hours have no gaps, so that jobs left over can be carried on."""
        return all(abs(b.at - a.at - a.seconds) < 1 for a, b in pairwise(self.hours))


@dataclass(frozen=True, slots=True)
class Replay:
    """The jobs of a stretch, drawn from its hours, and the same each time.

    Every number of runners serves the same jobs in the same order, so more runners are never later (J. Kiefer and J.
    Wolfowitz 1955).
    """

    jobs: tuple[tuple[float, float], ...]
    """(arrival, seconds on a runner), in order."""
    skip: int
    """Number of jobs that are not counted."""

    @classmethod
    def of(cls, stretch: Stretch, draw: int = 0) -> "Replay":
        """Carries fractions of a job into the next hour; each `draw` has other instants and job times."""
        found: list[tuple[float, float]] = []
        rest, skip = 0.0, 0
        for place, demand in enumerate(stretch.hours):
            dice = random.Random(f"{demand.at:.0f}/{draw}")  # noqa: S311 - draws jobs, not secrets
            rest += demand.arrivals
            number, middle = int(rest), demand.hold_seconds / demand.mean_over_median
            spread = math.sqrt(2 * math.log(demand.mean_over_median))
            rest -= number
            skip += number if place < stretch.lead else 0
            for at in _arrivals(demand, number, dice):
                found.append((at, middle * math.exp(spread * dice.gauss(0.0, 1.0))))
        return cls(tuple(found), skip)

    def late(self, runners: int, target_seconds: float) -> float:
        """Share of the counted jobs that wait longer than the target; 0 without jobs."""
        counted = len(self.jobs) - self.skip
        if counted <= 0 or runners <= 0:
            return 1.0 if counted > 0 else 0.0
        free, beyond, serve = [0.0] * runners, 0, heapq.heapreplace
        for number, (at, takes) in enumerate(self.jobs):
            first = free[0]
            starts = max(first, at)
            serve(free, starts + takes)
            if starts - at > target_seconds and number >= self.skip:
                beyond += 1
        return beyond / counted


def _arrivals(demand: Demand, number: int, dice: random.Random) -> list[float]:
    """Instants of so many jobs in the hour, in order; batches of geometric size come at random."""
    found: list[float] = []
    while len(found) < number:
        at, more = demand.at + demand.seconds * dice.random(), True
        while more and len(found) < number:
            found.append(at)
            more = dice.random() < 1 - 1 / max(1.0, demand.batch)
    return sorted(found)


def fewest(stretches: Sequence[Stretch], target_seconds: float, share: float = SHARE) -> Staffing:
    """The fewest runners with which at most `1 - share` of the jobs wait longer than the target, with MARGIN.

    Uses the replay if every stretch is connected and together they are short enough, else theory. `late_share` is that
    of the recorded work.
    """
    replayed = sum(demand.arrivals for stretch in stretches for demand in stretch.hours)
    replayable = 0 < replayed <= MOST_REPLAYED and all(stretch.connected for stretch in stretches)
    method = StaffingMethod.REPLAY if replayable else StaffingMethod.THEORY
    more = [
        replace(s, hours=tuple(replace(d, hold_seconds=MARGIN * d.hold_seconds) for d in s.hours)) for s in stretches
    ]
    guess = least(late_shares(more, target_seconds, StaffingMethod.THEORY), 1 - share)
    draws = [late_shares(more, target_seconds, method, draw) for draw in range(DRAWS)] if replayable else []
    runners = least(lambda number: max(missed(number) for missed in draws), 1 - share, guess) if draws else guess
    now = late_shares(stretches, target_seconds, method)(runners)
    return Staffing(runners, method, now, round(sum(stretch.arrivals for stretch in stretches)))


def late_shares(
    stretches: Sequence[Stretch], target_seconds: float, method: StaffingMethod, draw: int = 0
) -> Callable[[int], float]:
    """The share of late jobs in all stretches, as a function of the number of runners."""
    whole = sum(stretch.arrivals for stretch in stretches)
    replays = [Replay.of(stretch, draw) for stretch in stretches] if method is StaffingMethod.REPLAY else []

    def missed(runners: int) -> float:
        if replays:
            shares = [replay.late(runners, target_seconds) for replay in replays]
        else:
            shares = [late_by_theory(stretch.counted, runners, target_seconds) for stretch in stretches]
        parts = [stretch.arrivals * share for stretch, share in zip(stretches, shares, strict=True)]
        return sum(parts) / whole if whole else 0.0

    return missed


def least(missed: Callable[[int], float], allowed: float, guess: int = 1) -> int:
    """The smallest number from 1 at which `missed`, which never grows with it, is at most `allowed`."""
    low, high, step = 0, guess, 1
    if missed(guess) <= allowed:
        while (below := high - step) > 0 and missed(below) <= allowed:
            high, step = below, 2 * step
        low = max(0, below)
    else:
        while missed(high) > allowed and high < MOST_RUNNERS:
            low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if missed(middle) <= allowed else (middle, high)
    return high
