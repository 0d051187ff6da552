"""A silence created by Tailback: where it is, until when, and under which condition it ends sooner."""

from dataclasses import dataclass

from bot.core.alert import Alert, Matcher
from bot.core.alert import silences as covers
from bot.core.incident.details.requests import ActiveSilence, Coverage
from bot.core.incident.membership import alert_label

SILENCE, PROLONG, UNSILENCE = "silence", "prolong", "unsilence"
"""The actions that make, extend and end one; the first is the callback id of its dialog too."""
WARN_SECONDS = 600.0
"""How long before its end the owner is notified; not for silences shorter than twice that."""


@dataclass(frozen=True, slots=True)
class Silence:
    id: str
    alertmanager: str
    ends_at: float
    by: str
    act: str
    """The request that created it; part of the silence's comment, to find it again."""
    ended: bool = False
    until_drained: bool = False
    """Whether it ends with the drain; `ends_at` is the latest end."""
    above: int | None = None
    warn_at: float | None = None
    """When to notify the owner of its end; None: never, or done."""
    matchers: tuple[Matcher, ...] = ()
    """As they were confirmed."""


def holding(silences: tuple[Silence, ...], now: float) -> tuple[Silence, ...]:
    """Active silences at a moment, as far as known; the last to end comes first."""
    active = [one for one in silences if not one.ended and one.ends_at > now]
    return tuple(sorted(active, key=lambda one: -one.ends_at))


def coverage(silences: tuple[Silence, ...], alerts: tuple[Alert, ...], now: float) -> Coverage | None:
    """How many firing alerts the active silences cover; None without any."""
    active, firing = holding(silences, now), [alert for alert in alerts if alert.firing]
    if not active or not firing:
        return None
    open_ones = [alert for alert in firing if not any(covers(one.matchers, alert) for one in active)]
    return Coverage(len(firing) - len(open_ones), len(firing), tuple(alert_label(alert) for alert in open_ones))


def goes_on(silence: Silence, now: float) -> ActiveSilence:
    """How long a silence goes on from now, and what ends it sooner."""
    return ActiveSilence(silence.ends_at, silence.ends_at - now, silence.until_drained, silence.above)


def warn_at(ends_at: float, now: float) -> float | None:
    """When to notify of the end of a new silence."""
    return ends_at - WARN_SECONDS if ends_at - now >= 2 * WARN_SECONDS else None
