"""When a warning is given, and how it ends: rows over samples, thresholds and episodes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast import evaluate_warning
from bot.core.forecast.evaluate_warning import (
    CALM_SECONDS,
    REST_SECONDS,
    SURE_SAMPLES,
    Measurement,
    advanced,
    learnt_from,
    reached,
    thresholds,
)
from bot.core.pool.early_warning import Crossing, Ending, Measure, Threshold, WarningHistory
from bot.core.pool.hour_stats import ExpectedHour, Fired
from bot.core.pool.pool import PoolRules, Snapshot
from tests.builders import NOW, POOL, sample

WAIT = Threshold(Measure.WAIT, 1800.0)
SIZE = Threshold(Measure.QUEUED, 50)
RULES = PoolRules(POOL, warn_wait_seconds=1800.0)
FULL: dict[str, Any] = {
    "busy": 40, "idle": 0, "limit": 40, "booting": 0, "arrivals_per_minute": 6.0, "starts_per_minute": 4.0,
    "completions_per_minute": 4.0, "duration_p50_seconds": 536.0, "usual_arrivals_per_minute": 6.0,
}  # fmt: skip
"""A full pool that gets half as much work again as it can do."""


def growing(queued: int, wait: float, measurements: int = 20, **figures: float | None) -> list[Snapshot]:
    """The last minutes of a queue that grows by two jobs a minute."""
    given = {**FULL, **figures}
    return [
        sample(queued - 2 * ago, at=NOW - 60 * ago, **{"oldest_wait_seconds": max(0.0, wait - 30 * ago), **given})
        for ago in reversed(range(measurements))
    ]


def weeks(rate: float | None) -> tuple[ExpectedHour, ...]:
    """Past weeks that always had this rate."""
    return tuple(ExpectedHour(int(NOW // 3600) + n, rate or 0.0, 4) for n in range(3))


def expected(series: Sequence[Snapshot], rules: PoolRules, limits: tuple[Threshold, ...]) -> tuple[Crossing, ...]:
    """What is expected where past weeks had the rate of now."""
    return evaluate_warning.expected(series, rules, limits, weeks(series[-1].arrivals_per_minute if series else 0.0))


def test_nothing_is_expected_before_two_weeks_are_known() -> None:
    """A batch looks like a surge then: a pool with batches got twelve false warnings in a week."""
    series = growing(100, 1500.0, arrivals_per_minute=8.0)
    assert expected(series, RULES, (WAIT,))
    assert evaluate_warning.expected(series, RULES, (WAIT,)) == ()
    assert evaluate_warning.expected(series, RULES, (WAIT,), weeks(8.0)[2:]) == ()


def test_a_growing_queue_of_a_full_pool_is_warned_of() -> None:
    """The wait grows with the queue: the crossing lies inside the interval, and is sure."""
    (found,) = expected(growing(150, 1500.0, starts_per_minute=4.0), RULES, (WAIT,))
    assert found.sure
    assert found.low_seconds < found.mid_seconds
    assert found.high_seconds is None or found.high_seconds > found.mid_seconds
    assert 5 * 60 < found.mid_seconds < 60 * 60


def test_a_burst_that_stands_in_line_ages_as_fast_as_time() -> None:
    """100 jobs came 8 min ago and 2 a minute are started: the oldest is 30 min old in 22 min, whatever else happens."""
    rates = dict.fromkeys(("arrivals_per_minute", "starts_per_minute", "completions_per_minute"), 2.0)
    rates |= {"busy": 20, "limit": 20}
    series = [sample(0, at=NOW - 60 * ago, **{**FULL, **rates}) for ago in range(20, 8, -1)]
    series += [sample(100, at=NOW - 60 * ago, **{**FULL, **rates, "oldest_wait_seconds": 60.0 * (8 - ago)})
               for ago in range(8, -1, -1)]  # fmt: skip
    (found,) = expected(series, RULES, (WAIT,))
    assert found.sure
    assert found.mid_seconds == pytest.approx(22 * 60, abs=120)


@pytest.mark.parametrize(
    "series",
    [
        [],
        growing(60, 120.0),
        growing(60, 900.0, arrivals_per_minute=None),
        [replace(one, queued=120 - (one.queued or 0)) for one in growing(60, 900.0, arrivals_per_minute=1.0)],
        [sample(0, at=NOW - 60 * n, **FULL) for n in (2, 1, 0)],
        growing(60, 1800.0),
    ],
    ids=["no sample", "normal wait", "no arrivals known", "drains", "empty", "crossed already"],
)
def test_nothing_is_expected_without_reason(series: list[Snapshot]) -> None:
    """Unknown rates, normal waits and queues that drain give no warning; what is crossed needs none."""
    assert expected(series, RULES, (WAIT,)) == ()


def test_idle_runners_that_get_no_jobs_age_the_line() -> None:
    """Nothing is started, so the oldest job reaches the threshold by the clock alone."""
    series = growing(60, 900.0, idle=20, busy=20)
    (found,) = expected(series, RULES, (Threshold(Measure.WAIT, 1200.0),))
    assert found.mid_seconds == pytest.approx(300.0, abs=60)


def test_the_size_of_the_queue_is_a_threshold_of_its_own() -> None:
    """40 jobs and two more a minute: 50 are there in five minutes; the threshold that comes first is named first."""
    found = expected(growing(40, 600.0), RULES, (WAIT, SIZE))
    assert found[0].threshold == SIZE
    assert found[0].mid_seconds == pytest.approx(300.0, abs=120)


@pytest.mark.parametrize(("rises", "sure"), [(0.5, False), (0.8, False), (2.0, True)])
def test_what_is_likely_but_could_be_chance_is_not_sure(rises: float, *, sure: bool) -> None:
    """All three are expected to be crossed; only the last also when things go better than expected."""
    measurements = growing(40, 600.0, arrivals_per_minute=4.0 + rises)
    measurements = [
        replace(one, queued=round(40 - rises * (measurements[-1].at - one.at) / 60)) for one in measurements
    ]
    (found,) = expected(measurements, RULES, (Threshold(Measure.QUEUED, 60),))
    assert found.sure is sure


def test_nothing_is_said_of_the_hours_after_the_next() -> None:
    """Two more a minute: 120 jobs are 40 min away, 250 nearly two hours."""
    (near,) = expected(growing(40, 600.0), RULES, (Threshold(Measure.QUEUED, 120),))
    assert near.mid_seconds == pytest.approx(2400, rel=0.05)
    assert expected(growing(40, 600.0), RULES, (Threshold(Measure.QUEUED, 250),)) == ()


def test_jobs_that_nobody_may_serve_count_toward_the_length_that_alerts_watch() -> None:
    """20 of the 80 never start: the alert counts all, so 100 are there as soon as two more a minute make them."""
    limit = (Threshold(Measure.QUEUED, 100),)
    (whole,), (part,) = (
        expected(growing(80, 600.0), RULES, limit),
        expected(growing(80, 600.0, unservable=20), RULES, limit),
    )
    assert part.mid_seconds == pytest.approx(whole.mid_seconds, rel=0.05)


def test_no_interval_is_sharper_than_two_looks() -> None:
    """A crossing that is a minute or two away is at least two minutes unsure on both sides."""
    (found,) = expected(growing(40, 600.0), RULES, (Threshold(Measure.QUEUED, 42),))
    assert found.low_seconds == 0.0
    assert found.high_seconds is None or found.high_seconds >= found.mid_seconds + 120


def fired(*figures: tuple[int | None, float | None]) -> tuple[Fired, ...]:
    """Alerts that fired at so many jobs and such a wait."""
    return tuple(Fired(f"i{n}", NOW + n, queued, wait) for n, (queued, wait) in enumerate(figures))


@pytest.mark.parametrize(
    ("alerts", "threshold"),
    [
        (fired((80, 1860.0), (20, 1810.0), (45, 1900.0)), Threshold(Measure.WAIT, 1860.0, 3)),
        (fired((52, 600.0), (51, 3000.0)), Threshold(Measure.QUEUED, 51, 2)),
        (fired((52, 600.0)), None),
        (fired((52, None), (None, 900.0), (0, 0.0)), None),
    ],
    ids=["by wait", "by size", "one does not show which", "unknown figures teach nothing"],
)
def test_thresholds_are_learnt_from_what_alerts_have_in_common(
    alerts: tuple[Fired, ...], threshold: Threshold | None
) -> None:
    """The figure that varies less between alerts is what they watch."""
    assert learnt_from(alerts) == threshold


def test_what_is_configured_goes_before_what_was_learnt() -> None:
    """And where neither is known there is nothing to warn of."""
    alerts = fired((80, 1860.0), (20, 1810.0))
    both = replace(RULES, warn_queued=50)
    assert thresholds(both, alerts) == (WAIT, SIZE)
    assert thresholds(PoolRules(POOL), alerts)[0].learnt_from == 2
    assert thresholds(PoolRules(POOL)) == ()


def test_unknown_figures_reach_no_threshold() -> None:
    """Unknown is not high, and not low either."""
    assert not reached(sample(None), (WAIT, SIZE))
    assert reached(sample(50), (SIZE,))
    assert not reached(sample(49), (SIZE,))
    assert reached(sample(40), (SIZE,), 0.8)


SURE = Crossing(WAIT, NOW, 300.0, 600.0, 900.0, sure=True)
LIKELY = replace(SURE, sure=False)
CALM = sample(5, oldest_wait_seconds=60.0)
OVER = sample(60, oldest_wait_seconds=1900.0)


def seen(minute: float, coming: Crossing | None = None, one: Snapshot = CALM, **parts: Any) -> Measurement:
    """One measurement, so many minutes after NOW."""
    given = {"limits": (WAIT,), "crossings": (coming,) if coming else (), **parts}
    return Measurement(NOW + 60 * minute, one, **given)


def after(measurements: Iterable[Measurement], early: WarningHistory | None = None) -> WarningHistory:
    """The record after these measurements."""
    found = early or WarningHistory()
    for measurement in measurements:
        found = advanced(found, measurement)
    return found


BEGUN = after(seen(n, SURE) for n in range(SURE_SAMPLES))


def scores(early: WarningHistory) -> tuple[int, int, int]:
    """(hits, false, missed)."""
    return early.hits, early.false, early.missed


def test_a_warning_takes_several_sure_looks_in_a_row() -> None:
    """One that is only likely, or a gap, begins the count anew."""
    assert not after([seen(0, SURE), seen(1, SURE), seen(2, LIKELY), seen(3, SURE)]).standing
    assert BEGUN.standing
    assert scores(BEGUN) == (0, 0, 0)


def test_no_warning_while_an_incident_speaks_of_the_pool() -> None:
    """The thread is there already."""
    assert after(seen(n, SURE, incidents=("i1",)) for n in range(9)).current is None


def test_a_crossing_without_an_alert_makes_it_right_once() -> None:
    """It stands until the pool is well below again; an alert that fires meanwhile does not count twice."""
    crossed = after([seen(9, one=OVER), seen(10, one=OVER)], BEGUN)
    assert crossed.standing
    assert scores(crossed) == (1, 0, 0)
    assert scores(advanced(crossed, seen(11, one=OVER, incidents=("i1",), fired="i1"))) == (1, 0, 0)
    eased = advanced(crossed, seen(12, one=CALM))
    assert eased.current is not None
    assert eased.current.ending is Ending.EASED


def test_an_unknown_queue_eases_no_warning() -> None:
    """A source that falls silent says nothing of a queue that was over its threshold; but none stands for ever."""
    crossed = after([seen(9, one=OVER)], BEGUN)
    silent = after([seen(minute, one=sample(None, oldest_wait_seconds=None)) for minute in range(10, 40)], crossed)
    assert silent.standing
    assert silent.above
    late = advanced(silent, seen(60 * 24, one=sample(None, oldest_wait_seconds=None)))
    assert not late.standing


QUIET = [seen(3, LIKELY), seen(4, LIKELY), seen(5 + CALM_SECONDS / 60)]
"""Nothing is expected any more, and for long enough."""


@pytest.mark.parametrize(
    ("measurements", "ending", "incident", "counts"),
    [
        ([seen(9, one=OVER, incidents=("i1",), fired="i1")], Ending.FIRED, "i1", (1, 0, 0)),
        ([seen(9, incidents=("i1",))], Ending.FIRED, "i1", (0, 0, 0)),
        ([seen(3), seen(4, LIKELY), seen(3 + CALM_SECONDS / 60)], None, "", (0, 0, 0)),
        (
            [seen(3), seen(4, LIKELY), seen(3 + CALM_SECONDS / 60), seen(4 + CALM_SECONDS / 60)],
            Ending.PASSED,
            "",
            (0, 1, 0),
        ),
        ([replace(QUIET[0], scaled_at=NOW + 150), *QUIET[1:]], Ending.AVERTED, "", (0, 0, 0)),
        ([replace(QUIET[0], scaled_at=NOW + 60), *QUIET[1:]], Ending.PASSED, "", (0, 1, 0)),
        ([seen(n, LIKELY) for n in range(3, 365)], Ending.EXPIRED, "", (0, 1, 0)),
        ([seen(3, limits=())], Ending.WITHDRAWN, "", (0, 0, 0)),
    ],
    ids=[
        "an alert fires: it was right",
        "an incident about other pools proves nothing",
        "not at the first better measurement",
        "it passes: it was false",
        "scaled while it stood: nobody knows what would have been",
        "scaled before",
        "it does not stand for ever",
        "switched off it is not counted",
    ],
)
def test_a_warning_ends_and_counts_by_what_came_of_it(
    measurements: list[Measurement], ending: Ending | None, incident: str, counts: tuple[int, int, int]
) -> None:
    """The id of the incident that takes it over is kept, for the link."""
    found = after(measurements, BEGUN)
    assert found.current is not None
    assert (found.current.ending, found.current.incident, scores(found)) == (ending, incident, counts)
    assert found.standing is (ending is None)


def test_the_next_one_waits_until_the_last_has_rested() -> None:
    """At most one at a time, and a pause between two."""
    passed = advanced(BEGUN, seen(60))
    soon = after((seen(60 + n, SURE) for n in range(1, 10)), passed)
    assert not soon.standing
    later = after((seen(60 + REST_SECONDS / 60 + n, SURE) for n in range(SURE_SAMPLES)), passed)
    assert later.standing


NEAR = sample(20, oldest_wait_seconds=1700.0)


@pytest.mark.parametrize(
    ("measurements", "missed"),
    [
        ([seen(0, one=OVER), seen(1, one=OVER)], 1),
        ([seen(0, incidents=("i1",), fired="i1"), seen(1, one=OVER, incidents=("i1",))], 1),
        ([seen(0, one=OVER), seen(1, one=OVER, incidents=("i1",), fired="i1")], 1),
        ([seen(0, one=OVER), seen(1, one=NEAR), seen(2, one=OVER)], 1),
        ([seen(0, one=OVER), seen(1), seen(2, one=OVER)], 2),
        ([seen(0, one=OVER, limits=()), seen(1, limits=(), fired="i1")], 0),
    ],
    ids=["crossed", "fired", "crossed, then fired", "hangs about the threshold", "was left by enough", "no threshold"],
)
def test_what_no_warning_stood_before_is_missed_once(measurements: list[Measurement], missed: int) -> None:
    """However long it stays there; nobody can miss what nobody knows."""
    assert scores(after(measurements)) == (0, 0, missed)
