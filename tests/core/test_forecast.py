"""Will the queue drain on its own: intervals, refusals, what is kept of a forecast and how it is scored."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast import (
    Calibration,
    calibration,
    forecast,
    held_share,
    looked_ahead,
    scored,
    touched,
)
from bot.core.outlook import Forecast, Score, Verdict
from bot.core.pool import Pool, PoolRules, Snapshot
from tests.builders import FULL

AT = 1_800_000_000.0
RULES = PoolRules("linux", boot_time_seconds=180.0)
DRAINING: dict[str, Any] = {**FULL, "queued": 60, "oldest_wait_seconds": 1800.0}
"""60 jobs, fewer by 2 a minute: half an hour."""


def series(**changes: Any) -> list[Snapshot]:
    """Half an hour of samples, one a minute, with the same figures throughout."""
    return [Snapshot("linux", AT - 60 * ago, **{**DRAINING, **changes}) for ago in range(30, -1, -1)]


def test_a_queue_that_shrinks_clears_within_an_interval():
    """60 jobs at a net 2 a minute: about 30 minutes, inside an interval that is neither nothing nor everything."""
    found = forecast(series(), RULES)
    assert found.verdict is Verdict.CLEARS
    assert found.mid_seconds == pytest.approx(1800, rel=0.1)
    assert found.low_seconds is not None
    assert found.high_seconds is not None
    assert 600 < found.low_seconds < found.mid_seconds < found.high_seconds < 3 * 3600


def test_more_arrivals_than_completions_grow():
    """The sign matters more than the size."""
    found = forecast(series(arrivals_per_minute=7.0, usual_arrivals_per_minute=7.0), RULES)
    assert (found.verdict, found.mid_seconds) == (Verdict.GROWING, None)
    assert found.reason == "7.0 jobs arrive a minute, about 4.0 are finished"


def test_as_many_arrivals_as_completions_stall():
    """Neither shrinks nor grows."""
    found = forecast(series(arrivals_per_minute=4.05, usual_arrivals_per_minute=4.05), RULES)
    assert found.verdict is Verdict.STALLED


def test_too_close_to_call_is_refused():
    """A small surplus could be chance: no time is named that nobody could stand for."""
    found = forecast(series(arrivals_per_minute=3.7, usual_arrivals_per_minute=3.7), RULES)
    assert found.verdict is Verdict.UNSAID
    assert found.reason.startswith("arrivals and completions are too close to call; not before")


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
        ({"missing": ("unservable: HTTP 500",)}, "it is unknown which part of the queue can be served"),
    ],
)
def test_what_is_unknown_is_refused_by_name(changes: dict[str, Any], reason: str):
    """Unknown is not zero: nothing is foretold from a gap."""
    found = forecast(series(**changes), RULES)
    assert (found.verdict, found.reason) == (Verdict.UNSAID, reason)


def test_two_samples_are_too_few():
    """It takes three."""
    assert forecast(series()[-2:], RULES).reason == "2 of the 3 measurements that it takes"
    assert forecast([], RULES).verdict is Verdict.UNSAID


def test_no_runner_at_all_does_not_divide_by_zero():
    """Zero servers: growing while jobs arrive, stalled when none do."""
    none = {"busy": 0, "completions_per_minute": 0.0, "starts_per_minute": 0.0}
    assert forecast(series(**none), RULES).verdict is Verdict.GROWING
    assert forecast(series(**none), RULES).reason == "no runner is there to take a job, and none is booting"
    quiet = {**none, "arrivals_per_minute": 0.0, "usual_arrivals_per_minute": 0.0}
    assert forecast(series(**quiet), RULES).verdict is Verdict.STALLED


def test_an_empty_queue_has_cleared():
    """Nothing waits: zero seconds, and zero runners do no harm either."""
    found = forecast(series(queued=0, busy=0, completions_per_minute=0.0), RULES)
    assert (found.verdict, found.low_seconds, found.high_seconds) == (Verdict.CLEARS, 0.0, 0.0)


def test_idle_runners_beside_a_queue_make_rates_meaningless():
    """When jobs are not assigned, no past rate says when they will be."""
    found = forecast(series(idle=12), RULES)
    assert found.verdict is Verdict.GROWING
    assert found.reason == "12 runners idle beside the queue: jobs are not being assigned"
    assert forecast(series(provider_up=False), RULES).reason.startswith("the CI provider assigns no jobs")


def test_only_what_can_be_served_is_foretold():
    """40 of 60 wait for something that no runner can give: the other 20 drain three times as fast."""
    whole, part = forecast(series(), RULES), forecast(series(unservable=40), RULES)
    assert whole.mid_seconds is not None
    assert part.mid_seconds == pytest.approx(whole.mid_seconds / 3, rel=0.15)


def test_booting_runners_and_room_below_the_limit_count():
    """Runners on their way shorten the forecast; those that the limit forbids do not."""
    few = {"busy": 20, "completions_per_minute": 2.0}
    now = forecast(series(**few, limit=20), RULES)
    soon = forecast(series(**few, limit=60, booting=9), RULES)
    assert now.verdict is not Verdict.CLEARS
    assert soon.verdict is Verdict.CLEARS


def test_completions_alone_or_durations_alone_are_enough():
    """Each is a way to know the pace; both agree here."""
    few = {"arrivals_per_minute": 0.5, "usual_arrivals_per_minute": 0.5}
    by_count = forecast(series(**few, duration_p50_seconds=None), RULES).mid_seconds
    by_time = forecast(series(**few, completions_per_minute=None), RULES).mid_seconds
    assert by_count == pytest.approx(by_time, rel=0.15)


def test_an_accelerated_fleet_is_read_by_its_own_time():
    """At 60 fleet seconds a second, samples a second apart are a minute apart, and the forecast is the same."""
    fast = [replace(s, at=AT - (AT - s.at) / 60) for s in series()]
    assert forecast(fast, RULES, speed=60.0).mid_seconds == pytest.approx(forecast(series(), RULES).mid_seconds)


def made(low: float, mid: float, high: float) -> Forecast:
    """A forecast in seconds."""
    return Forecast(AT, Verdict.CLEARS, 60, low, mid, high, pool="linux")


def test_a_forecast_is_scored_by_whether_its_interval_held():
    """Inside holds; stalled and growing hold when it really took longer than half an hour."""
    assert scored(made(600, 1000, 2000), 1500).held
    assert scored(made(600, 1000, 2000), 1500).ratio == 1.5
    assert not scored(made(600, 1000, 2000), 2500).held
    growing = Forecast(AT, Verdict.GROWING, 60)
    assert scored(growing, 7200).held
    assert not scored(growing, 600).held
    assert scored(growing, 600).ratio is None


def test_wrong_forecasts_widen_the_next_ones():
    """After a run of forecasts that were three times too short, the interval holds such a miss."""
    wrong = [scored(made(700, 1000, 1400), 3000) for _ in range(8)]
    known = calibration(wrong)
    assert known.widen == pytest.approx(3.26, rel=0.02)
    plain, wide = forecast(series(), RULES), forecast(series(), RULES, known)
    assert plain.low_seconds is not None
    assert wide.low_seconds is not None
    assert plain.high_seconds is not None
    assert wide.high_seconds is not None
    assert wide.low_seconds < plain.low_seconds
    assert wide.high_seconds > plain.high_seconds
    assert wide.mid_seconds == plain.mid_seconds


def test_good_or_few_forecasts_leave_intervals_as_they_are():
    """Never narrower than computed, and never judged from a handful."""
    assert calibration([scored(made(700, 1000, 1400), 1000)] * 20).widen == 1.0
    assert calibration([scored(made(700, 1000, 1400), 9000)] * 4) == Calibration(1.0, 4)


def test_a_pool_keeps_a_forecast_now_and_then_and_scores_them_when_it_is_empty():
    """One in five minutes is kept; the drain turns them into scores with the time that it really took."""
    pool = Pool("linux")
    for snapshot in series():
        pool = looked_ahead(replace(pool, samples=(*pool.samples, snapshot)), RULES, 300.0)
    assert pool.outlook is not None
    assert pool.outlook.verdict is Verdict.CLEARS
    assert 5 <= len(pool.forecasts) <= 8
    over = replace(pool, samples=(*pool.samples, Snapshot("linux", AT + 1800, queued=0)))
    after = looked_ahead(over, RULES, 300.0)
    assert (after.outlook, after.forecasts) == (None, ())
    assert len(after.scores) == len(pool.forecasts)
    assert after.scores[-1].actual_seconds == AT + 1800 - pool.forecasts[-1].at


def test_a_pool_that_cannot_be_measured_has_no_outlook():
    """An old forecast is not shown as if it were of now."""
    pool = replace(Pool("linux", tuple(series())), trouble="no answer")
    assert looked_ahead(pool, RULES, 300.0).outlook is None


def test_forecasts_from_before_a_scale_action_are_not_scored():
    """They said what would come of itself."""
    pool = replace(Pool("linux"), forecasts=(made(1, 2, 3), replace(made(1, 2, 3), at=AT + 60)))
    assert len(touched(pool, AT + 30).forecasts) == 1
    assert touched(pool, None) is pool


def test_the_share_that_held_counts_only_forecasts_that_named_a_time():
    """Growing and stalled are no intervals."""
    every = [scored(made(600, 1000, 2000), 1500), scored(made(600, 1000, 2000), 9000)]
    every.append(Score(Forecast(AT, Verdict.GROWING), 9000, held=True))
    assert held_share(every) == (1, 2)
    assert held_share({"linux": every}) == (1, 2)
