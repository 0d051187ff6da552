"""The forecast that people read: the last one said, less the time since, until newer ones clearly disagree."""

from dataclasses import dataclass, replace

from bot.core.pool.outlook import Forecast, Verdict

COUNTED = frozenset({Verdict.INTERVAL, Verdict.AT_LEAST})
"""Kinds whose end comes closer with time; a trouble that lasts is no closer to its end."""
SAMPLES, SETTLED_SECONDS = 3, 600.0
"""Another kind is said after so many measurements in a row, over so long. Origin: one may be chance and two a
coincidence; sources average over as long."""


@dataclass(frozen=True, slots=True)
class SteadyForecast:
    forecast: Forecast
    """As of the newest measurement."""
    rival: str = ""
    """The kind, and whether more runners help, that the last forecasts had instead, `rival_streak` times in a row."""
    rival_streak: int = 0
    since: float = 0.0
    """When they began to (epoch seconds)."""
    was: Forecast | None = None
    """What was said before it; None: nothing else."""


def steadied(held: SteadyForecast | None, made: Forecast | None) -> SteadyForecast | None:
    """What to say after a new forecast; repeating it changes nothing."""
    if made is None or held is None:
        return None if made is None else SteadyForecast(made)
    if made.at <= held.forecast.at:
        return held
    shown = _as_of(made, held.forecast)
    if shown.verdict is Verdict.NONE:
        return SteadyForecast(made)
    kind = "" if _kind(made) == _kind(shown) else _kind(made)
    goes_on = bool(kind) and kind == held.rival
    rival_streak, since = (held.rival_streak + 1, held.since) if goes_on else (int(bool(kind)), made.at)
    if (rival_streak >= SAMPLES and made.at - since >= SETTLED_SECONDS) or (
        made.verdict is shown.verdict and _beyond(shown, made)
    ):
        return SteadyForecast(made, was=held.forecast)
    return SteadyForecast(shown, kind, rival_streak, since if kind else 0.0, held.was)


def _kind(made: Forecast) -> str:
    """What must not change with every sample: its kind, and whether more runners help."""
    return made.verdict.value if made.helped is None else f"{made.verdict.value}/{made.helped}"


def _as_of(now: Forecast, shown: Forecast) -> Forecast:
    """The same drain, seen from now."""
    gone = now.at - shown.at if shown.verdict in COUNTED else 0.0

    def left(seconds: float | None) -> float | None:
        return None if seconds is None else max(0.0, seconds - gone)

    return replace(
        shown, at=now.at, queued=now.queued, low_seconds=left(shown.low_seconds),
        lower_seconds=left(shown.lower_seconds), mid_seconds=left(shown.mid_seconds),
        upper_seconds=left(shown.upper_seconds), high_seconds=left(shown.high_seconds), today=now.today,
    )  # fmt: skip


def _beyond(shown: Forecast, made: Forecast) -> bool:
    """Whether the middle half of the new forecast lies outside the four fifths of what was said."""
    later = made.lower_seconds is not None and shown.high_seconds is not None
    sooner = made.upper_seconds is not None and shown.low_seconds is not None
    return (later and (made.lower_seconds or 0.0) > (shown.high_seconds or 0.0)) or (
        sooner and (made.upper_seconds or 0.0) < (shown.low_seconds or 0.0)
    )
