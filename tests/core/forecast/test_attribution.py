"""The backlog is attributed to what differs from the usual, and the parts add up to the queue."""

from dataclasses import replace

import pytest

from bot.core.forecast.attribution import attributed
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import baseline_of
from bot.core.pool.hour_stats import DayStats
from bot.core.pool.pool import Snapshot

START = 1_800_000_000.0
CALM = Snapshot("p", START, queued=0, oldest_wait_seconds=0.0, busy=20, idle=0, offline=0, limit=30,
                arrivals_per_minute=2.0, starts_per_minute=2.0, completions_per_minute=2.0)  # fmt: skip


def lived(**trouble: float) -> tuple[Snapshot, ...]:
    """Four calm hours, then an hour in which the queue grows by two jobs a minute."""
    calm = [replace(CALM, at=START + 60 * n) for n in range(240)]
    late = [
        replace(CALM, at=START + 60 * (240 + n), queued=2 * n, oldest_wait_seconds=60.0 * n, **trouble)  # type: ignore[arg-type]
        for n in range(1, 61)
    ]
    return (*calm, *late)


@pytest.mark.parametrize(
    ("factor", "trouble"),
    [
        (Factor.ARRIVALS, {"arrivals_per_minute": 4.0, "limit": 20}),
        (Factor.LIMIT, {"limit": 10, "busy": 10, "starts_per_minute": 1.0, "completions_per_minute": 1.0}),
        (Factor.OFFLINE, {"offline": 20, "busy": 10, "starts_per_minute": 1.0, "completions_per_minute": 1.0}),
        (Factor.SUPPLY, {"busy": 3, "starts_per_minute": 0.3, "completions_per_minute": 0.3}),
        (Factor.DURATION, {"limit": 20, "starts_per_minute": 0.2, "completions_per_minute": 0.2}),
    ],
)
def test_the_factor_that_changed_has_most_of_the_jobs(factor: Factor, trouble: dict[str, float]) -> None:
    series = lived(**trouble)
    parts = attributed(series, baseline_of(series, 300.0)).parts
    assert sum(parts.values()) == series[-1].queued
    assert next(iter(parts)) is factor, parts


def day_of(most: float) -> DayStats:
    """A day with so many jobs a minute in its busiest hours."""
    return DayStats(2.0, most, 600.0)


def test_many_jobs_at_once_count_although_no_more_came_in_all() -> None:
    """180 came in ten minutes and wait for 90 min: busy hours would have brought as many in all that time."""
    at_once = [
        replace(s, queued=min(180, 18 * (n - 239)), oldest_wait_seconds=60.0 * (n - 239), limit=20, at=START + 60 * n,
                arrivals_per_minute=20.0 if n < 250 else 2.0)
        for n, s in enumerate([CALM] * 340) if n >= 240
    ]  # fmt: skip
    series = (*lived()[:240], *at_once)
    assert next(iter(attributed(series, baseline_of(series, 300.0, day=day_of(3.0))).parts)) is Factor.ARRIVALS
    evenly = tuple(replace(s, arrivals_per_minute=3.5) if s.queued else s for s in series)
    assert Factor.ARRIVALS not in attributed(evenly, baseline_of(evenly, 300.0, day=day_of(3.0))).parts


@pytest.mark.parametrize(("busy", "booting", "supply"), [(20, 10, False), (8, 22, True)])
def test_machines_that_boot_as_ever_are_not_lacking(busy: int, booting: int, supply: bool) -> None:
    """Where each job boots its own, a third of a full pool boots; when boots last longer, machines are lacking."""
    flow = {"starts_per_minute": busy / 10, "completions_per_minute": busy / 10}
    series = tuple(replace(s, booting=10) for s in lived()[:240])
    series += lived(busy=busy, booting=booting, **flow)[240:]
    parts = attributed(series, baseline_of(series, 300.0)).parts
    assert (Factor.SUPPLY in parts) is supply, parts


@pytest.mark.parametrize(("busy", "factor"), [(20, Factor.UNKNOWN), (5, Factor.SUPPLY)])
def test_without_a_limit_only_runners_that_the_pool_had_are_lacking(busy: int, factor: Factor) -> None:
    """Whether further ones were refused or not allowed cannot be told."""
    flow = {"starts_per_minute": busy / 10, "completions_per_minute": busy / 10}
    series = tuple(replace(s, limit=None) for s in lived(busy=busy, **flow))
    assert next(iter(attributed(series, baseline_of(series, 300.0)).parts)) is factor


