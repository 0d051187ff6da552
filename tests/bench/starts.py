"""Judges when jobs start and how many are ahead: `python -m tests.bench.starts [SEEDS]`.

Two simulators: `jobfleet`, kind by kind, and the stories of the demo; both are first-in-first-out. At 5, 20 and 45 min
after the alert it asks for jobs in the front, the middle and the back of the queue, and lives on until they start.
"""

import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.core.jobs.answer import JobsAhead, JobStart
from bot.core.jobs.position import ahead_of
from bot.core.jobs.start import start_of, start_table
from bot.core.pool.outlook import Verdict
from bot.core.pool.pool import Job, Pool, PoolRules, Snapshot, measured
from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.api.listed_jobs import longest_waiting
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import SCENARIOS, Scenario
from bot.playground.fleet.simulation import SimulatedFleet
from tests.bench.drains import ends
from tests.bench.jobfleet.cases import KINDS, Case, case
from tests.bench.jobfleet.exporter import Exporter
from tests.bench.jobfleet.fleet import JobFleet
from tests.bench.jobfleet.stories import BEFORE, MONDAY, NAME, known

ASKED_MINUTES = (5, 20, 45)
"""After the alert."""
PLACES = (0.1, 0.5, 0.9)
"""Of the queue."""
HORIZON = 12 * 3600.0
CLOSE, FEW = 0.2, 2
"""A place is right within a fifth, or within two jobs."""


@dataclass(frozen=True, slots=True)
class StartCase:
    """One job that somebody asked for, and the truth."""

    kind: str
    said: JobStart | None
    ahead: JobsAhead | None
    place: int
    """Jobs that were really ahead."""
    took: float | None
    """Seconds until it started; None: not within the horizon."""

    @property
    def held(self) -> bool | None:
        """Whether it started within what was said; None: nothing was."""
        if self.said is None or self.said.kind is Verdict.NONE:
            return None
        took = float("inf") if self.took is None else self.took
        high = float("inf") if self.said.high_seconds is None else self.said.high_seconds
        low = HORIZON if self.said.low_seconds is None else self.said.low_seconds
        return low - 60 <= took <= high + 60

    @property
    def found(self) -> bool | None:
        """Whether the place is right; None: none was said."""
        if self.ahead is None:
            return None
        said = (self.ahead.low + self.ahead.high) / 2
        return abs(said - self.place) <= max(FEW, CLOSE * self.place)

    @property
    def error(self) -> float | None:
        """Said over real time of the middle, less one."""
        median = self.said.median_seconds if self.said else None
        return None if median is None or not self.took else abs(median / self.took - 1)


def asked(pool: Pool, rules: PoolRules, arrived: float) -> tuple[JobsAhead | None, JobStart | None]:
    """What `/queue job` would say of a job that arrived then."""
    table, ahead = start_table(pool, rules), ahead_of(arrived, pool.samples)
    return ahead, start_of(table, ahead) if ahead and table.starts else None


def of_jobfleet(found: Case) -> Iterator[StartCase]:
    """The jobs of one case."""
    dice = random.Random(f"{found.seed}/until")
    faults = tuple(replace(one, until=min(one.until, ends(found.begin, dice))) for one in found.faults)
    fleet = JobFleet(found.spec, faults, found.seed, found.begin - BEFORE)
    exporter = Exporter(fleet, NAME, found.exporter, MONDAY)
    pool, _ = known(found)
    rules = PoolRules(NAME, boot_time_seconds=round(found.spec.boot))
    alert, due, open_cases = None, 0.0, list[tuple[int, float, JobsAhead | None, JobStart | None, int]]()
    while alert is None or fleet.now < alert + ASKED_MINUTES[-1] * 60 + HORIZON:
        fleet.advance(fleet.now + 60)
        gone = len(fleet.tally.starts)
        yield from (
            StartCase(found.kind, said, ahead, place, fleet.now - at)
            for number, at, ahead, said, place in open_cases if gone > number
        )  # fmt: skip
        open_cases = [one for one in open_cases if gone <= one[0]]
        if alert is not None and fleet.now > alert + ASKED_MINUTES[-1] * 60 and not open_cases:
            return
        if alert is None and fleet.now > found.begin + 5 * 3600:
            return
        if fleet.now < due or (alert is not None and fleet.now > alert + 60 * 60):
            continue
        due, sample = fleet.now + exporter.step, exporter.look()
        pool = measured(pool, sample, sample.at)
        waits = (sample.oldest_wait_seconds or 0) > found.alert_seconds and (sample.queued or 0) > 0
        if alert is None and fleet.now > found.begin and waits:
            alert = fleet.now
        if alert is not None and round((fleet.now - alert) / 60) in ASKED_MINUTES and len(fleet.queue) >= FEW:
            for share in PLACES:
                place = int(share * (len(fleet.queue) - 1))
                ahead, said = asked(pool, rules, fleet.queue[place].arrived + MONDAY)
                open_cases.append((gone + place, fleet.now, ahead, said, place))
    yield from (StartCase(found.kind, said, ahead, place, None) for _, _, ahead, said, place in open_cases)


