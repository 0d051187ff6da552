"""The parent's one line of judgement: the likeliest cause, what helps, and the forecast, in coarse steps."""

import math

from bot.core.finding import Finding
from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.pool.pool import empty, stale, worst_first
from bot.core.words import duration
from bot.views.mrkdwn import Marked, escaped, joined, say
from bot.views.parent.pool_rows import name_of
from bot.views.words.causes import cause_name, what_helps
from bot.views.words.forecasts import VERDICTS

STEPS = ((10, 2), (30, 5), (60, 10), (180, 30), (480, 60), (math.inf, 120))
"""Steps of times in minutes, up to so many minutes."""


def judged(incident: Incident, view: View, now: float, timing: Timing) -> tuple[str, Finding | None, Forecast | None]:
    """(the worst affected pool with a fresh queue, its likeliest cause, its forecast); an empty name without one."""
    pools = [view.pools[name] for name in incident.pools.affected if name in view.pools]
    latest = [p.latest for p in pools if p.latest and not stale(p, now, timing.poll)]
    worst = next((s for s in worst_first(latest) if empty(s, _floor(view, s.pool)) is False), None)
    if incident.closed or worst is None:
        return "", None, None
    foretold = view.pools[worst.pool].outlook
    return worst.pool, view.causes.get(worst.pool), foretold if foretold and foretold.at >= worst.at - 1 else None


def verdict(incident: Incident, view: View, now: float, timing: Timing) -> Marked | None:
    """One line for the worst pool; None without a queue, a cause and a forecast."""
    pool, cause, foretold = judged(incident, view, now, timing)
    several = len(incident.pools.affected) > 1
    about = say(" of {pool}", pool=name_of(pool)) if several else say("")
    parts = []
    if cause is not None:
        parts.append(say("*Likely cause{about}:* {cause} ({sureness} confidence). {helps}", about=about,
                         cause=escaped(cause_name(cause.cause), 200), sureness=cause.sureness,
                         helps=what_helps(cause.scaling, cause.remedy)))  # fmt: skip
    if foretold is not None:
        also = about if cause is None else say("")
        parts.append(say("*Forecast{about}:* {words}.", about=also, words=forecast_words(foretold)))
    return joined(" ", *parts) or None


def short_verdict(incident: Incident, view: View, now: float, timing: Timing) -> tuple[Marked | None, Marked | None]:
    """(cause, forecast) for a notification."""
    _, cause, foretold = judged(incident, view, now, timing)
    first = escaped(cause_name(cause.cause), 60) if cause is not None else None
    second = escaped(forecast_words(foretold), 60) if foretold is not None else None
    return first, second


def _floor(view: View, pool: str) -> int:
    return view.rules[pool].floor if pool in view.rules else 0


def forecast_words(made: Forecast) -> str:
    """`drains in 20–45 min`, a bound, `growing` or `no clear trend yet`; the basis stays in the thread."""
    words = VERDICTS[made.verdict]
    low = None if made.low_seconds is None else max(0, _coarse(made.low_seconds / 60, up=False))
    high = None if made.high_seconds is None else _coarse(made.high_seconds / 60, up=True)
    if made.verdict is Verdict.INTERVAL and high is not None:
        return f"{words} within minutes" if high <= 2 else f"{words} in {_span(low or 0, high)}"
    if made.verdict is Verdict.AT_MOST and high is not None:
        return f"{words} within {duration(60 * high)}"
    if made.verdict is Verdict.AT_LEAST and low is not None:
        return f"{words}; {duration(60 * max(low, 1))} at the earliest"
    if made.verdict is Verdict.UNTIL_REPAIRED and low and high is not None:
        return f"{words}; typically in {_span(low, high)}"
    return words


def _span(low: int, high: int) -> str:
    return f"{low}–{high} min" if high < 120 else f"{duration(60 * low)} to {duration(60 * high)}"


def _coarse(minutes: float, *, up: bool) -> int:
    step = next(step for most, step in STEPS if minutes <= most)
    return step * (math.ceil(minutes / step) if up else math.floor(minutes / step))
