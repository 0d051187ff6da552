"""The margins of forecast, what-if and calibration: each condition on both of its sides."""

import math
from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast.drain import walk
from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.forecast import forecast
from bot.core.forecast.more_runners import Terms, foreseen, what_if
from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.forecast.scoring import WIDEST, Calibration, calibration, scored
from bot.core.pool.pool import Snapshot
from bot.views.words.forecasts import DOUBTED, reason_words, what_to_expect
from tests.core.forecast.test_forecast import AT, RULES, series

FEW: dict[str, Any] = {"busy": 20, "completions_per_minute": 2.0}
"""20 runners, which finish as many jobs as arrive."""


def ago(minutes: float, **changes: Any) -> list[Snapshot]:
    """The looks around so many minutes ago were different."""
    near = 60 * minutes - 120, 60 * minutes + 120
    return [replace(s, **changes) if near[0] <= AT - s.at <= near[1] else s for s in series()]


def flow(**changes: Any) -> Flow:
    """The queue in motion."""
    found = flow_of(tuple(series(**changes)), RULES)
    assert isinstance(found, Flow)
    return found


def mid(looks: list[Snapshot]) -> float:
    """When it is expected to be empty."""
    found = forecast(looks, RULES).mid_seconds
    return math.inf if found is None else found


def test_a_burst_that_is_over_does_not_go_on() -> None:
    """Twenty a minute came ten minutes ago, ten times the usual: the forecast is that without them."""
    assert mid(ago(10, arrivals_per_minute=20.0)) == pytest.approx(mid(series()), rel=0.05)
    assert mid(ago(10, arrivals_per_minute=4.0)) > 1.1 * mid(series())


def test_what_is_usual_tempers_what_was_seen_just_now() -> None:
    """Half an hour at 3.5 a minute where 2 are usual is taken for less, and for less sure, than where 3.5 are."""
    high = flow(arrivals_per_minute=3.5, usual_arrivals_per_minute=2.0)
    assert 2.5 < high.arrivals < 3.3
    spread = walk(replace(high, usual=high.arrivals))[60].spread
    assert walk(high)[60].spread > 1.2 * spread


def test_many_completions_are_trusted_more_than_durations() -> None:
    """Durations say half of what was counted over half an hour: the pace is nearly what was counted."""
    assert flow(duration_p50_seconds=2 * 536.0).pace == pytest.approx(0.1, rel=0.15)


@pytest.mark.parametrize("gone", ["offline", "failed"])
def test_runners_that_are_away_hold_their_places_below_the_limit(gone: str) -> None:
    """With 31 of 60 places held by others, only those that boot already come."""
    free, held = series(**FEW, limit=60, booting=9), series(**FEW, limit=60, booting=9, **{gone: 31})
    assert mid(held) > 1.5 * mid(free)
    assert flow(**FEW, limit=60, booting=9, **{gone: 31}).room == 0


def test_no_more_join_than_the_limit_lets_in() -> None:
    """One runner boots and one place is free: it helps once, not every three minutes."""
    assert forecast(series(**FEW, limit=21, booting=1), RULES).verdict is not Verdict.CLEARS


def test_added_runners_take_the_places_of_those_that_would_have_come() -> None:
    """Room for ten more: with ten added, nobody else joins, and 31 runners finish what 31 can."""
    found = flow(**FEW, limit=31, booting=1)
    points = walk(found, 10)
    assert points[80].started - points[79].started <= 31.5 * found.pace


def test_machines_that_never_register_are_no_help_on_its_way() -> None:
    """Nine boot, and of nine that were created none registered."""
    known = {**FEW, "limit": 60, "booting": 9, "creates": 9}
    assert forecast(series(**known, registered=9), RULES).verdict is Verdict.CLEARS
    assert forecast(series(**known, registered=0), RULES).verdict is not Verdict.CLEARS


def test_one_idle_runner_or_a_young_queue_is_no_assignment_trouble() -> None:
    """Two that are idle while jobs wait longer than a boot are; neither forecast nor what-if says so before."""
    for looks in (series(idle=1), series(idle=12, oldest_wait_seconds=100.0)):
        assert forecast(looks, RULES).verdict is Verdict.CLEARS
        assert what_if(looks, RULES, (10,)).do_nothing is None
    assert forecast(series(idle=2), RULES).verdict is Verdict.GROWING
    assert what_if(series(idle=2), RULES, (10,)).do_nothing is not None


