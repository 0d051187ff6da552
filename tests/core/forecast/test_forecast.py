"""Will the queue drain on its own: intervals, how far they reach, refusals, and which forecasts are kept."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast.forecast import forecast, looked_ahead
from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.forecast.scoring import Calibration
from bot.core.pool.hour_stats import Baseline
from bot.core.pool.pool import Gap, Pool, PoolRules, Snapshot
from bot.views.words.forecasts import reason_words
from tests.builders import FULL

AT = 1_800_000_000.0
RULES = PoolRules("linux", boot_time_seconds=180.0)
DRAINING: dict[str, Any] = {**FULL, "queued": 60, "oldest_wait_seconds": 1800.0}
"""60 jobs, fewer by 2 a minute: half an hour."""


def series(**changes: Any) -> list[Snapshot]:
    """Half an hour of samples, one a minute, with the same figures throughout."""
    return [Snapshot("linux", AT - 60 * ago, **{**DRAINING, **changes}) for ago in range(30, -1, -1)]


def test_a_queue_that_shrinks_clears_within_an_interval() -> None:
    """60 jobs at a net 2 a minute: about 30 minutes, inside an interval that is neither nothing nor everything."""
    found = forecast(series(), RULES)
    assert found.verdict is Verdict.CLEARS
    assert found.mid_seconds == pytest.approx(1800, rel=0.1)
    assert found.low_seconds is not None
    assert found.high_seconds is not None
    assert found.mid_seconds is not None
    assert 600 < found.low_seconds < found.mid_seconds < found.high_seconds < 3 * 3600


def test_more_arrivals_than_completions_grow() -> None:
    """The sign matters more than the size."""
    found = forecast(series(arrivals_per_minute=7.0, usual_arrivals_per_minute=7.0), RULES)
    assert (found.verdict, found.mid_seconds) == (Verdict.GROWING, None)
    assert reason_words(found.reason) == "7.0 jobs arrive a minute, about 4.0 are finished"


def test_as_many_arrivals_as_completions_stall() -> None:
    """Neither shrinks nor grows."""
    found = forecast(series(arrivals_per_minute=4.05, usual_arrivals_per_minute=4.05), RULES)
    assert found.verdict is Verdict.STALLED


def test_too_close_to_call_is_refused() -> None:
    """A small surplus could be chance: no time is named that nobody could stand for."""
    found = forecast(series(arrivals_per_minute=3.7, usual_arrivals_per_minute=3.7), RULES)
    assert found.verdict is Verdict.UNSAID
    assert reason_words(found.reason).startswith("arrivals and completions are too close to call")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"queued": None}, "the length of the queue is unknown"),
        ({"arrivals_per_minute": None}, "the rate of arrivals is unknown"),
        ({"busy": None}, "the number of busy runners is unknown"),
        (
            {"completions_per_minute": None, "duration_p50_seconds": None},
            "neither completions nor durations are known",
        ),
        ({"missing": (Gap("unservable", "HTTP 500"),)}, "it is unknown which part of the queue can be served"),
    ],
)
def test_what_is_unknown_is_refused_by_name(changes: dict[str, Any], reason: str) -> None:
    """Unknown is not zero: nothing is foretold from a gap."""
    found = forecast(series(**changes), RULES)
    assert (found.verdict, reason_words(found.reason)) == (Verdict.UNSAID, reason)


def test_two_samples_are_too_few() -> None:
    """It takes three."""
    assert reason_words(forecast(series()[-2:], RULES).reason) == "2 of the 3 measurements that it takes"
    assert forecast([], RULES).verdict is Verdict.UNSAID


def test_no_runner_at_all_does_not_divide_by_zero() -> None:
    """Zero servers: growing while jobs arrive, stalled when none do."""
    none = {"busy": 0, "completions_per_minute": 0.0, "starts_per_minute": 0.0}
    assert forecast(series(**none), RULES).verdict is Verdict.GROWING
    assert (
        reason_words(forecast(series(**none), RULES).reason) == "no runner is there to take a job, and none is booting"
    )
    quiet = {**none, "arrivals_per_minute": 0.0, "usual_arrivals_per_minute": 0.0}
    assert forecast(series(**quiet), RULES).verdict is Verdict.STALLED


def test_runners_that_nobody_counts_are_not_said_to_be_away() -> None:
    """No runner is busy, and whether any is idle or boots is unknown: that none is there is not said."""
    none = {"busy": 0, "completions_per_minute": 0.0, "starts_per_minute": 0.0}
    for unknown in ({"idle": None}, {"booting": None}):
        assert not reason_words(forecast(series(**none, **unknown), RULES).reason).startswith("no runner is there")


def test_an_empty_queue_has_cleared() -> None:
    """Nothing waits: zero seconds, and zero runners do no harm either."""
    found = forecast(series(queued=0, busy=0, completions_per_minute=0.0), RULES)
    assert (found.verdict, found.low_seconds, found.high_seconds) == (Verdict.CLEARS, 0.0, 0.0)


def test_idle_runners_beside_a_queue_make_rates_meaningless() -> None:
    """When jobs are not assigned, no past rate says when they will be."""
    found = forecast(series(idle=12), RULES)
    assert found.verdict is Verdict.GROWING
    assert reason_words(found.reason) == "12 runners idle beside the queue: jobs are not being assigned"
    assert reason_words(forecast(series(provider_up=False), RULES).reason).startswith("the CI provider assigns no jobs")


def test_only_what_can_be_served_is_foretold() -> None:
    """40 of 60 wait for something that no runner can give: the other 20 drain three times as fast."""
    whole, part = forecast(series(), RULES), forecast(series(unservable=40), RULES)
    assert whole.mid_seconds is not None
    assert part.mid_seconds == pytest.approx(whole.mid_seconds / 3, rel=0.15)


def test_booting_runners_and_room_below_the_limit_count() -> None:
    """Runners on their way shorten the forecast; those that the limit forbids do not."""
    few = {"busy": 20, "completions_per_minute": 2.0}
    now = forecast(series(**few, limit=20), RULES)
    soon = forecast(series(**few, limit=60, booting=9), RULES)
    assert now.verdict is not Verdict.CLEARS
    assert soon.verdict is Verdict.CLEARS


def test_completions_alone_or_durations_alone_are_enough() -> None:
    """Each is a way to know the pace; both agree here."""
    few = {"arrivals_per_minute": 0.5, "usual_arrivals_per_minute": 0.5}
    by_count = forecast(series(**few, duration_p50_seconds=None), RULES).mid_seconds
    by_time = forecast(series(**few, completions_per_minute=None), RULES).mid_seconds
    assert by_count == pytest.approx(by_time, rel=0.15)


def flat_weeks() -> tuple[Baseline, ...]:
    """Past weeks that had the same rate at every hour."""
    return tuple(Baseline(int(AT // 3600) + n, FULL["arrivals_per_minute"], 0.0, 4) for n in range(14))


def side(made: Forecast) -> float:
    """By which factor the upper end lies above the middle."""
    assert made.mid_seconds
    assert made.high_seconds
    return made.high_seconds / made.mid_seconds


def test_without_past_weeks_a_far_end_is_less_sure_than_a_near_one() -> None:
    """Nobody knows what the coming hours are used to: what known weeks spare an interval grows with its horizon."""
    spared = []
    for queued in (10, 60, 300):
        untold = forecast(series(queued=queued), RULES)
        told = forecast(series(queued=queued), RULES, ahead=flat_weeks())
        if untold.mid_seconds and told.mid_seconds:
            assert untold.mid_seconds == pytest.approx(told.mid_seconds, rel=0.1)
            spared.append(side(untold) - side(told))
    assert spared == sorted(spared)
    assert spared[-1] > 0.2


def test_what_is_unusual_now_may_stay_where_no_past_weeks_are_known() -> None:
    """Three jobs arrive a minute, two are usual: that this hour has always had three is as likely as that it passes."""
    high = {"arrivals_per_minute": 2.5, "usual_arrivals_per_minute": 1.5}
    even = {"arrivals_per_minute": 2.0, "usual_arrivals_per_minute": 2.0}
    assert side(forecast(series(**high), RULES)) > side(forecast(series(**even), RULES))


def test_a_wider_calibration_is_a_wider_interval_around_the_same_middle() -> None:
    """Both ends move."""
    plain, wide = forecast(series(), RULES), forecast(series(), RULES, Calibration(2.0, 20))
    assert plain.low_seconds is not None
    assert wide.low_seconds is not None
    assert wide.low_seconds < plain.low_seconds
    assert side(wide) == pytest.approx(side(plain) ** 2)
    assert wide.mid_seconds == plain.mid_seconds
    assert reason_words(wide.reason) == "after 20 scored forecasts"


def test_a_pool_keeps_a_forecast_now_and_then() -> None:
    """One in five minutes, and one when the verdict changes; when the queue is empty nothing more is foretold."""
    pool = Pool("linux")
    for snapshot in series():
        pool = looked_ahead(replace(pool, samples=(*pool.samples, snapshot)), RULES, 300.0)
    assert pool.outlook is not None
    assert pool.outlook.verdict is Verdict.CLEARS
    assert 5 <= len(pool.forecasts) <= 8
    over = replace(pool, samples=(*pool.samples, Snapshot("linux", AT + 60, queued=0)))
    after = looked_ahead(over, RULES, 300.0)
    assert (after.outlook, after.forecasts) == (None, pool.forecasts)


def test_a_pool_that_cannot_be_measured_has_no_outlook() -> None:
    """An old forecast is not shown as if it were of now."""
    pool = replace(Pool("linux", tuple(series())), trouble="no answer")
    assert looked_ahead(pool, RULES, 300.0).outlook is None
