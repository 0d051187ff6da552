"""The forecast that people read: the last one said, less the time since, until newer ones clearly disagree."""

from dataclasses import dataclass, replace

from bot.core.pool.outlook import Forecast, Verdict

TIMED = frozenset({Verdict.INTERVAL, Verdict.AT_LEAST, Verdict.AT_MOST})
FAR, LOOKS = 2.0, 3
"""So many measurements in a row whose middle is this factor away replace what was said."""


@dataclass(frozen=True, slots=True)
class SteadyForecast:
    forecast: Forecast
    """As of the newest measurement."""
    rival: str = ""
    """What the last forecasts said instead, `looks` times in a row: `sooner`, `later` or another verdict."""
    looks: int = 0


def steadied(held: SteadyForecast | None, made: Forecast | None) -> SteadyForecast | None:
    """What to say after a new forecast; repeating it changes nothing."""
    if made is None or held is None:
        return None if made is None else SteadyForecast(made)
    if made.at <= held.forecast.at:
        return held
    shown = _as_of(made, held.forecast)
    rival = _rival(shown, made)
    looks = held.looks + 1 if rival == held.rival else 1
    if rival and (looks >= LOOKS or shown.verdict is Verdict.NONE or _beyond(shown, made)):
        return SteadyForecast(made)
    return SteadyForecast(shown, rival, looks if rival else 0)


def _as_of(now: Forecast, shown: Forecast) -> Forecast:
    """The same drain, seen from now; a trouble that lasts is no closer to its end.

    Neither is a drain that was "not before 40 min": the bound stays as far as the new one, of either kind, supports it.
    """
    gone = now.at - shown.at if shown.verdict in TIMED else 0.0
    holds = shown.verdict is Verdict.AT_LEAST

    def end(said: float | None, again: float | None) -> float | None:
        if said is None:
            return None
        return min(said, max(said - gone, again if holds and again is not None else 0.0))

    low, mid = end(shown.low_seconds, now.low_seconds), end(shown.mid_seconds, now.mid_seconds)
    high = end(shown.high_seconds, None)
    return replace(shown, at=now.at, queued=now.queued, low_seconds=low, mid_seconds=mid, high_seconds=high)


def _rival(shown: Forecast, made: Forecast) -> str:
    if made.verdict is not shown.verdict and not {made.verdict, shown.verdict} <= TIMED:
        return made.verdict
    before, now = shown.mid_seconds or 0.0, made.mid_seconds or 0.0
    return "later" if now > FAR * before else "sooner" if FAR * now < before else ""


def _beyond(shown: Forecast, made: Forecast) -> bool:
    """Whether the new middle lies outside the bounds that were said."""
    if made.mid_seconds is None or not {made.verdict, shown.verdict} <= TIMED:
        return False
    over = shown.high_seconds is not None and made.mid_seconds > shown.high_seconds
    return over or (shown.low_seconds is not None and made.mid_seconds < shown.low_seconds)