def test_an_interval_that_was_not_widened_rests_on_no_scores() -> None:
    """Only where past errors changed it are they named."""
    assert forecast(series(), RULES, Calibration(1.0, 20)).reason is None


def test_nothing_is_advised_against_when_the_boot_is_sooner_than_the_drain() -> None:
    """Half an hour to the drain: a boot of ten minutes is sooner, one of 40 is not."""
    assert what_if(series(), replace(RULES, boot_time_seconds=600.0), (10,)).do_nothing is None
    assert what_if(series(), replace(RULES, boot_time_seconds=2400.0), (10,)).do_nothing is not None


def test_a_queue_at_its_floor_needs_no_choice() -> None:
    """Three jobs with a floor of five, and none at all."""
    calm = replace(RULES, floor=5)
    assert reason_words(what_if(series(queued=3), calm, (10,)).refusal) == "3 jobs queued, at or under the floor"
    assert reason_words(what_if(series(queued=0), calm, (10,)).refusal) == "nothing is queued"
    assert what_if(series(queued=6), calm, (10,)).refusal is None


def test_the_oldest_wait_goes_on_until_its_turn() -> None:
    """It has waited half an hour already, which is more than those wait that come last."""
    (alone,) = what_if(series(), RULES, ()).options
    assert alone.oldest_wait_seconds is not None
    assert 1800 <= alone.oldest_wait_seconds <= 1900


def test_nobody_has_seen_the_pool_with_more_runners() -> None:
    """Their lower end lies further below the middle than that of the pool as it is."""
    alone, more = what_if(series(), RULES, (1,)).options
    assert alone.low_seconds
    assert alone.mid_seconds
    assert more.low_seconds
    assert more.mid_seconds
    assert math.log(more.mid_seconds / more.low_seconds) > 1.2 * math.log(alone.mid_seconds / alone.low_seconds)


def test_a_runner_for_each_job_boots_in_between() -> None:
    """Ten added ones take fewer jobs than ten that stay."""
    stays, once = (
        walk(replace(flow(), ephemeral=which), 10)[60].started - walk(replace(flow(), ephemeral=which))[60].started
        for which in (False, True)
    )
    assert 0 < once < 0.9 * stays


def test_without_help_is_an_answer() -> None:
    """Where the pool as it is meets the target, no number is recommended."""
    lines = what_to_expect(foreseen(series(), 10, RULES, Terms(target_seconds=3600.0)), RULES)
    assert "It is expected to drain within 1 h without help." in lines
    late = what_to_expect(foreseen(series(arrivals_per_minute=9.0, usual_arrivals_per_minute=9.0), 2, RULES), RULES)
    assert "None of these is expected to drain it within 30 min." in late


def test_the_table_under_a_caution_is_conditional() -> None:
    """Where the diagnosis says that they would not come, the table says what it takes for granted."""
    found = foreseen(series(), 10, RULES)
    assert DOUBTED in what_to_expect(found, RULES, "More runners will hardly help: a quota (3 refused).")
    assert DOUBTED not in what_to_expect(found, RULES)


def of(actual_seconds: float) -> Any:
    """A forecast of 1,000 s (500 to 1,250), and how it came."""
    made = Forecast(AT, Verdict.CLEARS, 60, 500.0, 1000.0, 1250.0, pool="linux")
    return scored(made, actual_seconds)


def test_intervals_widen_by_the_miss_that_four_in_five_stay_under() -> None:
    """Of ten, the ninth: a single wild miss does not widen, three do."""
    assert calibration([of(1000)] * 9 + [of(20_000)]).widen == 1.0
    assert calibration([of(1000)] * 7 + [of(2000)] * 3).widen == pytest.approx(math.log(2) / math.log(1.25))


def test_early_and_late_are_measured_on_their_own_side() -> None:
    """Half as long is the lower end itself; twice as long is three times the way to the upper one."""
    assert calibration([of(500)] * 8).widen == pytest.approx(1.0)
    assert calibration([of(250)] * 8).widen == pytest.approx(2.0)
    assert calibration([of(2000)] * 8).widen == pytest.approx(math.log(2) / math.log(1.25))


def test_no_interval_is_widened_without_end() -> None:
    """Four times is the most; then the forecast is of no use anyway."""
    assert calibration([of(80_000)] * 8).widen == WIDEST == 4.0
