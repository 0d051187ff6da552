"""Computes how many runners keep the wait under a target, by a replay of recorded hours.

The recorded number of jobs of each hour arrives in batches of the pool's size at random instants, with lognormal job
times of the pool's spread. Jobs left over go into the next hour. Every runner up to the limit counts as present.
Include a runner's boot time in `hold_seconds`, and subtract it from the target.
"""

import heapq
import math
import random
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.core.pool.baseline import MEAN_OVER_MEDIAN
from bot.core.pool.hour_stats import HOUR_SECONDS

SHARE = 0.95
"""Share of the jobs that should start within the target."""
MARGIN = 1.05
"""Factor on the work, as reserve: rates are averages of minutes, and next weeks differ from the last ones."""
DRAWS = 6
"""Replays that must all keep the target: the very same hours come with other batches and job times."""
MOST_RUNNERS = 20_000
FEW_JOBS = 15_000
"""With more jobs to replay one draw is enough: the chances of single jobs even out, and a person waits."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The work of one recorded hour."""

    at: float
    """Start of the hour, epoch seconds."""
    arrivals: float
    hold_seconds: float
    """Mean time for which a job occupies a runner: its run time, plus the boot time if each job gets a new one."""
    batch: float = 1.0
    """Mean number of jobs that arrive together."""
    mean_over_median: float = MEAN_OVER_MEDIAN
    """Of the job times: how long their tail is."""

    @property
    def load(self) -> float:
        """Mean number of busy runners, in erlangs."""
        return self.arrivals * self.hold_seconds / HOUR_SECONDS


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive hours; the first `lead` fill the runners and are not judged."""

    hours: tuple[Demand, ...]
    lead: int = 0

    @property
    def judged_hours(self) -> tuple[Demand, ...]:
        return self.hours[self.lead :]

    @property
    def arrivals(self) -> float:
        return sum(demand.arrivals for demand in self.judged_hours)


def drawn(stretch: Stretch, draw: int = 0) -> tuple[list[tuple[float, float]], int]:
    """The jobs of a stretch as (arrival, seconds on a runner), in order, and how many of them are not judged.

    They are the same each time; each `draw` has other instants and job times. Fractions of a job are carried into the
    next hour.
    """
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
    return found, skip


def late_share(jobs: Sequence[tuple[float, float]], skip: int, runners: int, target_seconds: float) -> float:
    """Share of the judged jobs that wait longer than the target; 0 without jobs.

    Every number of runners serves the same jobs in the same order, so more runners are never later (J. Kiefer and J.
    Wolfowitz 1955).
    """
    judged = len(jobs) - skip
    if judged <= 0 or runners <= 0:
        return 1.0 if judged > 0 else 0.0
    free, beyond, serve = [0.0] * runners, 0, heapq.heapreplace
    for number, (at, takes) in enumerate(jobs):
        first = free[0]
        starts = max(first, at)
        serve(free, starts + takes)
        if starts - at > target_seconds and number >= skip:
            beyond += 1
    return beyond / judged


def _arrivals(demand: Demand, number: int, dice: random.Random) -> list[float]:
    """Instants of so many jobs in the hour, in order; batches of geometric size come at random."""
    found: list[float] = []
    while len(found) < number:
        at, more = demand.at + HOUR_SECONDS * dice.random(), True
        while more and len(found) < number:
            found.append(at)
            more = dice.random() < 1 - 1 / max(1.0, demand.batch)
    return sorted(found)


def fewest_runners(stretches: Sequence[Stretch], target_seconds: float) -> int:
    """The fewest runners with which at most `1 - SHARE` of the jobs wait longer than the target, with MARGIN."""
    hours = [demand for stretch in stretches for demand in stretch.hours]
    more = [
        replace(s, hours=tuple(replace(d, hold_seconds=MARGIN * d.hold_seconds) for d in s.hours)) for s in stretches
    ]
    draws = DRAWS if sum(demand.arrivals for demand in hours) <= FEW_JOBS else 1
    every = [late_shares(more, target_seconds, draw) for draw in range(draws)]
    guess = max(1, math.ceil(max((demand.load for demand in hours), default=0.0)))
    return smallest_enough(lambda number: max(missed(number) for missed in every), 1 - SHARE, guess)


def late_shares(stretches: Sequence[Stretch], target_seconds: float, draw: int = 0) -> Callable[[int], float]:
    """The share of late jobs in all stretches, as a function of the number of runners; 0 without jobs."""
    replays = [(stretch.arrivals, *drawn(stretch, draw)) for stretch in stretches]
    whole = sum(arrivals for arrivals, *_ in replays)

    def missed(runners: int) -> float:
        late = sum(weight * late_share(jobs, skip, runners, target_seconds) for weight, jobs, skip in replays)
        return late / whole if whole else 0.0

    return missed


def smallest_enough(missed: Callable[[int], float], allowed: float, guess: int) -> int:
    """The smallest number from 1 at which `missed`, which never grows with it, is at most `allowed`."""
    high = guess
    while missed(high) > allowed and high < MOST_RUNNERS:
        high *= 2
    return 1 + bisect_left(range(1, high), True, key=lambda number: missed(number) <= allowed)
