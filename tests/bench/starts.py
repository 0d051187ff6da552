"""Judges when jobs start and how many are ahead: `python -m tests.bench.starts [SEEDS]`.

Every suite has its own simulator: `jobfleet`, kind by kind, with made-up pushes, with loads beyond the limit and with
real pushes (`trace`); `rough`; and the stories of the demo. All serve the oldest job first. At 5, 20 and 45 min after
the alert it asks for jobs in the front, the middle and the back of the queue, and lives on until they start.
"""

import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bot.context.causes import told_by_cause
from bot.core.finding import Moment
from bot.core.forecast.forecast import ForecastInputs, forecast
from bot.core.jobs.answer import JobsAhead, JobStart
from bot.core.jobs.position import ahead_of
from bot.core.jobs.start import start_of, start_table
from bot.core.pool.history import usual_ahead
from bot.core.pool.outlook import Verdict
from bot.core.pool.pool import Job, Pool, PoolRules, Snapshot, measured
from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.api.listed_jobs import longest_waiting
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import SCENARIOS, Scenario
from bot.playground.fleet.simulation import SimulatedFleet
from tests.bench import rough
from tests.bench.drains import JobWorld
from tests.bench.fleet_eye import Eye
from tests.bench.jobfleet.cases import KINDS, LOADS, Case, case
from tests.bench.jobfleet.stories import MONDAY, NAME, known
from tests.bench.stories import PAST_SECONDS

ASKED_MINUTES = (5, 20, 45)
"""After the alert."""
PLACES = (0.1, 0.5, 0.9)
"""Of the queue."""
HORIZON = 12 * 3600.0
LATEST = 5 * 3600.0
"""A trouble without an alert until then has none."""
CLOSE, FEW = 0.2, 2
"""A place is right within a fifth, or within two jobs."""
WEEKS = 4
"""That every other pool of `rough` knows of."""


@dataclass(frozen=True, slots=True)
class StartCase:
    """One job that somebody asked for, and the truth."""

    shown: JobStart | None
    ahead: JobsAhead | None
    place: int
    """Jobs that were really ahead."""
    alike: tuple[int, int]
    """The first and the last place of the jobs that came in the same moment: nothing tells their order."""
    took: float | None
    """Seconds until it started; None: not within the horizon."""

    @property
    def held(self) -> bool | None:
        """Whether it started within what was said; None: nothing was."""
        if self.shown is None or self.shown.kind is Verdict.NONE:
            return None
        took = float("inf") if self.took is None else self.took
        high = float("inf") if self.shown.high_seconds is None else self.shown.high_seconds
        low = HORIZON if self.shown.low_seconds is None else self.shown.low_seconds
        return low - 60 <= took <= high + 60

    def found(self, *, among_alike: bool = False) -> bool | None:
        """Whether the place is right, or that of a job which came in the same moment; None: none was said."""
        if self.ahead is None:
            return None
        shown, (first, last) = (self.ahead.low + self.ahead.high) / 2, self.alike
        place = min(max(shown, first), last) if among_alike else self.place
        return abs(shown - place) <= max(FEW, CLOSE * place)

    @property
    def inside(self) -> bool | None:
        """Whether the place is in the range that was said."""
        return None if self.ahead is None else self.ahead.low <= self.place <= self.ahead.high

    @property
    def error(self) -> float | None:
        """Said over real time of the middle, less one."""
        median = self.shown.median_seconds if self.shown else None
        return None if median is None or not self.took else abs(median / self.took - 1)


class World(Protocol):
    """A simulated pool; its trouble begins at second 0."""

    @property
    def now(self) -> float:
        """Seconds since then."""

    def minute(self) -> Snapshot | None:
        """Live one minute; the sample, if there is a new one."""

    def fires(self) -> bool:
        """Whether the alert fires now."""

    def in_order(self) -> Sequence[tuple[object, float]]:
        """(job, when it came in the time of the samples) of all that wait, in the order of service."""


