"""Forecasts whether the queue drains by itself: an interval, `stalled`, `growing`, or no forecast with a reason."""

import math
from collections.abc import Sequence
from dataclasses import replace

from bot.core.forecast.drain import HORIZON_MINUTES, WalkPoint, crossing, walk
from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.forecast.scoring import Calibration, calibration, thinned
from bot.core.pool.hour_stats import Baseline
from bot.core.pool.pool import Pool, PoolRules, Snapshot, empty
from bot.core.statement import Statement, statement

INTERVAL_Z = 1.4
"""Standard deviations on each side; 1.28 would be 80 % for a normal distribution, the rest was measured."""
DRIFT = 0.3
"""Relative uncertainty of a forecast time per square root of an hour, without known weeks.

A random walk with this step moves in half a day (0.3 × √12 = 1.0) as far as a rhythm with a third of the jobs at night:
opposite hours then differ by the mean of both.
"""
GROWTH_MINUTES = 30.0


def forecast(
    series: Sequence[Snapshot],
    rules: PoolRules,
    known: Calibration | None = None,
    ahead: tuple[Baseline, ...] = (),
) -> Forecast:
    """The forecast of the queue if nobody acts."""
    last = series[-1] if series else None
    at, queued = (last.at, last.queued) if last else (0.0, None)
    said = Forecast(at, Verdict.UNSAID, queued, pool=rules.name)
    flow = flow_of(tuple(series), rules, ahead)
    if isinstance(flow, Statement):
        return replace(said, reason=flow)
    if flow.queued <= flow.floor:
        return replace(said, verdict=Verdict.CLEARS, low_seconds=0.0, mid_seconds=0.0, high_seconds=0.0)
    if last is not None and (blocked := blocked_by(last, rules)):
        return replace(said, verdict=Verdict.GROWING if flow.arrivals else Verdict.STALLED, reason=blocked)
    return _read_off(said, flow, walk(flow), known or Calibration())


def blocked_by(last: Snapshot, rules: PoolRules) -> Statement | None:
    """Why past rates cannot be used: runners are idle beside a queue, or there are none."""
    waits = (last.oldest_wait_seconds or 0) > rules.boot_time_seconds
    if last.provider_up is False:
        return statement("provider_down")
    if last.idle and waits and last.queued and last.idle >= min(2, last.queued):
        return statement("not_assigned", idle=last.idle)
    return statement("no_runners") if last.busy == last.idle == last.booting == 0 else None


def _read_off(said: Forecast, flow: Flow, points: list[WalkPoint], known: Calibration) -> Forecast:
    mid = crossing(points, flow.floor, 0.0)
    low = crossing(points, flow.floor, -INTERVAL_Z)
    high = crossing(points, flow.floor, INTERVAL_Z)
    if mid is None or crossing(walk(_unhoped(flow)), flow.floor, 0.0) is None:
        later = next(point.queued for point in points if point.minute >= GROWTH_MINUTES)
        grows = later > flow.queued + max(1.0, 0.05 * flow.queued)
        why = statement("rates", arrivals=round(flow.arrivals, 3), finished=round(flow.pace * flow.online, 3))
        return replace(said, verdict=Verdict.GROWING if grows else Verdict.STALLED, reason=why)
    if high is None or low is None:
        why = statement("too_close", not_before_minutes=max(1, round(low or 0)))
        return replace(said, reason=why)
    low, mid, top = spread_out(flow, low, mid, high, known.widen)
    return replace(
        said,
        verdict=Verdict.CLEARS,
        low_seconds=60 * low,
        mid_seconds=60 * mid,
        high_seconds=60 * (top or HORIZON_MINUTES),
        reason=statement("calibrated", scored=known.scored) if known.widen > 1 else None,
    )


def _unhoped(flow: Flow) -> Flow:
    """The flow without the assumption that people push less; only past weeks may lower arrivals."""
    return replace(flow, lasts=True) if flow.habits else replace(flow, usual=None)


def spread_out(
    flow: Flow, low: float, mid: float, high: float | None, widen: float
) -> tuple[float, float, float | None]:
    """The interval in minutes, widened; a short queue clears with the next few jobs, which is never precise.

    Without known weeks it widens with the forecast time.
    """
    mid = max(mid, 0.5)
    soon = 1 / math.sqrt(flow.queued + 1)
    drift = 0.0 if flow.habits else INTERVAL_Z * DRIFT * math.sqrt(mid / 60)
    low = max(0.05, min(low, mid * (1 - 0.5 * soon)))
    down = math.exp(widen * math.hypot(math.log(mid / low), drift))
    if high is None:
        return mid / down, mid, None
    high = max(high, mid * (1 + 1.5 * soon))
    up = math.exp(widen * math.hypot(math.log(high / mid), drift))
    return mid / down, mid, min(mid * up, HORIZON_MINUTES)


def looked_ahead(pool: Pool, rules: PoolRules, every_seconds: float) -> Pool:
    """The pool's record with the forecast of its newest sample; `scoring.py` scores past ones.

    One forecast per `every_seconds` is kept for scoring, and every change of the verdict.
    """
    last = pool.latest
    if last is None or pool.trouble is not None or empty(last, rules.floor):
        return replace(pool, outlook=None)
    made = replace(forecast(pool.samples, rules, calibration(pool.scores), pool.ahead), pool=pool.id)
    kept = pool.forecasts
    before = kept[-1] if kept else None
    if before is None or made.at - before.at >= every_seconds or (made.verdict is not before.verdict):
        kept = thinned((*kept, made))
    return replace(pool, outlook=made, forecasts=kept)
