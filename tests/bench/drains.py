"""Lives incidents of two simulators to their drain: what was measured when a forecast was made, and what came.

`rough.py` is the one that the forecast was fitted on; `jobfleet` was written by somebody else and only judges.
"""

import copy
import math
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.core.pool.history import usual_ahead
from bot.core.pool.hour_stats import ExpectedHour
from bot.core.pool.pool import PoolRules, Snapshot
from tests.bench.jobfleet import cases, stories
from tests.bench.jobfleet.exporter import Exporter
from tests.bench.jobfleet.fleet import JobFleet
from tests.bench.rough import HOUR, MINUTE, Rough, past, spec

ASKED_MINUTES = (0, 15, 45)
"""When a forecast is made, after the alert."""
HORIZON = 12 * HOUR
KEPT = 240
"""Samples."""
IN_A_ROW = 3
"""Minutes that show a drain, as in `timing.drained_samples`."""
WEEKS = (0, 4)


class JobWorld:
    """A case of the other simulator; its troubles end, after 110 minutes in the median."""

    def __init__(self, found: cases.Case) -> None:
        dice = random.Random(f"{found.seed}/until")
        late = [ends(found.begin, dice) for _ in found.faults]
        faults = tuple(
            replace(f, until=end if math.isinf(f.until) else f.until) for f, end in zip(found.faults, late, strict=True)
        )
        self.begin, self._due = found.begin, 0.0
        self.fleet = JobFleet(found.spec, faults, found.seed, found.begin - stories.BEFORE)
        self._exporter = Exporter(self.fleet, stories.NAME, found.exporter, stories.MONDAY)
        self.now = -stories.BEFORE
        """Seconds since the trouble began."""

    def minute(self) -> Snapshot | None:
        """Live one minute; the exporter's sample if it has a new one."""
        self.fleet.advance(self.fleet.now + MINUTE)
        self.now = self.fleet.now - self.begin
        if self.fleet.now < self._due:
            return None
        self._due = self.fleet.now + self._exporter.step
        return self._exporter.look()

    def waits(self) -> float:
        """Seconds that the oldest job has waited."""
        return self.fleet.now - self.fleet.queue[0].arrived if self.fleet.queue else 0.0

    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self.fleet.queue)

    def add(self, runners: int) -> None:
        """More runners, as by a scale-up."""
        self.fleet.add(runners)


World = Rough | JobWorld
"""A simulated pool; trouble begins at second 0."""
Other = Callable[[World], World]
"""Makes another future of a world's present moment."""


@dataclass(frozen=True)
class Case:
    """One forecast to make, and the truth."""

    rules: PoolRules
    series: tuple[Snapshot, ...]
    ahead: tuple[tuple[ExpectedHour, ...], ...]
    """Expectations with each of WEEKS."""
    actual: float
    """Seconds until the queue was short, or the wait normal; at most HORIZON."""
    futures: tuple[float, ...] = ()
    """Seconds until the drain in other futures of the same moment, or with each of `more` runners."""


def lived(
    world: World, rules: PoolRules, alert_seconds: float, others: Sequence[Other] = ()
) -> Iterator[tuple[tuple[Snapshot, ...], float, tuple[float, ...]]]:
    """(samples, seconds until the drain, the same seconds in `others`) of each forecast.

    None without an alert in six hours.
    """
    series, short = deque[Snapshot](maxlen=KEPT), 0
    asked: list[tuple[tuple[Snapshot, ...], float, tuple[float, ...]]] = []
    alert: float | None = None
    while world.now < 6 * HOUR or alert is not None:
        sample = world.minute()
        series += [sample] if sample else []
        if alert is None and not (world.now > 0 and world.waits() > alert_seconds and world.waiting() > rules.floor):
            continue
        alert = world.now if alert is None else alert
        short = short + 1 if drained(world, rules) else 0
        late = world.now - alert >= HORIZON + ASKED_MINUTES[-1] * MINUTE
        if short >= IN_A_ROW or late:
            end = world.now - (0 if late else (IN_A_ROW - 1) * MINUTE)
            yield from ((kept, min(HORIZON, end - at), drains) for kept, at, drains in asked if at < end)
            return
        if round((world.now - alert) / MINUTE) in ASKED_MINUTES and not short:
            asked.append((tuple(series), world.now, tuple(drained_after(other(world), rules) for other in others)))


def drained_after(world: World, rules: PoolRules) -> float:
    """Seconds until the drain."""
    begun, short = world.now, 0
    while short < IN_A_ROW and world.now - begun < HORIZON:
        world.minute()
        short = short + 1 if drained(world, rules) else 0
    return world.now - begun - (IN_A_ROW - 1) * MINUTE * (short >= IN_A_ROW)


def drained(world: World, rules: PoolRules) -> bool:
    """Whether the queue is short, or its longest wait normal."""
    return world.waiting() <= rules.floor or world.waits() <= rules.normal_wait_seconds


def more(runners: int) -> Other:
    """The same future with so many more runners."""

    def helped(world: World) -> World:
        other = copy.deepcopy(world)
        other.add(runners)
        return other

    return helped


def rough_cases(seed: int, others: Sequence[Other] = ()) -> Iterator[Case]:
    """The forecasts of an incident of the rough simulator."""
    one = spec(seed)
    for series, actual, drains in lived(Rough(one), one.rules, one.alert_minutes * MINUTE, others):
        ahead = tuple(usual_ahead(past(one, weeks), int(series[-1].at // HOUR)) for weeks in WEEKS)
        yield Case(one.rules, series, ahead, actual, drains)


def another(number: int) -> Other:
    """Other luck: a trouble that has not ended yet ends some time, as likely as at first."""

    def lucky(world: World) -> World:
        other = copy.deepcopy(world)
        if isinstance(other, Rough):
            other.change_luck(f"future/{number}")
            return other
        fleet = other.fleet
        fleet.dice.seed(f"future/{number}")
        fleet.pushes.seed(f"future/{number}/pushes")
        later = (ends(other.begin, fleet.dice, fleet.now) for _ in fleet.faults)
        fleet.faults = tuple(
            replace(f, until=end) if fleet.now < f.until else f for f, end in zip(fleet.faults, later, strict=True)
        )
        return other

    return lucky


def ends(begin: float, dice: random.Random, after: float = 0.0) -> float:
    """When a trouble of that time ends, given that it has lasted until `after`."""
    while (end := begin + dice.lognormvariate(math.log(110), 0.8) * MINUTE) <= after:
        pass
    return end


def job_cases(kind: str, number: int, suite: str, others: Sequence[Other] = ()) -> Iterator[Case]:
    """The forecasts of a case of the other simulator."""
    found = cases.case(kind, number, suite)
    rules = PoolRules(stories.NAME, boot_time_seconds=round(found.spec.boot))
    for series, actual, drains in lived(JobWorld(found), rules, found.alert_seconds, others):
        ahead = tuple(stories.known(replace(found, weeks=weeks), 0.0)[0].ahead for weeks in WEEKS)
        yield Case(rules, series, ahead, actual, drains)
