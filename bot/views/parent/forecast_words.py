"""The parent's line with likeliest cause and forecast, in coarse steps so that it seldom changes."""

import math

from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.pool.pool import empty, stale, worst_first
from bot.core.words import duration
from bot.views.mrkdwn import Marked, escaped, joined, say
from bot.views.parent.pool_rows import name_of
from bot.views.words.causes import cause_name
from bot.views.words.forecasts import VERDICTS, reason_words

STEPS = ((10, 2), (30, 5), (60, 10), (180, 30), (480, 60), (math.inf, 120))
"""Steps of times in minutes, up to so many minutes."""


def outlook(incident: Incident, view: View, now: float, timing: Timing, *, plain: bool = False) -> Marked | None:
    """For the worst affected pool with a queue; None without one. `plain` omits bold."""
    pools = [view.pools[name] for name in incident.pools.affected if name in view.pools]
    latest = [p.latest for p in pools if p.latest and not stale(p, now, timing.poll)]
    worst = next((s for s in worst_first(latest) if empty(s, _floor(view, s.pool)) is False), None)
    if incident.closed or worst is None:
        return None
    about = say(" of {pool}", pool=name_of(worst.pool)) if len(latest) > 1 else say("")
    bold = say("") if plain else say("*")
    cause, foretold = view.causes.get(worst.pool), view.pools[worst.pool].outlook
    first = None
    if cause is not None:
        first = say("{bold}Likely cause{about}:{bold} {cause} ({sureness} confidence)", bold=bold,
                    about=about, cause=escaped(cause_name(cause.cause), 200), sureness=cause.sureness)  # fmt: skip
    second = None
    if foretold is not None and foretold.at >= worst.at - 1:
        also = about if first is None else say("")
        second = say("{bold}Forecast{about}:{bold} {words}", bold=bold, about=also, words=forecast_words(foretold))
    return joined(" · ", first, second) or None


def _floor(view: View, pool: str) -> int:
    return view.rules[pool].floor if pool in view.rules else 0


def forecast_words(made: Forecast) -> str:
    """`clears in 20–45 min`, `stalled`, `growing`, or why nothing can be said; the fine print stays in the thread."""
    if made.verdict is Verdict.UNSAID:
        return f"{VERDICTS[made.verdict]}: {reason_words(made.reason)}"
    if made.verdict is not Verdict.CLEARS or made.low_seconds is None or made.high_seconds is None:
        return VERDICTS[made.verdict]
    low, high = _coarse(made.low_seconds / 60, up=False), _coarse(made.high_seconds / 60, up=True)
    if high <= 2:
        return "clears within minutes"
    if high < 120:
        return f"clears in {low}–{high} min"
    return f"clears in {duration(60 * low)} to {duration(60 * high)}"


def _coarse(minutes: float, *, up: bool) -> int:
    step = next(step for most, step in STEPS if minutes <= most)
    return step * (math.ceil(minutes / step) if up else math.floor(minutes / step))