class OfJobs(JobWorld):
    """A case of `jobfleet`."""

    def __init__(self, found: Case) -> None:
        super().__init__(found)
        self._alert_seconds = found.alert_seconds

    def fires(self) -> bool:
        """As its alert rule says."""
        return self.waits() > self._alert_seconds

    def in_order(self) -> list[tuple[object, float]]:
        """See `World`."""
        return [(one, one.arrived + MONDAY) for one in self.fleet.queue]


class OfRough(rough.Rough):
    """A case of `rough`."""

    def fires(self) -> bool:
        """As its alert rule says."""
        return self.waits() > 60 * self.spec.alert_minutes and self.waiting() > self.spec.floor

    def in_order(self) -> list[tuple[object, float]]:
        """See `World`."""
        return [(one, one[0]) for one in self.queue]


class OfStory:
    """The first affected pool of a story, left alone."""

    def __init__(self, story: Scenario, seed: int) -> None:
        self.name, self._rule, self.now = story.affected[0], story.rule, -PAST_SECONDS
        self._fleet = SimulatedFleet(story.pools, story.faults, seed, self.now)
        self._eye = Eye(self._fleet, self.name)

    def minute(self) -> Snapshot:
        """See `World`."""
        self.now += 60
        self._fleet.advance(self.now)
        listed = tuple(Job(one.job, one.seconds) for one in longest_waiting(self._fleet, self.name))
        return replace(self._eye.look(), at=self.now + MONDAY, waiting=listed)

    def fires(self) -> bool:
        """As the rule of the demo says."""
        return bool(breaches(self._rule, [read(self._fleet, one) for one in self._fleet.pools]))

    def in_order(self) -> list[tuple[object, float]]:
        """See `World`."""
        return [(one, one.queued_at + MONDAY) for one in self._fleet.pools[self.name].waiting]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job that somebody asked for, until it starts."""

    job: object
    asked_at: float
    case: StartCase


def asked_for(world: World, pool: Pool, rules: PoolRules) -> Iterator[StartCase]:
    """The jobs that people ask for after the alert; none without one."""
    alert, seen, waiting = None, world.now, list[Waiting]()
    while alert is None or world.now < alert + ASKED_MINUTES[-1] * 60 + HORIZON:
        sample, minute = world.minute(), None if alert is None else round((world.now - alert) / 60)
        if waiting:
            still = {id(job) for job, _ in world.in_order()}
            yield from (replace(one.case, took=world.now - one.asked_at) for one in waiting if id(one.job) not in still)
            waiting = [one for one in waiting if id(one.job) in still]
        if minute is not None and minute > ASKED_MINUTES[-1]:
            if not waiting:
                return
            continue
        if alert is None and world.now > LATEST:
            return
        if sample is not None:
            pool, seen = measured(pool, sample, sample.at), world.now
            if alert is None and world.now > 0 and world.fires():
                alert = world.now
        if minute in ASKED_MINUTES:
            waiting += _asked(world, pool, rules, world.now - seen)
    yield from (one.case for one in waiting)


def _asked(world: World, pool: Pool, rules: PoolRules, age: float) -> Iterator[Waiting]:
    """What `/queue job` says of jobs in several places; the newest sample is so many seconds old."""
    jobs, table = world.in_order(), start_table(with_outlook(pool, rules), rules)
    for share in PLACES if len(jobs) >= FEW else ():
        place = int(share * (len(jobs) - 1))
        job, came = jobs[place]
        same = [number for number, (_, other) in enumerate(jobs) if other == came]
        ahead = ahead_of(came, pool.samples)
        shown = start_of(table, ahead) if ahead and table.starts else None
        yield Waiting(job, world.now, StartCase(_from_now(shown, age), ahead, place, (same[0], same[-1]), None))


def with_outlook(pool: Pool, rules: PoolRules) -> Pool:
    """With the forecast that the product keeps beside the newest sample: it says whether supply stands still."""
    last = pool.latest
    if last is None:
        return pool
    says = told_by_cause(pool, rules, Moment(last.at, 60.0))
    inputs = ForecastInputs(told=says)
    return replace(pool, outlook=forecast(pool.samples, rules, ahead=pool.ahead, day=pool.day, inputs=inputs))


def _from_now(shown: JobStart | None, age: float) -> JobStart | None:
    if shown is None:
        return None
    low, median, high = (
        None if end is None else max(0.0, end - age)
        for end in (shown.low_seconds, shown.median_seconds, shown.high_seconds)
    )
    return replace(shown, low_seconds=low, median_seconds=median, high_seconds=high)


def of_jobs(kind: str, seed: int, suite: str) -> Iterator[StartCase]:
    """The jobs of one case of `jobfleet`."""
    found = case(kind, seed, suite)
    rules = PoolRules(NAME, boot_time_seconds=round(found.spec.boot))
    return asked_for(OfJobs(found), known(found)[0], rules)


def of_rough(kind: str, seed: int) -> Iterator[StartCase]:
    """The jobs of one case of `rough`."""
    one = rough.spec(seed, kind)
    ahead = usual_ahead(rough.past(one, WEEKS * (seed % 2)), int(-rough.BEFORE // rough.HOUR))
    return asked_for(OfRough(one), Pool("rough", ahead=ahead), one.rules)


def of_story(story: Scenario, seed: int) -> Iterator[StartCase]:
    """The jobs of the first affected pool of a story."""
    world = OfStory(story, seed)
    spec = next(one for one in story.pools if one.name == world.name)
    return asked_for(world, Pool(world.name), PoolRules(world.name, boot_time_seconds=spec.boot_seconds))


def row(name: str, found: Sequence[StartCase]) -> str:
    """Shares of one kind, see `HEAD`."""
    errors = [one.error for one in found if one.error is not None]

    def share(values: Iterator[bool | None]) -> str:
        told = [value for value in values if value is not None]
        return f"{sum(told) / len(told):6.0%}" if told else "     –"

    return " ".join((
        f"{name:32} {len(found):5}",
        share(one.held for one in found),
        f"{statistics.median(errors):6.0%}" if errors else "     –",
        share(one.found() for one in found),
        share(one.found(among_alike=True) for one in found),
        share(one.inside for one in found),
    ))  # fmt: skip


HEAD = f"{'kind':32} {'jobs':>5} {'held':>6} {'error':>6} {'place':>6} {'alike':>6} {'range':>6}"
"""Jobs; share that started within the range of times; median error; places right, and where those that came in the same
moment count as well; places within the range of places."""


def cases(seeds: int) -> Iterator[tuple[str, str, list[StartCase]]]:
    """(suite, kind, its jobs)."""
    for title, kinds, suite in (
        ("made-up jobs", KINDS, "starts"),
        ("matrices and release days", LOADS, "starts"),
        ("real jobs", KINDS, "trace/starts"),
    ):
        for kind in kinds:
            yield title, kind, [one for seed in range(seeds) for one in of_jobs(kind, seed, suite)]
    for kind in rough.KINDS:
        yield "rough simulator", kind, [one for seed in range(seeds) for one in of_rough(kind, seed)]
    for story in SCENARIOS.values():
        if story.affected:
            yield "stories of the demo", story.name, [one for seed in range(seeds) for one in of_story(story, seed)]


def main() -> None:
    """Print the table."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    suites: dict[str, list[StartCase]] = defaultdict(list)
    for title, kind, found in cases(seeds):
        if title not in suites:
            print(f"\n{title}\n{HEAD}")
        suites[title] += found
        if found:
            print(row(kind, found), flush=True)
    print(f"\n{HEAD}")
    for title, found in suites.items():
        print(row(title, found))


if __name__ == "__main__":
    main()
