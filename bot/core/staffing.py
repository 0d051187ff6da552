"""How many runners would have kept the wait under a target: by queueing theory, and by a replay of recorded hours.

Theory: M/M/c, jobs at random instants, job times exponential, first come first served, in equilibrium within each hour
(A. K. Erlang 1917; the recursion of the loss formula, and `P(W > t) = C e^(-(c - a) t / h)`: R. B. Cooper, Introduction
to Queueing Theory, 2nd ed. 1981, chapter 3). Replay: the recorded number of jobs of each hour at random instants of
that hour, job times lognormal, and what is left over goes into the next hour. Both take every runner up to the limit as
there; what a runner needs to start belongs into `hold_seconds` and off the target.
"""

import heapq
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from bot.core.flow import MEAN_OVER_MEDIAN

SHARE = 0.95
"""Of the jobs, that shall start within the target."""
MARGIN = 1.05
"""The number also does for so much more work: rates are averages of minutes, and the next weeks are not the last."""
MOST_RUNNERS = 20_000
MOST_REPLAYED = 30_000
"""Jobs of one replay; above, theory alone is asked (a replay takes about a second for a million jobs and limits)."""
SPREAD = math.sqrt(2 * math.log(MEAN_OVER_MEDIAN))
"""Standard deviation of the logarithm of job times, by which their mean lies that far above their median."""


class Method(StrEnum):
    """How a number was found, in words."""

    THEORY = "queueing theory (Erlang C, each hour in equilibrium)"
    REPLAY = "a replay of the recorded hours"


@dataclass(frozen=True, slots=True)
class Demand:
    """The work of one recorded hour, or of the part of it that was measured."""

    at: float
    """Its beginning, epoch seconds."""
    arrivals: float
    """Jobs that arrived in it."""
    hold_seconds: float
    """How long a job keeps a runner's place on average: its own time, and where every job gets a new one, its boot."""
    seconds: float = 3600.0

    @property
    def load(self) -> float:
        """Runners that this work keeps busy on average, in erlangs."""
        return self.arrivals * self.hold_seconds / self.seconds


@dataclass(frozen=True, slots=True)
class Staffing:
    """The fewest runners that would have kept the target, and how that was found."""

    runners: int
    method: Method
    late_share: float
    """Of the jobs, 0 to 1, that would still have waited longer than the target."""
    jobs: int


def erlang_b(runners: int, load: float) -> float:
    """The share of jobs that find all runners busy, if none of them waited; `load` in erlangs."""
    blocked = 1.0
    for number in range(1, runners + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked


def erlang_c(runners: int, load: float) -> float:
    """The share of jobs that have to wait; 1 when the work is more than the runners can do."""
    if load <= 0:
        return 0.0
    if load >= runners:
        return 1.0
    blocked = erlang_b(runners, load)
    return runners * blocked / (runners - load * (1 - blocked))


def late(runners: int, demand: Demand, target_seconds: float) -> float:
    """The share of an hour's jobs that wait longer than the target, in equilibrium; 1 when there is none."""
    if demand.load >= runners:
        return 1.0 if demand.load > 0 else 0.0
    spare = (runners - demand.load) / demand.hold_seconds if demand.hold_seconds > 0 else math.inf
    return erlang_c(runners, demand.load) * math.exp(-spare * target_seconds)


def late_by_theory(demands: Sequence[Demand], runners: int, target_seconds: float) -> float:
    """The share of all these hours' jobs that wait longer than the target; 0 when there are no jobs."""
    jobs = sum(demand.arrivals for demand in demands)
    return sum(d.arrivals * late(runners, d, target_seconds) for d in demands) / jobs if jobs else 0.0


def late_by_replay(demands: Sequence[Demand], runners: int, target_seconds: float, lead: int = 0) -> float:
    """The same by serving the very same jobs again with so many runners; the first `lead` hours only fill them.

    The jobs of an hour are drawn anew from the hour itself, so a replay is the same each time and, since all numbers of
    runners serve the same jobs in the same order, never later with more of them (Kiefer and Wolfowitz 1955).
    """
    counted = demands[lead].at if lead < len(demands) else math.inf
    free = [0.0] * runners
    jobs = beyond = 0
    for at, takes in _jobs(demands):
        starts = max(at, free[0]) if free else math.inf
        if free:
            heapq.heapreplace(free, starts + takes)
        jobs += at >= counted
        beyond += at >= counted and starts - at > target_seconds
    return beyond / jobs if jobs else 0.0


def _jobs(demands: Sequence[Demand]) -> list[tuple[float, float]]:
    """(arrival, seconds that it keeps a place) in order; fractions of a job go over into the next hour."""
    found: list[tuple[float, float]] = []
    rest = 0.0
    for demand in demands:
        dice = random.Random(f"{demand.at:.0f}")  # noqa: S311 - draws jobs, not secrets
        rest += demand.arrivals
        number, middle = int(rest), demand.hold_seconds / MEAN_OVER_MEDIAN
        rest -= number
        for at in sorted(demand.at + demand.seconds * dice.random() for _ in range(number)):
            found.append((at, middle * math.exp(SPREAD * dice.gauss(0.0, 1.0))))
    return found


def connected(demands: Sequence[Demand]) -> bool:
    """Whether each hour begins where the one before it ends, so that what is left over can be carried on."""
    return all(abs(b.at - a.at - a.seconds) < 1 for a, b in pairwise(demands))


def fewest(stretches: Sequence[tuple[Sequence[Demand], int]], target_seconds: float, share: float = SHARE) -> Staffing:
    """The fewest runners with which at most `1 - share` of the jobs wait longer than the target, with MARGIN to spare.

    A stretch is hours in a row with the number of those that only lead in. By replay where every stretch is connected
    and they are not too long, else by theory. `late_share` is that of the work as it was recorded.
    """
    counted = [demand for hours, lead in stretches for demand in hours[lead:]]
    jobs = round(sum(demand.arrivals for demand in counted))
    replayable = all(connected(hours) for hours, _ in stretches)
    if replayable and 0 < sum(d.arrivals for hours, _ in stretches for d in hours) <= MOST_REPLAYED:
        method = Method.REPLAY
    else:
        method = Method.THEORY

    more = [([replace(d, hold_seconds=MARGIN * d.hold_seconds) for d in hours], lead) for hours, lead in stretches]
    runners = least(lambda number: late_share(more, number, target_seconds, method), 1 - share)
    return Staffing(runners, method, late_share(stretches, runners, target_seconds, method), jobs)


def late_share(
    stretches: Sequence[tuple[Sequence[Demand], int]], runners: int, target_seconds: float, method: Method
) -> float:
    """The share of the stretches' jobs that wait longer than the target with so many runners."""
    parts = []
    for hours, lead in stretches:
        jobs = sum(demand.arrivals for demand in hours[lead:])
        if method is Method.REPLAY:
            parts.append((jobs, late_by_replay(hours, runners, target_seconds, lead)))
        else:
            parts.append((jobs, late_by_theory(hours[lead:], runners, target_seconds)))
    whole = sum(jobs for jobs, _ in parts)
    return sum(jobs * missed for jobs, missed in parts) / whole if whole else 0.0


def least(missed: Callable[[int], float], allowed: float) -> int:
    """The smallest number at which `missed`, which never grows with it, is at most `allowed`."""
    low, high = 0, 1
    while missed(high) > allowed and high < MOST_RUNNERS:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if missed(middle) <= allowed else (middle, high)
    return high
