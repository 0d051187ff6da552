"""How forecasts came out: compared, left out with the reason, counted wherever accuracy is told, and learnt from."""

import math
from dataclasses import replace

import pytest

from bot.core.forecast.scoring import (
    FURTHEST,
    KEPT_FORECASTS,
    KEPT_SCORES,
    POOLED_STEP,
    calibration,
    drop_scaled,
    drop_unmeasured,
    error_factor,
    every_second,
    held_share,
    not_scored,
    score_due,
    score_summary,
    scored,
    tail_of,
    waiting,
)
from bot.core.pool.outlook import UNCALIBRATED, FirstForecast, Forecast, LeftOut, Score, ScoreSummary, Verdict
from bot.core.pool.pool import Pool, PoolRules, Snapshot

AT = 1_800_000_000.0
RULES = PoolRules("linux", boot_time_seconds=180.0)
HOUR = 3600.0


def made(low: float, mid: float, high: float, at: float = AT) -> Forecast:
    """A forecast in seconds."""
    return Forecast(at, Verdict.INTERVAL, 60, low, mid, high, pool="linux")


def samples_of(*queued: int | None, step: float = 60.0, since: float = AT) -> tuple[Snapshot, ...]:
    """Samples from then on, so many seconds apart."""
    return tuple(Snapshot("linux", since + n * step, queued=length) for n, length in enumerate(queued))


def out(forecast: Forecast, why: LeftOut) -> Score:
    """One that was not compared."""
    return Score(forecast, 0.0, held=False, left_out=why)


def test_a_forecast_is_scored_by_whether_its_interval_held() -> None:
    """Inside holds; stalled and growing hold when it really took longer than half an hour."""
    assert scored(made(600, 1000, 2000), 1500).held
    assert scored(made(600, 1000, 2000), 1500).ratio == 1.5
    assert not scored(made(600, 1000, 2000), 2500).held
    growing = Forecast(AT, Verdict.GROWING, 60)
    assert scored(growing, 7200).held
    assert not scored(growing, 600).held
    assert scored(growing, 600).ratio is None


def drains(*actual: float, forecasts: int = 1) -> list[Score]:
    """Incidents a day apart with forecasts of 700 to 1,400 s, and when they really drained."""
    return [
        scored(made(700 - 9 * n, 1000, 1400, at=AT + 86_400 * day + 9 * n), seconds - 9 * n)
        for day, seconds in enumerate(actual)
        for n in range(forecasts)
    ]


def test_each_bound_moves_until_one_in_ten_is_wrong() -> None:
    """Outward after a miss by nine steps, inward after each hit by one; never without end."""
    late = calibration(drains(*[3000.0] * 6))
    assert late.high > 3
    assert 1 < late.low < 1.3
    early = calibration(drains(*[100.0] * 6))
    assert early.low < 1 / 3
    assert 1 / 1.3 < early.high < 1
    assert calibration(drains(*[90_000.0] * 30)).high == pytest.approx(FURTHEST)
    assert calibration(drains(*[1000.0] * 120)).high == pytest.approx(1 / FURTHEST)
    balanced = calibration(drains(*[3000.0, *[1000.0] * 9] * 4))
    assert balanced.high == pytest.approx(1.0, abs=0.6)


def test_a_pool_begins_with_what_all_pools_have_taught() -> None:
    """Its own scores move it from there; a pooled step is small, and never leaves the limits."""
    pooled = calibration(drains(*[3000.0] * 20), step=POOLED_STEP)
    assert 2 < pooled.high < 3
    assert calibration((), pooled).high == pytest.approx(pooled.high)
    assert calibration(drains(3000.0), pooled).high > pooled.high
    assert calibration(drains(*[90_000.0] * 60), pooled).high == pytest.approx(FURTHEST)


def test_the_forecasts_of_one_incident_count_as_one() -> None:
    """They share one truth."""
    once, often = calibration(drains(3000.0)), calibration(drains(3000.0, forecasts=20))
    assert often.high == pytest.approx(once.high)
    assert (once.scored, often.scored) == (1, 20)


