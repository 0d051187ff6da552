"""Forecasts when a queue drains if nobody acts: an interval, a bound, a branch, or why nothing can be said."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.core.forecast.model import foreseen
from bot.core.forecast.rates import LEAST_SAMPLES
from bot.core.forecast.scoring import every_second
from bot.core.forecast.seen import Seen, seen_of
from bot.core.pool.hour_stats import DayStats, ExpectedHour
from bot.core.pool.outlook import (
    LEAST_FASTER,
    NOTHING,
    UNBOUND,
    UNCALIBRATED,
    Calibration,
    Forecast,
    Quantiles,
    Reach,
    ToldByCause,
    Verdict,
)
from bot.core.pool.pool import Pool, PoolRules, Snapshot, drained
from bot.core.statement import statement

STEP_SECONDS = 60.0
"""Between two samples, where only one is known."""
DIGITS = 3
"""Origin: more than anyone reads of a rate."""


@dataclass(frozen=True, slots=True)
class ForecastInputs:
    reach: Reach = UNBOUND
    told: ToldByCause = NOTHING


def forecast(  # noqa: PLR0913 - all that is known of a pool
    series: Sequence[Snapshot],
    rules: PoolRules,
    known: Calibration | None = None,
    ahead: Sequence[ExpectedHour] = (),
    day: DayStats | None = None,
    *,
    inputs: ForecastInputs | None = None,
) -> Forecast:
    """The forecast of the queue if nobody acts."""
    inputs, last = inputs or ForecastInputs(), series[-1] if series else Snapshot(rules.name, 0.0)
    made = Forecast(last.at, Verdict.NONE, last.queued, pool=rules.name)
    seen = seen_of(series, rules, ahead, day, told=inputs.told, known=known)
    if not isinstance(seen, Seen):
        return replace(made, reason=seen)
    if seen.queued <= seen.floor:
        none = replace(made, reason=statement("cut_off"))
        over = replace(made, verdict=Verdict.INTERVAL, low_seconds=0.0, mid_seconds=0.0, high_seconds=0.0)
        return none if seen.cut_off else over
    samples = [s for s in series if s.queued is not None][-LEAST_SAMPLES:]
    if len(samples) < LEAST_SAMPLES:
        step = last.at - samples[0].at if len(samples) > 1 else STEP_SECONDS
        return replace(made, reason=statement("first_forecast", at=last.at + (LEAST_SAMPLES - len(samples)) * step))
    return _with_times(made, seen, known or UNCALIBRATED, inputs)


def _with_times(made: Forecast, seen: Seen, known: Calibration, inputs: ForecastInputs) -> Forecast:
    found = foreseen(seen, made.pool, inputs.reach)
    times = calibrated(found.drains, known)
    if seen.until and found.stands:
        verdict, reason = Verdict.UNTIL_REPAIRED, seen.until
    elif seen.cut_off:
        verdict, reason = Verdict.AT_LEAST, statement("cut_off")
    else:
        verdict = _kind(times, grows=found.grows)
        finished = round(seen.ends.rate * seen.runners, DIGITS)
        reason = statement("rates", arrivals=round(seen.arrivals.rate, DIGITS), finished=finished)
    repaired = _known(found.repaired.middle) if found.repaired else None
    unsure = seen.cut_off or (found.times > LEAST_FASTER and seen.unsure(inputs.reach.lever))
    low, lower, middle, upper, high = map(_known, times)
    return replace(
        made,
        verdict=verdict,
        low_seconds=low,
        mid_seconds=middle,
        high_seconds=None if verdict is Verdict.AT_LEAST else high,
        reason=reason,
        lower_seconds=lower,
        upper_seconds=upper,
        today=found.today,
        repaired_seconds=repaired if verdict is Verdict.UNTIL_REPAIRED else None,
        told=inputs.told,
        lasted_seconds=60 * round(seen.lasted),
        added=_room(seen, inputs.reach),
        times_faster=None if unsure else found.times,
    )


def _room(seen: Seen, reach: Reach) -> int:
    """The most runners that may be added now: one step, up to the maximum of the pool."""
    return reach.step if reach.maximum is None else max(0, min(reach.step, int(reach.maximum - seen.supply.there)))


def _known(seconds: float) -> float | None:
    """None beyond the horizon."""
    return None if math.isinf(seconds) else seconds


def _kind(times: Quantiles, *, grows: bool) -> Verdict:
    if math.isinf(times.middle):
        return Verdict.GROWING if grows else Verdict.STALLED
    return Verdict.AT_LEAST if math.isinf(times.high) else Verdict.INTERVAL


def calibrated(times: Quantiles, known: Calibration) -> Quantiles:
    """The span with its ends moved by what past forecasts have taught."""
    low, high = min(times.middle, times.low * known.low), max(times.middle, times.high * known.high)
    return times._replace(low=low, lower=max(low, times.lower), upper=min(high, times.upper), high=high)


def looked_ahead(pool: Pool, rules: PoolRules, every_seconds: float, inputs: ForecastInputs | None = None) -> Pool:
    """The pool's record with the forecast of its newest sample; `scoring.py` scores past ones.

    One forecast per `every_seconds` is kept for scoring, and every change of its kind.
    """
    last = pool.latest
    if last is None or pool.trouble is not None or drained(last, rules):
        return replace(pool, outlook=None)
    made = forecast(pool.samples, rules, pool.calibration, pool.ahead, pool.day, inputs=inputs)
    kept = pool.forecasts
    before = kept[-1] if kept else None
    if before is None or made.at - before.at >= every_seconds or (made.verdict is not before.verdict):
        kept = every_second((*kept, replace(made, lower_seconds=None, upper_seconds=None, added=0, times_faster=None)))
    return replace(pool, outlook=made, forecasts=kept)
