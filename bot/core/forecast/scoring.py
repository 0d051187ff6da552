"""Scores forecasts against the actual end of the queue, and calibrates later ones."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from bot.core.pool.outlook import (
    UNCALIBRATED,
    Calibration,
    FirstForecast,
    Forecast,
    LeftOut,
    Score,
    ScoreSummary,
    Verdict,
)
from bot.core.pool.pool import Pool, PoolRules, Snapshot, drained

KEPT_FORECASTS, KEPT_SCORES = 24, 60
FURTHEST = 10.0
"""Factor by which a bound moves at most. Origin: what is further off is wrong in kind, not in width."""
MISSED = 0.1
"""Share of the forecasts whose bound may be wrong. Origin: one in ten on each side leaves four in five."""
STEP, POOLED_STEP = 0.25, 0.05
"""How far a wrong bound moves, for the pool and for the whole installation, as a logarithm. Origin: larger steps learn
sooner and cost intervals where nothing is to be learnt (docs/explanation/forecast.md#how-it-is-calibrated)."""
EMPTY_SOON_SECONDS = 1800.0
"""A forecast of stalled or growing was wrong if the queue is empty sooner. Origin: judgement; who read it waits."""
DAY_SECONDS = 86400.0
"""A queue that is not empty for this long proves its intervals wrong; waiting ends."""
UNSEEN_SECONDS, UNSEEN_SHARE = 600.0, 0.1
"""Longest gap between two samples, in seconds or as a share, for the end to count as measured. Origin: sources average
over ten minutes, and a tenth is less than any interval."""


def calibration(scores: Sequence[Score], start: Calibration | None = None, step: float = STEP) -> Calibration:
    """The factors with which each bound would have been wrong in one of ten incidents, beginning with `start`.

    Adaptive conformal inference (I. Gibbs and E. Candès 2021) on logarithms: a wrong bound moves outward by 9 small
    steps, a right one inward by 1. The forecasts of one incident share a step, because they have one truth.
    """
    known = [s for s in scores if s.forecast.verdict.bounded and not s.left_out]
    shared = Counter(round(_ended(score)) for score in known)
    start = start or UNCALIBRATED
    low, high = math.log(start.low), math.log(start.high)
    for score in known:
        made, part = score.forecast, step / shared[round(_ended(score))]
        if made.low_seconds is not None:
            low += part * (MISSED - (score.actual_seconds < made.low_seconds))
        if made.high_seconds is not None:
            high -= part * (MISSED - (score.actual_seconds > made.high_seconds))
        low, high = (min(math.log(FURTHEST), max(-math.log(FURTHEST), end)) for end in (low, high))
    return Calibration(math.exp(low), math.exp(high), len(known), tail_of(known) if step == STEP else start.tail)


def tail_of(scores: Sequence[Score]) -> float | None:
    """The exponent with which the pool's own troubles lasted, by their first forecasts until the drain; None: none has.

    Empirical Bayes: the law of the age alone, whose exponent is 1, counts as one incident.
    """
    first = {round(_ended(one)): one for one in sorted(scores, key=lambda one: -one.forecast.at)}
    pairs = [(one.forecast.lasted_seconds, one.actual_seconds) for one in first.values()]
    logs = [math.log1p(left / lasted) for lasted, left in pairs if lasted]
    return (1 + len(logs)) / (1 + sum(logs)) if logs else None


def _ended(score: Score) -> float:
    return score.forecast.at + score.actual_seconds


def scored(made: Forecast, actual_seconds: float) -> Score:
    """Compare a forecast with the time that the queue really took; `actual_seconds` counts from then."""
    if made.verdict.bounded:
        low, high = made.low_seconds or 0.0, math.inf if made.high_seconds is None else made.high_seconds
        return Score(made, actual_seconds, low <= actual_seconds <= high)
    return Score(made, actual_seconds, made.verdict is Verdict.NONE or actual_seconds >= EMPTY_SOON_SECONDS)


def score_due(pool: Pool, rules: PoolRules) -> Pool:
    """The record with forecasts scored, once samples showed that the queue has drained, incident or not.

    After a gap in the measurements the end is unknown, and after a day waiting ends.
    """
    if pool.trouble is not None or not pool.forecasts:
        return pool
    first = min(made.at for made in pool.forecasts)
    over = {sample.at: drained(sample, rules) for sample in pool.samples if sample.at > first}
    if not any(over.values()) and max(over, default=first) - first < DAY_SECONDS:
        return pool
    each = [(made, _score(pool.samples, made, over)) for made in pool.forecasts]
    waiting = [made for made, came in each if came is None]
    came = [score for _, of_one in each for score in of_one or ()]
    return pool if len(waiting) == len(pool.forecasts) else _entered(pool, came, waiting)


def _score(samples: Sequence[Snapshot], made: Forecast, over: Mapping[float, bool | None]) -> list[Score] | None:
    """The score of one forecast, given whether the queue was empty at each later sample; None while it is open."""
    before: Snapshot | None = None
    for sample in samples:
        age = sample.at - made.at
        if age > 0 and (over[sample.at] or age >= DAY_SECONDS):
            gap = math.inf if before is None else sample.at - before.at
            seen = over[sample.at] is not None and gap <= max(UNSEEN_SECONDS, UNSEEN_SHARE * age)
            return [scored(made, age)] if seen else _left_out([made], LeftOut.UNSEEN, age)
        before = sample
    return None


def drop_scaled(pool: Pool, at: float | None) -> Pool:
    """The record after somebody changed the pool's capacity: earlier forecasts are not scored."""
    before = [made for made in pool.forecasts if at is not None and made.at <= at]
    if at is None or not before:
        return pool
    out = [score for made in before for score in _left_out([made], LeftOut.SCALED, at - made.at)]
    return _entered(pool, out, [made for made in pool.forecasts if made.at > at])


def drop_unmeasured(pool: Pool) -> Pool:
    """The record when the pool is no longer measured: open forecasts stay unscored."""
    return _entered(pool, _left_out(pool.forecasts, LeftOut.UNSEEN), []) if pool.forecasts else pool


def waiting(pool: Pool) -> tuple[Score, ...]:
    """The unscored forecasts when the incident ends."""
    return tuple(_left_out(pool.forecasts, LeftOut.WAITING))


def every_second(forecasts: Sequence[Forecast]) -> tuple[Forecast, ...]:
    """Every second one if there are too many, so that the beginning of a long incident counts as well."""
    return tuple(forecasts if len(forecasts) <= KEPT_FORECASTS else forecasts[::2])


def _left_out(made: Sequence[Forecast], why: LeftOut, waited_seconds: float = 0.0) -> list[Score]:
    """A forecast without a time is not counted as left out."""
    return [Score(one, waited_seconds, False, why) for one in made if one.verdict is not Verdict.NONE]


def _entered(pool: Pool, came: Sequence[Score], waiting: Sequence[Forecast]) -> Pool:
    """The newest scored forecasts, and those left out in the same time."""
    every = (*pool.scores, *came)
    known = [score for score in every if not score.left_out][-KEPT_SCORES:]
    since = known[0].forecast.at if len(known) == KEPT_SCORES else -math.inf
    out = [score for score in every if score.left_out and score.forecast.at >= since][-KEPT_SCORES:]
    scores = tuple(sorted((*known, *out), key=lambda score: score.forecast.at))
    return replace(pool, forecasts=tuple(waiting), scores=scores)


def held_share(scores: Sequence[Score]) -> tuple[int, int]:
    """Of the scored forecasts with a bound: how many were right, and how many there are."""
    timed = [s for s in scores if s.forecast.verdict.bounded and not s.left_out]
    return sum(s.held for s in timed), len(timed)


def not_scored(scores: Sequence[Score]) -> Counter[LeftOut]:
    """Unscored forecasts with a bound, by reason."""
    return Counter(s.left_out for s in scores if s.left_out and s.forecast.verdict.bounded)


def error_factor(scores: Sequence[Score]) -> float | None:
    """The median factor between forecast and actual time, 1 is perfect; None without scores."""
    known = [abs(math.log(ratio)) for s in scores if (ratio := s.ratio) is not None and ratio > 0]
    return math.exp(median(known)) if known else None


def score_summary(scores: Sequence[Score]) -> ScoreSummary:
    """Forecast against truth, with how many are left out."""
    held, timed = held_share(scores)
    known = [s for s in scores if not s.left_out]
    first = next((s for s in known if s.forecast.verdict.bounded and s.forecast.queued), None)
    others = [s for s in known if s.forecast.verdict in {Verdict.STALLED, Verdict.GROWING}]
    made = first.forecast if first else None
    return ScoreSummary(
        held,
        timed,
        dict(not_scored(scores)),
        FirstForecast(made.at, made.low_seconds or 0.0, made.high_seconds, first.actual_seconds)
        if first and made
        else None,
        sum(s.held for s in others),
        len(others),
    )