def test_two_samples_of_one_time_are_no_step() -> None:
    series = lived(arrivals_per_minute=4.0, limit=20, booting=3)
    twice = (*series, series[-1])
    assert sum(attributed(twice, baseline_of(twice, 300.0)).parts.values()) == series[-1].queued


def test_without_rates_nothing_is_attributed() -> None:
    series = tuple(
        replace(s, arrivals_per_minute=None, starts_per_minute=None, completions_per_minute=None) for s in lived()
    )
    assert attributed(series, baseline_of(series, 300.0)).parts == {}
    assert attributed((), baseline_of((), 300.0)).parts == {}


def test_runners_that_came_in_a_rush_are_not_lost() -> None:
    busy = [20 + 8 * min(10, max(0, n - 170)) for n in range(241)]
    series = tuple(
        replace(s, busy=busy[n], starts_per_minute=2 + (busy[n] - busy[max(0, n - 10)]) / 10)
        for n, s in enumerate(lived()[:241])
    )
    assert attributed(series, baseline_of(series, 300.0)).lost == 0.0
    dying = tuple(replace(s, starts_per_minute=4.0) for s in lived()[:241])
    assert (attributed(dying, baseline_of(dying, 300.0)).lost or 0.0) > 0.4


def test_old_jobs_of_a_pool_with_short_and_long_ones_do_not_hang() -> None:
    """After a push the short jobs end and the long ones are left: the mean is that of the others, not the median."""
    shares = {}
    for p50 in (600.0, 90.0):
        calm = [replace(CALM, at=START + 60 * n, duration_p50_seconds=p50) for n in range(240)]
        slow = {"starts_per_minute": 0.0, "arrivals_per_minute": 0.0, "completions_per_minute": 0.25}
        left = [replace(calm[-1], at=START + 60 * (240 + n), queued=5, busy=20 - n // 4, **slow) for n in range(1, 26)]  # type: ignore[arg-type]
        series = (*calm, *left)
        shares[p50] = attributed(series, baseline_of(series, 300.0)).late
    assert shares[90.0] == 0.0 < (shares[600.0] or 0.0), shares


def test_a_usual_duration_of_few_pushes_is_doubtful() -> None:
    """Jobs of one push are alike: as many jobs in some large pushes tell less of how long a job takes."""
    hung = lived(limit=20, starts_per_minute=0.8, completions_per_minute=0.8)
    pushes = tuple(replace(s, arrivals_per_minute=20.0 if n % 100 < 10 else 0.0) for n, s in enumerate(hung))
    known = [(series, baseline_of(series, 300.0)) for series in (hung, pushes)]
    doubts, late = zip(*((one.doubt, attributed(series, one).late or 0.0) for series, one in known if one), strict=True)
    assert doubts[0] < 0.1 < doubts[1]
    assert late[0] > 0.25 > late[1]


def test_trouble_that_began_hours_before_its_queue_is_not_usual() -> None:
    """A pool with slack hides slow jobs, lost hosts and a lower limit until the rush comes."""
    worse = {"completions_per_minute": 0.7, "offline": 6, "limit": 24}
    series = tuple(replace(s, **worse) if n >= 80 else s for n, s in enumerate(lived()))  # type: ignore[arg-type]
    usual = baseline_of(series, 300.0, day=DayStats(duration_seconds=700.0))
    assert (usual.duration, usual.offline, usual.limit) == (700.0, 0.0, 30.0)
    swift = baseline_of(lived(), 300.0, day=DayStats(duration_seconds=700.0))
    assert swift.duration == pytest.approx(600.0)


def test_launches_per_job_are_counted_where_both_are() -> None:
    """A source that has counted machines for an hour says nothing of the jobs before it; a few jobs say nothing."""
    old = [replace(s, arrivals_per_minute=9.0) for s in lived()[:180]]
    known = [replace(s, creates=15) for s in lived()[180:]]
    assert baseline_of((*old, *known), 300.0).launches == 0.5
    rare = tuple(replace(s, arrivals_per_minute=0.1) for s in known)
    assert baseline_of((*old, *rare), 300.0).launches is None


def test_where_nobody_counted_launches_those_that_boot_tell_them() -> None:
    """Six that boot for three minutes each, and two jobs a minute: a machine for each job (Little's law)."""
    boots = baseline_of(tuple(replace(s, booting=6, arrivals_per_minute=2.0) for s in lived()), 300.0)
    assert (boots.launches, boots.launched(3.0)) == (None, 1.0)
    counted = baseline_of(tuple(replace(s, booting=6, arrivals_per_minute=2.0, creates=15) for s in lived()), 300.0)
    assert counted.launched(3.0) == counted.launches == 0.5
