"""A silence that was made from here: where it is, until when, and under which condition it ends sooner."""

from dataclasses import dataclass

from bot.core.incident.details.silences import ActiveSilence

SILENCE = "silence"
"""The action that makes one, and the callback id of its dialog."""
PROLONG = "prolong"
"""The action that extends a silence."""
UNSILENCE = "unsilence"
"""The action that ends it early."""
WARN_SECONDS = 600.0
"""How long before its end its owner is told; not of one that is shorter than twice that."""


@dataclass(frozen=True, slots=True)
class Silence:
    """A silence that Tailback made for an incident."""

    id: str
    alertmanager: str
    """The name of the configured back end that holds it."""
    ends_at: float
    by: str
    """User id of its owner."""
    act: str
    """The action that made it; stands in the silence's comment, so that it can be found again."""
    ended: bool = False
    until_drained: bool = False
    """Ends as soon as the incident has drained; `ends_at` is the latest."""
    above: int | None = None
    """Ends as soon as more jobs than this wait."""
    warn_at: float | None = None
    """When to tell the owner that the end is near; None: not, or told."""


def holding(silences: tuple[Silence, ...], now: float) -> tuple[Silence, ...]:
    """Those that hold at a moment, as far as is known here; the last to end comes first."""
    active = [one for one in silences if not one.ended and one.ends_at > now]
    return tuple(sorted(active, key=lambda one: -one.ends_at))


def goes_on(silence: Silence, now: float) -> ActiveSilence:
    """How long a silence goes on from now, and what ends it sooner."""
    return ActiveSilence(silence.ends_at, silence.ends_at - now, silence.until_drained, silence.above)


def warn_at(ends_at: float, now: float) -> float | None:
    """When to speak of the end of a silence that is made now."""
    return ends_at - WARN_SECONDS if ends_at - now >= 2 * WARN_SECONDS else None
