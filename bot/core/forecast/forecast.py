"""Forecasts when a queue drains if nobody acts: an interval, a bound, a branch, or why nothing can be said."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.readings import HIGH, LOW, MIDDLE, DrainReadings, quantile, readings
from bot.core.forecast.scoring import thinned
from bot.core.forecast.walk import HORIZON_MINUTES, walk
from bot.core.pool.hour_stats import ExpectedHour
from bot.core.pool.outlook import UNCALIBRATED, Calibration, Forecast, Verdict
from bot.core.pool.pool import Pool, PoolRules, Snapshot, drained
from bot.core.statement import Statement, statement

WIDEST = 10.0
"""An interval whose ends are this factor apart says little; one bound says more."""
FAR_MINUTES = 240.0
"""A queue that no rate drains, and that lasts this long in 9 of 10 cases, has a trend instead of an end."""
TRIMMED: Mapping[bool, float] = {True: 2.0, False: 1.5}
"""Factor beyond WIDEST up to which an interval is drawn together, by whether the present rates drain the queue; four in
five still hold."""
ALONE = 2.0
"""By this factor a latest time moves out where it stands alone: short queues, of which more grow again."""
GROWTH_MINUTES = 30.0


def forecast(
    series: Sequence[Snapshot], rules: PoolRules, known: Calibration | None = None, ahead: Sequence[ExpectedHour] = ()
) -> Forecast:
    """The forecast of the queue if nobody acts."""
    last = series[-1] if series else Snapshot(rules.name, 0.0)
    made = Forecast(last.at, Verdict.NONE, last.queued, pool=rules.name)
    flow = flow_of(series, rules, ahead)
    if isinstance(flow, Statement):
        return replace(made, reason=flow)
    if flow.queued <= flow.floor < (last.queued or 0):
        none, waiting = statement("none_servable", jobs=last.unservable), float(last.queued or 0)
        flow = replace(flow, queued=waiting, runners=0.0, grows=0.0, blocked=none)
    if flow.queued <= flow.floor and flow.cut_off:
        return replace(made, reason=statement("cut_off"))
    if flow.queued <= flow.floor:
        return replace(made, verdict=Verdict.INTERVAL, low_seconds=0.0, mid_seconds=0.0, high_seconds=0.0)
    return _said(made, flow, readings(flow), known or UNCALIBRATED)


def bounds(found: DrainReadings, known: Calibration, *, branch: bool = False) -> tuple[float, float, float]:
    """(low, middle, high) in minutes, calibrated; at most the horizon.

    The lower one is at most the time that the present rates take. Bounds a bit too far apart are drawn together to the
    widest interval that is given. If the present rates do not drain the queue, only the lower one moves: then the end
    of a trouble decides, and it seldom comes at once. A `branch` names its condition and may be wider.
    """
    middle, drains = quantile(found, MIDDLE), found.as_it_is
    low = min(middle, known.low * quantile(found, LOW), HORIZON_MINUTES if drains is None else drains)
    high = min(HORIZON_MINUTES, max(middle, known.high * quantile(found, HIGH)))
    excess = high / low / WIDEST
    if not branch and 1 < excess <= TRIMMED[drains is not None] and high < HORIZON_MINUTES:
        raised = excess if drains is None else math.sqrt(excess)
        near, far = min(middle, low * raised * 1.0001), max(middle, high * (raised / excess))
        low, high = (near, far) if far <= WIDEST * near else (low, high)
    return low, middle, high


def _said(made: Forecast, flow: Flow, found: DrainReadings, known: Calibration) -> Forecast:
    low, middle, high = bounds(found, known, branch=bool(flow.blocked))
    reason: Statement | None = statement(
        "rates", arrivals=round(flow.arrivals, 3), finished=round(flow.pace * flow.runners, 3)
    )
    if flow.blocked:
        verdict, reason = Verdict.UNTIL_REPAIRED, flow.blocked
    elif flow.cut_off:
        verdict, reason = Verdict.AT_LEAST, statement("cut_off")
    elif high < HORIZON_MINUTES and high <= WIDEST * low:
        verdict = Verdict.INTERVAL
        reason = statement("calibrated", scored=known.scored) if known.widen > 1 else None
    elif found.never and low >= FAR_MINUTES:
        *_, last = walk(flow, until=GROWTH_MINUTES)
        grows = last.queued > flow.queued + max(1.0, 0.05 * flow.queued)
        verdict = Verdict.GROWING if grows else Verdict.STALLED
    else:
        alone = ALONE * high
        says_more = alone < HORIZON_MINUTES and HORIZON_MINUTES / alone > max(low, 1.0)
        verdict, high = (Verdict.AT_MOST, alone) if says_more else (Verdict.AT_LEAST, high)
    return replace(
        made,
        verdict=verdict,
        low_seconds=None if verdict is Verdict.AT_MOST else 60 * low,
        mid_seconds=60 * middle,
        high_seconds=None if verdict is Verdict.AT_LEAST or high >= HORIZON_MINUTES else 60 * high,
        reason=reason,
    )


def looked_ahead(pool: Pool, rules: PoolRules, every_seconds: float) -> Pool:
    """The pool's record with the forecast of its newest sample; `scoring.py` scores past ones.

    One forecast per `every_seconds` is kept for scoring, and every change of its kind.
    """
    last = pool.latest
    if last is None or pool.trouble is not None or drained(last, rules):
        return replace(pool, outlook=None)
    made = replace(forecast(pool.samples, rules, pool.calibration, pool.ahead), pool=pool.id)
    kept = pool.forecasts
    before = kept[-1] if kept else None
    if before is None or made.at - before.at >= every_seconds or (made.verdict is not before.verdict):
        kept = thinned((*kept, made))
    return replace(pool, outlook=made, forecasts=kept)
