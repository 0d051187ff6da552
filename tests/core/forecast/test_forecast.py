"""Will the queue drain on its own: intervals, bounds, branches, refusals, and which forecasts are kept."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.forecast.forecast import ForecastInputs, forecast, looked_ahead
from bot.core.forecast.more_runners import what_if
from bot.core.pool.hour_stats import ExpectedHour
from bot.core.pool.outlook import Calibration, Forecast, ToldByCause, Verdict
from bot.core.pool.pool import Gap, Pool, PoolRules, Snapshot, cut_off, drained
from bot.core.statement import Statement, statement
from tests.builders import FULL

AT = 1_800_000_000.0
RULES = PoolRules("linux", boot_time_seconds=180.0)
FIGURES = ("arrivals_per_minute", "starts_per_minute", "completions_per_minute", "duration_p50_seconds", "busy", "idle",
           "limit", "booting", "offline", "creates", "oldest_wait_seconds")  # fmt: skip


def series(queued: int = 60, falls: float = 2.0, **changes: Any) -> list[Snapshot]:
    """Half an hour of samples, one a minute: the queue falls to `queued` by so many jobs a minute."""
    known = {**FULL, "oldest_wait_seconds": 1800.0, "arrivals_per_minute": 4.0 - falls, **changes}
    lengths = {ago: max(0, round(queued + falls * ago)) for ago in range(30, -1, -1)}
    return [Snapshot("linux", AT - 60 * ago, **{"queued": length, **known}) for ago, length in lengths.items()]


def test_a_queue_that_shrinks_drains_in_an_interval() -> None:
    """200 jobs at a net 2 a minute: 100 minutes lie inside."""
    found = forecast(series(200), RULES)
    assert found.verdict is Verdict.INTERVAL
    assert (found.low_seconds or 0.0) < 6000 < (found.high_seconds or 0.0)


@settings(max_examples=40, deadline=None)
@given(
    queued=st.integers(0, 400),
    falls=st.floats(-5, 4),
    waited=st.floats(0, 20_000),
    hidden=st.sets(st.sampled_from(FIGURES)),
    idle=st.integers(0, 30),
)
def test_whatever_figures_there_are_the_answer_is_useful_and_consistent(
    queued: int, falls: float, waited: float, hidden: set[str], idle: int
) -> None:
    """A known queue is enough for some statement; its bounds are ordered, and the advice is that of the table."""
    samples = series(queued, falls, **{"oldest_wait_seconds": waited, "idle": idle, **dict.fromkeys(hidden)})
    found = forecast(samples, RULES)
    ends = (found.low_seconds, found.lower_seconds, found.mid_seconds, found.upper_seconds, found.high_seconds)
    known = [math.inf if end is None else end for end in ends]
    assert found.verdict is not Verdict.NONE
    assert queued == 0 or known == sorted(known)
    assert found.today is None or 0 <= found.today <= 1
    if queued:
        more = what_if(samples, RULES, (5, 10, 20, found.added))
        assert more.helps is found.helped
        times = [option.times_faster for option in more.options]
        assert times == sorted(times)
        assert found.times_faster == (None if more.helps is None else times[-1])


UNKNOWN: dict[str, Any] = dict.fromkeys(FIGURES)
BARE = series(**UNKNOWN)
"""Only the queue is known."""


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        ([replace(sample, queued=None) for sample in series()], statement("queue_unknown")),
        (series(missing=(Gap("unservable", "HTTP 500"),)), statement("servable_unknown")),
        (BARE[-2:], statement("few_samples", known=2, needed=3)),
        (series()[-1:], statement("first_forecast", at=AT + 120)),
        (series()[-2:], statement("first_forecast", at=AT + 60)),
    ],
)
def test_what_cannot_be_forecast_is_refused_by_name(samples: list[Snapshot], reason: Statement) -> None:
    found = forecast(samples, RULES)
    assert (found.verdict, found.reason) == (Verdict.NONE, reason)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"idle": 12}, "not_assigned"),
        ({"idle": 2}, "not_assigned"),
        ({"provider_up": False}, "provider_down"),
        ({"queued": 40, "unservable": 40}, "none_servable"),
        ({"queued": 40, "unservable": 20}, ""),
        ({"limit": 90}, "none_come"),
        ({"limit": 90, "creates": 1, "create_failures": 9}, "launches_refused"),
        ({"limit": 90, "creates": 9, "registered": 1}, "not_registered"),
        ({"limit": 41, "creates": 1, "create_failures": 9}, ""),
        ({"busy": 0, "idle": 0, "booting": 0, "completions_per_minute": 0.0, "starts_per_minute": 0.0}, "no_runners"),
        ({"idle": 1}, ""),
        ({"idle": 12, "oldest_wait_seconds": 100.0}, ""),
        ({"busy": 0, "idle": None, "completions_per_minute": 0.0}, ""),
    ],
)
def test_a_queue_that_nobody_serves_waits_for_a_repair(changes: dict[str, Any], reason: str) -> None:
    """As it is it never drains; one idle runner, a young queue or uncounted runners prove nothing."""
    found = forecast(series(falls=-2.0, **changes), RULES)
    assert (found.verdict is Verdict.UNTIL_REPAIRED) == bool(reason), found
    if reason:
        assert found.reason is not None
        assert found.reason.id == reason
        assert found.low_seconds
        assert found.repaired_seconds is not None
        assert found.mid_seconds is None or found.repaired_seconds <= found.mid_seconds


def test_an_empty_queue_has_drained() -> None:
    """Nothing waits: zero seconds, and zero runners do no harm either."""
    found = forecast(series(0, 0.0, busy=0, completions_per_minute=0.0), RULES)
    assert (found.verdict, found.low_seconds, found.high_seconds) == (Verdict.INTERVAL, 0.0, 0.0)


@pytest.mark.parametrize(
    ("queued", "wait", "boot", "expected"),
    [(0, 0.0, 180.0, True), (9, 290.0, 180.0, True), (9, 310.0, 180.0, False), (9, 700.0, 480.0, True),
     (9, None, 180.0, False), (None, 60.0, 180.0, None)],
)  # fmt: skip
def test_a_queue_of_normal_waits_has_drained(
    queued: int | None, wait: float | None, boot: float, expected: bool | None
) -> None:
    """Where each job waits for its own machine, a healthy queue is arrivals times boot time, never zero."""
    sample = Snapshot("linux", AT, queued=queued, oldest_wait_seconds=wait)
    assert drained(sample, replace(RULES, boot_time_seconds=boot)) is expected


@pytest.mark.parametrize(
    ("figures", "hides"),
    [({}, True), ({"queued": 0, "busy": 20}, True), ({"queued": 0, "busy": 12}, False), ({"queued": 30}, False),
     ({"oldest_wait_seconds": 30.0}, False), ({"limit": None}, False)],
)  # fmt: skip
def test_a_queue_that_is_counted_up_to_the_limit_has_no_end_at_it(figures: dict[str, Any], hides: bool) -> None:
    """Actions Runner Controller gets no jobs beyond its maximum: more may wait at GitHub."""
    full = {"queued": 4, "busy": 16, "limit": 20, "oldest_wait_seconds": None, "booting": 4} | figures
    arc, queued = replace(RULES, counts_assigned=True), int(full.pop("queued"))
    samples = series(queued, 0.0, **full)
    found = forecast(samples, arc)
    at_limit = found.reason is not None and found.reason.id == "cut_off"
    assert (at_limit, cut_off(samples[-1], arc)) == (hides, hides)
    assert not cut_off(samples[-1], RULES)
    if hides:
        assert drained(samples[-1], arc) is (False if queued else None)
        assert (found.verdict, found.high_seconds) == (Verdict.AT_LEAST if queued else Verdict.NONE, None)
        refusal = what_if(samples, arc, {10}).refusal
        assert refusal is not None
        assert refusal.id == "cut_off"


def test_only_jobs_that_can_be_served_are_forecast() -> None:
    """40 of 60 wait for something that no runner can give."""
    whole, part = forecast(series(), RULES), forecast(series(unservable=40), RULES)
    assert (part.mid_seconds or 0.0) < (whole.mid_seconds or 0.0)


def test_a_queue_that_no_rate_drains_has_a_trend() -> None:
    """Thousands wait, and more come than the pool has ever done: it grows for two days."""
    samples = series(9000, -40.0, arrivals_per_minute=44.0, oldest_wait_seconds=40_000.0)
    assert forecast(samples, RULES).verdict is Verdict.GROWING


def test_past_weeks_know_the_evening() -> None:
    """As many come as the pool does: without weeks an open end, with a quiet evening ahead a sooner one."""
    samples = series(falls=0.0, limit=40)
    hour = int(AT // 3600)
    evening = tuple(ExpectedHour(hour + n, 4.0 if n < 1 else 0.5, 4) for n in range(14))
    busy = tuple(ExpectedHour(hour + n, 4.0, 4) for n in range(14))
    soon, late = (forecast(samples, RULES, ahead=ahead).mid_seconds or 0.0 for ahead in (evening, busy))
    assert soon < 0.8 * late
    assert forecast(samples, RULES, ahead=evening[5:]) == forecast(samples, RULES)


def test_the_source_knows_what_is_usual_where_the_samples_are_mostly_of_the_trouble() -> None:
    """Half an hour of a surge says nothing of the usual arrivals; after hours of samples they are the better source."""
    alone, by_cause = (series(falls=-0.5, usual_arrivals_per_minute=usual) for usual in (None, 1.0))
    without, with_usual = forecast(alone, RULES), forecast(by_cause, RULES)
    assert without.mid_seconds is not None
    assert with_usual.mid_seconds is not None
    assert with_usual.mid_seconds < 0.7 * without.mid_seconds


def bounds(made: Forecast) -> tuple[float | None, float | None]:
    return made.low_seconds, made.high_seconds


def test_calibration_moves_each_bound_alone() -> None:
    """The middle stays, and no bound moves across it."""
    samples = series(200, oldest_wait_seconds=7200.0)
    plain, low, high, tight = (
        forecast(samples, RULES, known)
        for known in (None, Calibration(0.5, 1.0, 9), Calibration(1.0, 2.0, 9), Calibration(9.0, 0.01, 9))
    )
    assert plain.low_seconds is not None
    assert plain.high_seconds is not None
    assert bounds(low) == pytest.approx((0.5 * plain.low_seconds, plain.high_seconds))
    assert bounds(high) == pytest.approx((plain.low_seconds, 2.0 * plain.high_seconds))
    assert bounds(tight) == (plain.mid_seconds, plain.mid_seconds)
    assert plain.mid_seconds == low.mid_seconds == high.mid_seconds


def test_what_the_first_cause_says_of_supply_is_one_bit() -> None:
    """Told that supply stands still, the walk adds no runners until the repair; figures at the limit know better."""
    growing = [replace(s, busy=20 + n // 2, idle=0, limit=90, booting=4) for n, s in enumerate(series(80, -1.0))]
    alone, by_cause = (
        forecast(growing, RULES, inputs=ForecastInputs(told=ToldByCause(still=still))) for still in (False, True)
    )
    assert (by_cause.mid_seconds or math.inf) > (alone.mid_seconds or 0.0)
    full = series(80, -1.0)
    told = ForecastInputs(told=ToldByCause(still=True))
    assert forecast(full, RULES, inputs=told).mid_seconds == forecast(full, RULES).mid_seconds


def test_the_same_figures_give_the_same_forecast_and_two_digits() -> None:
    """Chance is seeded by the pool; what leaves the model is the same on every machine."""
    one, other = forecast(series(200), RULES), forecast(series(200), RULES)
    assert one == other
    for seconds in (one.low_seconds, one.mid_seconds, one.high_seconds):
        assert seconds is not None
        assert float(f"{seconds:.2g}") == seconds


def test_a_pool_keeps_a_forecast_now_and_then() -> None:
    """One in five minutes, and one when the kind changes; when the queue has drained nothing more is forecast."""
    pool = Pool("linux")
    for snapshot in series():
        pool = looked_ahead(replace(pool, samples=(*pool.samples, snapshot)), RULES, 300.0)
    assert pool.outlook is not None
    assert 5 <= len(pool.forecasts) <= 12
    over = replace(pool, samples=(*pool.samples, Snapshot("linux", AT + 60, queued=0)))
    after = looked_ahead(over, RULES, 300.0)
    assert (after.outlook, after.forecasts) == (None, pool.forecasts)


def test_a_pool_that_cannot_be_measured_has_no_outlook() -> None:
    """An old forecast is not shown as if it were of now."""
    pool = replace(Pool("linux", tuple(series())), trouble="no answer")
    assert looked_ahead(pool, RULES, 300.0).outlook is None