def test_forecasts_that_were_left_out_teach_nothing() -> None:
    """Nor do those without bounds."""
    others = [out(made(700, 1000, 1400), LeftOut.SCALED), scored(Forecast(AT, Verdict.GROWING, 60), 60.0)]
    assert calibration(others * 9) == UNCALIBRATED


@pytest.mark.parametrize(
    ("verdict", "low", "high", "held"),
    [(Verdict.AT_LEAST, 500.0, None, True), (Verdict.AT_LEAST, 1500.0, None, False),
     (Verdict.UNTIL_REPAIRED, 500.0, 1500.0, True), (Verdict.STALLED, 500.0, None, False)],
)  # fmt: skip
def test_each_kind_is_scored_by_its_own_claim(
    verdict: Verdict, low: float | None, high: float | None, *, held: bool
) -> None:
    """The queue drained after 1,000 s."""
    assert scored(Forecast(AT, verdict, 60, low, None, high), 1000.0).held is held


def test_a_drain_turns_what_was_foretold_into_scores() -> None:
    """With the time that it really took, to the first sample at the floor; what was foretold after it waits."""
    early, later = made(60, 120, 300), made(60, 120, 300, at=AT + 200)
    pool = Pool("linux", samples_of(9, 5, 2, 0, 7), forecasts=(early, later))
    after = score_due(pool, RULES)
    assert [(score.actual_seconds, score.held) for score in after.scores] == [(180.0, True)]
    assert after.forecasts == (later,)


def test_while_the_queue_stands_or_cannot_be_measured_nothing_is_compared() -> None:
    """Unknown is not zero, and trouble is no drain."""
    pool = Pool("linux", samples_of(9, 5, None), forecasts=(made(60, 120, 300),))
    assert score_due(pool, RULES) is pool
    troubled = replace(pool, samples=samples_of(9, 5, 0), trouble="no answer")
    assert score_due(troubled, RULES) is troubled


def test_an_end_that_nobody_saw_is_left_out() -> None:
    """Half an hour without a sample is too coarse for what took that long, and fine for what took ten hours."""
    pool = Pool("linux", samples_of(9, 0, step=1800.0), forecasts=(made(60, 120, 300),))
    (score,) = score_due(pool, RULES).scores
    assert (score.left_out, score.ratio) == (LeftOut.UNSEEN, None)
    late = Pool("linux", samples_of(9, 0, step=1800.0, since=AT + 10 * HOUR), forecasts=(made(60, 120, 300),))
    (score,) = score_due(late, RULES).scores
    assert (score.left_out, score.held) == (None, False)


def test_after_a_day_every_interval_was_wrong() -> None:
    """A queue that never empties would else leave no trace in the scores; its beginning is not forgotten either."""
    growing = Forecast(AT, Verdict.GROWING, 60, pool="linux")
    pool = Pool("linux", samples_of(9, 9, since=AT + 24 * HOUR - 60), forecasts=(made(60, 120, 300), growing))
    after = score_due(pool, RULES)
    assert [score.held for score in after.scores] == [False, True]
    assert after.forecasts == ()


def test_forecasts_from_before_a_scale_action_are_left_out_and_counted() -> None:
    """They said what would come of itself."""
    pool = replace(Pool("linux"), forecasts=(made(1, 2, 3), made(1, 2, 3, at=AT + 60)))
    after = drop_scaled(pool, AT + 30)
    assert [forecast.at for forecast in after.forecasts] == [AT + 60]
    assert not_scored(after.scores) == {LeftOut.SCALED: 1}
    assert drop_scaled(after, AT + 30) is after
    assert drop_scaled(pool, None) is pool


def test_when_nobody_measures_any_more_what_waits_is_left_out_and_counted() -> None:
    """A refusal foretold nothing, so nothing is missing of it."""
    pool = Pool("linux", forecasts=(made(1, 2, 3), Forecast(AT, Verdict.NONE)))
    assert [score.left_out for score in waiting(pool)] == [LeftOut.WAITING]
    assert not_scored(drop_unmeasured(pool).scores) == {LeftOut.UNSEEN: 1}
    assert drop_unmeasured(pool).forecasts == ()


