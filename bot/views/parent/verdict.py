"""The parent's one line of judgement: the likeliest cause, what helps, and the forecast, in coarse steps."""

from bot.core.finding import Finding
from bot.core.forecast.outlook import Forecast
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.pool.pool import empty, stale, worst_first
from bot.views.mrkdwn import Marked, escaped, joined, say
from bot.views.parent.pool_rows import name_of
from bot.views.words.causes import cause_name, what_helps
from bot.views.words.forecasts import forecast_words


def judged(incident: Incident, view: View, now: float, timing: Timing) -> tuple[str, Finding | None, Forecast | None]:
    """(the worst affected pool with a fresh queue, its likeliest cause, its forecast); an empty name without one."""
    pools = [view.pools[name] for name in incident.pools.affected if name in view.pools]
    latest = [p.latest for p in pools if p.latest and not stale(p, now, timing.poll)]
    worst = next((s for s in worst_first(latest) if empty(s, _floor(view, s.pool)) is False), None)
    if incident.closed or worst is None:
        return "", None, None
    made = view.pools[worst.pool].said
    return worst.pool, view.causes.get(worst.pool), made if made and made.at >= worst.at - 1 else None


def verdict(incident: Incident, view: View, now: float, timing: Timing) -> Marked | None:
    """One line for the worst pool; None without a queue, a cause and a forecast."""
    pool, cause, made = judged(incident, view, now, timing)
    several = len(incident.pools.affected) > 1
    about = say(" of {pool}", pool=name_of(pool)) if several else say("")
    parts = []
    if cause is not None:
        parts.append(say("*Likely cause{about}:* {cause} ({sureness} confidence). {helps}", about=about,
                         cause=escaped(cause_name(cause.cause), 200), sureness=cause.sureness,
                         helps=what_helps(cause.scaling, cause.remedy)))  # fmt: skip
    if made is not None:
        also = about if cause is None else say("")
        parts.append(say("*Forecast{about}:* {words}.", about=also, words=forecast_words(made)))
    return joined(" ", *parts) or None


def short_verdict(incident: Incident, view: View, now: float, timing: Timing) -> tuple[Marked | None, Marked | None]:
    """(cause, forecast) for a notification."""
    _, cause, made = judged(incident, view, now, timing)
    first = escaped(cause_name(cause.cause), 60) if cause is not None else None
    second = escaped(forecast_words(made, brief=True), 60) if made is not None else None
    return first, second


def _floor(view: View, pool: str) -> int:
    return view.rules[pool].floor if pool in view.rules else 0