def of_story(story: Scenario, seed: int) -> Iterator[StartCase]:
    """The jobs of the first affected pool of one story, left alone."""
    name = story.affected[0]
    fleet = SimulatedFleet(story.pools, story.faults, seed, -6 * 3600.0)
    simulated, spec = fleet.pool(name), next(one for one in story.pools if one.name == name)
    rules, pool = PoolRules(name, boot_time_seconds=spec.boot_seconds), Pool(name)
    alert, second = None, -6 * 3600.0
    open_cases = list[tuple[int, float, JobsAhead | None, JobStart | None, int]]()
    while alert is None or second < alert + ASKED_MINUTES[-1] * 60 + HORIZON:
        second += 60
        fleet.advance(second)
        gone = simulated.tally.started
        yield from (
            StartCase(story.name, said, ahead, place, second - at)
            for number, at, ahead, said, place in open_cases if gone > number
        )  # fmt: skip
        open_cases = [one for one in open_cases if gone <= one[0]]
        if alert is not None and second > alert + ASKED_MINUTES[-1] * 60 and not open_cases:
            return
        if alert is None and second > 5 * 3600:
            return
        if alert is not None and second > alert + 3600:
            continue
        pool = measured(pool, _sample(fleet, name, second), second + MONDAY)
        if alert is None and second > 0 and breaches(story.rule, [read(fleet, one) for one in fleet.pools]):
            alert = second
        if alert is not None and round((second - alert) / 60) in ASKED_MINUTES and len(simulated.waiting) >= FEW:
            for share in PLACES:
                place = int(share * (len(simulated.waiting) - 1))
                ahead, said = asked(pool, rules, simulated.waiting[place].queued_at + MONDAY)
                open_cases.append((gone + place, second, ahead, said, place))
    yield from (StartCase(story.name, said, ahead, place, None) for _, _, ahead, said, place in open_cases)


def _sample(fleet: SimulatedFleet, name: str, second: float) -> Snapshot:
    now = read(fleet, name)
    listed = tuple(Job(one.job, one.seconds) for one in longest_waiting(fleet, name))
    return Snapshot(
        name, second + MONDAY, now.queued, now.oldest_wait_seconds, now.busy, now.idle, now.offline, now.limit,
        now.booting, now.arrivals_per_minute, now.starts_per_minute, now.completions_per_minute,
        now.duration_p50_seconds, waiting=listed,
    )  # fmt: skip


def row(name: str, found: Sequence[StartCase]) -> str:
    """Share held, median error and share of right places of one kind."""
    held = [one.held for one in found if one.held is not None]
    errors = [one.error for one in found if one.error is not None]
    places = [one.found for one in found if one.found is not None]

    def share(values: Sequence[bool]) -> str:
        return f"{sum(values) / len(values):6.0%}" if values else "     –"

    middle = f"{statistics.median(errors):6.0%}" if errors else "     –"
    return f"{name:24} {len(found):5} {share(held)} {middle} {share(places)}"


def main() -> None:
    """Print the table: jobs, share that started within the range, median error, places right."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(f"{'kind':24} {'jobs':>5} {'held':>6} {'error':>6} {'place':>6}")
    suites: dict[str, list[StartCase]] = defaultdict(list)
    for kind in KINDS:
        found = [one for number in range(seeds) for one in of_jobfleet(case(kind, number, "starts"))]
        suites["jobfleet"] += found
        if found:
            print(row(kind, found), flush=True)
    for story in SCENARIOS.values():
        if story.affected:
            found = [one for seed in range(seeds) for one in of_story(story, seed)]
            suites["stories"] += found
            if found:
                print(row(story.name, found), flush=True)
    for name, every in suites.items():
        print(row(f"all of {name}", every))


if __name__ == "__main__":
    main()