def test_of_a_long_incident_forecasts_are_kept_from_its_beginning_on() -> None:
    """Only the last two hours would say nothing of how the first forecasts did."""
    kept: tuple[Forecast, ...] = ()
    for number in range(200):
        kept = every_second((*kept, made(1, 2, 3, at=AT + 300 * number)))
    assert kept[0].at == AT
    assert kept[-1].at == AT + 300 * 199
    assert KEPT_FORECASTS / 2 <= len(kept) <= KEPT_FORECASTS


def test_the_newest_scores_are_kept_with_what_was_left_out_in_their_time() -> None:
    """Neither pushes the other out, and both speak of the same time."""
    old = tuple(out(made(1, 2, 3, at=AT - 9 * HOUR), LeftOut.SCALED) for _ in range(5))
    known = tuple(scored(made(1, 2, 3, at=AT - n), 2) for n in range(KEPT_SCORES, 0, -1))
    recent = tuple(out(made(1, 2, 3, at=AT - 30), LeftOut.SCALED) for _ in range(5))
    pool = Pool("linux", samples_of(9, 0), forecasts=(made(30, 60, 90),), scores=(*old, *known, *recent))
    after = score_due(pool, RULES)
    assert sum(not score.left_out for score in after.scores) == KEPT_SCORES
    assert not_scored(after.scores) == {LeftOut.SCALED: 5}


def test_the_share_that_held_counts_only_compared_forecasts_that_named_a_time() -> None:
    """Growing and stalled are no intervals, and what is not known is neither right nor wrong."""
    every = [scored(made(600, 1000, 2000), 1500), scored(made(600, 1000, 2000), 9000)]
    every += [Score(Forecast(AT, Verdict.GROWING), 9000, held=True), out(made(600, 1000, 2000), LeftOut.UNSEEN)]
    assert held_share(every) == (1, 2)
    assert error_factor(every) == pytest.approx(13.5**0.5)


def test_whoever_is_told_the_accuracy_is_told_what_it_leaves_out() -> None:
    """Held, missed, left out by the reason."""
    known, scaled = scored(made(600, 1000, 2000), 1500), out(made(600, 1000, 2000), LeftOut.SCALED)
    ended = out(made(600, 1000, 2000), LeftOut.WAITING)
    first = FirstForecast(AT, 600, 2000, 1500)
    left_out = {LeftOut.SCALED: 2, LeftOut.WAITING: 1}
    assert score_summary([scaled, known, scaled, ended]) == ScoreSummary(1, 1, left_out, first)
    assert score_summary([ended]) == ScoreSummary(left_out={LeftOut.WAITING: 1})
    assert score_summary([]) == ScoreSummary()
    assert not_scored([known]) == {}


def test_what_was_called_stalled_or_growing_is_counted_apart() -> None:
    right, wrong = scored(Forecast(AT, Verdict.GROWING, 60), 7200), scored(Forecast(AT, Verdict.STALLED, 60), 600)
    assert score_summary([right]) == ScoreSummary(came_true=1, stalled=1)
    assert score_summary([right, wrong]) == ScoreSummary(came_true=1, stalled=2)


def test_the_own_past_says_how_long_trouble_lasts() -> None:
    """Troubles that end soon after they are seen teach a steeper law; each counts once, beside one of the age alone."""

    def ended(at: float, lasted: float, left: float) -> Score:
        made = Forecast(at, Verdict.INTERVAL, 9, 60.0, 600.0, 6000.0, lasted_seconds=lasted)
        return scored(made, left)

    assert tail_of([]) is None
    short = [ended(9000.0 * n, 1800.0, 180.0) for n in range(9)]
    assert tail_of(short) == pytest.approx(10 / (1 + 9 * math.log(1.1)))
    assert tail_of([*short, *(ended(9000.0 * n + 60, 1860.0, 120.0) for n in range(9))]) == tail_of(short)
    long = [ended(90_000.0 * n, 1800.0, 36_000.0) for n in range(9)]
    assert (tail_of(long) or 1.0) < 0.4
    assert calibration(long).tail == tail_of(long)
