"""Will the queue drain on its own: an interval, `stalled`, `growing`, or the reason why nothing can be said."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from bot.core.drain import HORIZON_MINUTES, Point, crossing, walk
from bot.core.flow import Flow, flow_of
from bot.core.hour import Usual
from bot.core.outlook import Forecast, Score, Verdict
from bot.core.pool import Pool, PoolRules, Snapshot, empty
from bot.core.words import count, duration

INTERVAL_Z = 1.4
"""Standard deviations on each side; 1.28 would be 80 % if all were normal, the rest was measured on the fleet."""
KEPT_FORECASTS, KEPT_SCORES = 24, 60
LEAST_SCORES = 5
WIDEST = 4.0
EMPTY_SOON_SECONDS = 1800.0
"""A queue called stalled or growing that is empty sooner than this was called wrongly."""
GROWTH_MINUTES = 30.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """How wrong this pool's recent forecasts were; 1 leaves intervals as they are."""

    widen: float = 1.0
    scored: int = 0


def calibration(scores: Sequence[Score]) -> Calibration:
    """The factor by which past intervals would have held 80 % of the time; never narrower than as computed."""
    needed = sorted(n for score in scores if (n := _needed(score)) is not None)
    if len(needed) < LEAST_SCORES:
        return Calibration(scored=len(needed))
    place = min(len(needed) - 1, math.ceil(0.8 * (len(needed) + 1)) - 1)
    return Calibration(min(WIDEST, max(1.0, needed[place])), len(needed))


def _needed(score: Score) -> float | None:
    """By how much this interval would have had to be wider, on the scale of ratios."""
    f = score.forecast
    if not f.low_seconds or not f.mid_seconds or not f.high_seconds or score.actual_seconds <= 0:
        return None
    off = math.log(score.actual_seconds / f.mid_seconds)
    side = f.high_seconds / f.mid_seconds if off > 0 else f.mid_seconds / f.low_seconds
    return abs(off) / max(math.log(side), 0.05)


def forecast(
    series: Sequence[Snapshot],
    rules: PoolRules,
    known: Calibration | None = None,
    speed: float = 1.0,
    ahead: tuple[Usual, ...] = (),
) -> Forecast:
    """What becomes of the queue when nobody does anything; times in the fleet's own seconds (see `flow_of`)."""
    last = series[-1] if series else None
    at, queued = (last.at, last.queued) if last else (0.0, None)
    said = Forecast(at, Verdict.UNSAID, queued, pool=rules.name)
    flow = flow_of(tuple(series), rules, speed, ahead)
    if isinstance(flow, str):
        return replace(said, reason=flow)
    if flow.queued <= flow.floor:
        return replace(said, verdict=Verdict.CLEARS, low_seconds=0.0, mid_seconds=0.0, high_seconds=0.0)
    if last is not None and (blocked := blocked_by(last, rules)):
        return replace(said, verdict=Verdict.GROWING if flow.arrivals else Verdict.STALLED, reason=blocked)
    return _read_off(said, flow, walk(flow), known or Calibration())


def blocked_by(last: Snapshot, rules: PoolRules) -> str:
    """Why no rate of the past says anything: runners stand idle beside a queue, or there are none."""
    waits = (last.oldest_wait_seconds or 0) > rules.boot_time_seconds
    if last.provider_up is False:
        return "the CI provider assigns no jobs; nothing drains until it does"
    if last.idle and waits and last.queued and last.idle >= min(2, last.queued):
        return f"{count(last.idle, 'runner')} idle beside the queue: jobs are not being assigned"
    if not last.busy and not last.idle and not last.booting:
        return "no runner is there to take a job, and none is booting"
    return ""


def _read_off(said: Forecast, flow: Flow, points: list[Point], known: Calibration) -> Forecast:
    mid = crossing(points, flow.floor, 0.0)
    low = crossing(points, flow.floor, -INTERVAL_Z)
    high = crossing(points, flow.floor, INTERVAL_Z)
    if mid is None or crossing(walk(_unhoped(flow)), flow.floor, 0.0) is None:
        later = next(point.queued for point in points if point.minute >= GROWTH_MINUTES)
        grows = later > flow.queued + max(1.0, 0.05 * flow.queued)
        why = f"{flow.arrivals:.1f} jobs arrive a minute, about {flow.pace * flow.online:.1f} are finished"
        return replace(said, verdict=Verdict.GROWING if grows else Verdict.STALLED, reason=why)
    if high is None or low is None:
        why = f"arrivals and completions are too close to call; not before {max(1, round(low or 0))} min"
        return replace(said, reason=why)
    low, mid, top = spread_out(flow.queued, low, mid, high, known.widen)
    return replace(
        said,
        verdict=Verdict.CLEARS,
        low_seconds=60 * low,
        mid_seconds=60 * mid,
        high_seconds=60 * (top or HORIZON_MINUTES),
        reason=f"after {count(known.scored, 'scored forecast')}" if known.widen > 1 else "",
    )


