"""Lives a case and records what the product would have kept of its pool, minute by minute."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.core.pool.baseline import first_hour
from bot.core.pool.history import PoolHistory, finished, last_day, remembered, usual_ahead
from bot.core.pool.hour_stats import HOUR_SECONDS, Amount, HourStats
from bot.core.pool.merge import SourceAnswer, taken
from bot.core.pool.pool import Pool, PoolRules, Snapshot
from tests.bench.jobfleet.cases import WEEK, Case
from tests.bench.jobfleet.exporter import Exporter
from tests.bench.jobfleet.fleet import JobFleet

BEFORE = 8 * 3600.0
MINUTE = 60.0
LATEST = 5 * 3600.0
AFTER = 60
"""Minutes that are judged."""
NAME = "linux.2xlarge"
MONDAY = 4 * 86400.0
"""The epoch began on a Thursday; fleet second 0 is a Monday."""
OTHERS = ("linux.small", "macos", "windows")


@dataclass(frozen=True, slots=True)
class Moment:
    """The records at one minute after the alert."""

    minute: int
    now: float
    pools: dict[str, Pool]
    rules: dict[str, PoolRules]


def lived(case: Case) -> Iterator[Moment]:
    """The minutes after the alert; none when no alert came within five hours of the fault."""
    fleet = JobFleet(case.spec, case.faults, case.seed, case.begin - BEFORE)
    exporter = Exporter(fleet, NAME, case.exporter, MONDAY)
    (pool, past), alert = known(case), None
    rules = PoolRules(NAME, boot_time_seconds=round(case.spec.boot))
    quiet = case.begin + case.alert_seconds if not case.faults and case.causes == () else None
    due = 0.0
    while alert is None or fleet.now < alert + AFTER * 60:
        fleet.advance(fleet.now + 60)
        if fleet.now < due:
            pool = replace(pool, tried_at=fleet.now + MONDAY)
        else:
            due, sample = fleet.now + exporter.step, exporter.look()
            pool, past = _seen(pool, past, sample, rules)
            since = case.begin if case.faults else case.begin - 5 * 3600
            waits = (sample.oldest_wait_seconds or 0) > case.alert_seconds and (sample.queued or 0) > 0
            if alert is None and fleet.now > since and (waits if quiet is None else fleet.now >= quiet):
                alert = fleet.now
        if alert is None and fleet.now > case.begin + LATEST:
            return
        if alert is not None:
            now = fleet.now + MONDAY
            pools = {NAME: pool, **{name: beside(name, case, now) for name in OTHERS}}
            every = {name: replace(rules, name=name) for name in pools}
            yield Moment(round((fleet.now - alert) / 60), now, pools, every)


def _seen(pool: Pool, past: PoolHistory, sample: Snapshot, rules: PoolRules) -> tuple[Pool, PoolHistory]:
    """Both as the product keeps them: at each full hour the last one joins the past."""
    after, over = remembered(pool, taken(pool, [SourceAnswer("", sample)], sample.at, MINUTE, rules.floor))
    if not over or after.hour is None:
        return after, past
    past = finished(past, over)
    day = last_day(past, first_hour(after.samples, rules.normal_wait_seconds))
    return replace(after, ahead=usual_ahead(past, after.hour.hour), day=day), past


def known(case: Case, before: float = BEFORE) -> tuple[Pool, PoolHistory]:
    """The pool's record so many seconds before the trouble, with the expectation of its known weeks, and its past."""
    dice, hour = random.Random(f"{case.seed}/weeks"), int((case.begin - before + MONDAY) // HOUR_SECONDS)
    cells = []
    for past in range(hour - max(WEEK * case.weeks, 24), hour):
        mean = 60 * case.spec.rate * case.spec.week[int(past - MONDAY // HOUR_SECONDS) % WEEK]
        pushes = mean / case.spec.batch
        jobs = max(0.0, dice.gauss(mean, 1.4 * case.spec.batch * pushes**0.5)) * dice.lognormvariate(0, 0.1)
        work = Amount(jobs * case.spec.mean, 3600.0)
        cells.append(HourStats(past, 60, 3600.0, Amount(jobs, 3600.0), completions=Amount(jobs, 3600.0), busy=work))
    history = finished(PoolHistory(NAME), tuple(cells))
    return Pool(NAME, ahead=usual_ahead(history, hour), day=last_day(history, hour)), history


def beside(name: str, case: Case, now: float) -> Pool:
    """Another pool: in order, or with idle runners beside its queue."""
    if case.pools == "many":
        sample = Snapshot(name, now, queued=9, oldest_wait_seconds=1900.0, busy=2, idle=6, limit=20)
    else:
        sample = Snapshot(name, now, queued=0, oldest_wait_seconds=0.0, busy=4, idle=2, limit=20)
    return Pool(name, (replace(sample, at=now - 60), sample))