def _unhoped(flow: Flow) -> Flow:
    """The flow without the hope that people stop pushing: only the habits of past weeks may lower what arrives."""
    return replace(flow, lasts=True) if flow.habits else replace(flow, usual=None)


def spread_out(
    queued: float, low: float, mid: float, high: float | None, widen: float
) -> tuple[float, float, float | None]:
    """The interval in minutes, widened; a short queue clears when the next few jobs end, and that is never sharp."""
    mid = max(mid, 0.5)
    soon = 1 / math.sqrt(queued + 1)
    low = max(0.05, min(low, mid * (1 - 0.5 * soon)))
    down = (mid / low) ** widen
    if high is None:
        return mid / down, mid, None
    up = (max(high, mid * (1 + 1.5 * soon)) / mid) ** widen
    return mid / down, mid, min(mid * up, HORIZON_MINUTES)


def scored(made: Forecast, actual_seconds: float) -> Score:
    """Compare a forecast with the time that the queue really took; `actual_seconds` in the fleet's own time."""
    if made.verdict is Verdict.CLEARS and made.low_seconds is not None and made.high_seconds is not None:
        return Score(made, actual_seconds, made.low_seconds <= actual_seconds <= made.high_seconds)
    return Score(made, actual_seconds, made.verdict is Verdict.UNSAID or actual_seconds >= EMPTY_SOON_SECONDS)


def looked_ahead(pool: Pool, rules: PoolRules, every_seconds: float, speed: float = 1.0) -> Pool:
    """The pool's record with the forecast of its newest sample; past ones are scored when the queue is at its floor.

    One forecast in `every_seconds` is kept to be scored, and each change of the verdict.
    """
    last = pool.latest
    if last is None or pool.trouble is not None:
        return replace(pool, outlook=None)
    if empty(last, rules.floor):
        came = tuple(scored(made, (last.at - made.at) * speed) for made in pool.forecasts)
        return replace(pool, outlook=None, forecasts=(), scores=(*pool.scores, *came)[-KEPT_SCORES:])
    made = replace(forecast(pool.samples, rules, calibration(pool.scores), speed, pool.ahead), pool=pool.id)
    kept = pool.forecasts
    before = kept[-1] if kept else None
    if before is None or made.at - before.at >= every_seconds or (made.verdict is not before.verdict):
        kept = (*kept, made)[-KEPT_FORECASTS:]
    return replace(pool, outlook=made, forecasts=kept)


def touched(pool: Pool, at: float | None) -> Pool:
    """The record after somebody changed the pool's capacity: what was foretold before that is not scored."""
    if at is None:
        return pool
    return replace(pool, forecasts=tuple(made for made in pool.forecasts if made.at > at))


def held_share(scores: Mapping[str, Sequence[Score]] | Sequence[Score]) -> tuple[int, int]:
    """How many of the scored forecasts that said a time held the truth, and how many there were."""
    every = [s for group in scores.values() for s in group] if isinstance(scores, Mapping) else list(scores)
    timed = [s for s in every if s.forecast.verdict is Verdict.CLEARS]
    return sum(s.held for s in timed), len(timed)


def error_factor(scores: Sequence[Score]) -> float | None:
    """The median factor between foretold and real time, 1 is perfect; None when nothing could be compared."""
    known = [abs(math.log(ratio)) for s in scores if (ratio := s.ratio) is not None and ratio > 0]
    return math.exp(median(known)) if known else None


def score_lines(scores: Sequence[Score]) -> tuple[str, ...]:
    """Forecast against truth, for the farewell; nothing when nothing was foretold."""
    held, timed = held_share(scores)
    said = []
    first = next((s for s in scores if s.forecast.verdict is Verdict.CLEARS and s.forecast.queued), None)
    if first is not None and first.forecast.low_seconds is not None:
        low, high = duration(first.forecast.low_seconds), duration(first.forecast.high_seconds)
        said.append(f"Forecast: {held} of {count(timed, 'interval')} held the truth")
        said.append(f"The first said {low} to {high}; it took {duration(first.actual_seconds)}")
    others = [s for s in scores if s.forecast.verdict in {Verdict.STALLED, Verdict.GROWING}]
    if others:
        right = sum(s.held for s in others)
        said.append(f"Called stalled or growing {count(len(others), 'time')}, rightly {count(right, 'time')}")
    return tuple(said)
