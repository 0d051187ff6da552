"""Spans of time in coarse steps: `20 min to 1.5 h`. The only place that writes a forecast's bounds."""

import math
from collections.abc import Callable

from bot.core.words import duration

STEPS = ((10, 2), (30, 5), (60, 10), (180, 30), (600, 60), (2880, 120), (math.inf, 1440))
"""Steps of minutes, up to so many minutes: so coarse that a message seldom changes."""
RECENT_SECONDS = 120.0
"""Figures of a past moment that were older than this say how old they were."""
UNITS = ((1440, "d"), (60, "h"), (1, "min"))


def interval(low: float, high: float, *, fine: bool = False) -> str:
    """Both ends in seconds, widened to steps: `20 min to 1.5 h`.

    With `fine` they are whole minutes up to an hour, for a message that is not drawn again.
    """
    least, most = _minutes(low, math.floor, fine=fine), _minutes(high, math.ceil, fine=fine)
    if most <= 2:
        return "a minute or two"
    if least in {0, most}:
        return _words(most) if least else f"up to {_words(most)}"
    if _unit(least) != _unit(most):
        return f"{_words(least)} to {_words(most)}"
    size, _ = _unit(most)
    return f"{least / size:g} to {_words(most)}"


def when(low: float, high: float) -> str:
    """`in 20 min to 1.5 h`, or `within 1 h` where it may be at once."""
    soonest, latest = widened(low, high)
    return f"within {bound(high)}" if not soonest and latest > 120 else f"in {interval(low, high)}"


def about(seconds: float) -> str:
    """The nearest step: `about 30 min`."""
    return f"about {nearest(seconds)}"


def nearest(seconds: float) -> str:
    """The same in a table: `30 min`."""
    return _words(max(1, _minutes(seconds, round)))


def widened(low: float, high: float) -> tuple[float, float]:
    """The ends in seconds that `interval` says, so that a reader can compare the outcome with what was said."""
    return 60.0 * _minutes(low, math.floor), 60.0 * _minutes(high, math.ceil)


def exact(low: float, high: float | None) -> str:
    """The bounds that a forecast is scored by, not widened."""
    return f"at least {duration(low)}" if high is None else f"{duration(low)} to {duration(high)}"


def bound(seconds: float, *, down: bool = False) -> str:
    """One end: `1.5 h`, `40 min`."""
    return _words(max(1, _minutes(seconds, math.floor if down else math.ceil)))


def short(seconds: float | None) -> str:
    """A measured time in a table: `under 1m`, `12m`, `1h 54m`, `3d 2h`; `?` is unknown."""
    if seconds is None:
        return "?"
    minutes = max(0, int(seconds)) // 60
    if minutes < 60:
        return f"{minutes}m" if minutes else "under 1m"
    hours = minutes // 60
    return f"{hours}h {minutes % 60:02}m" if hours < 24 else f"{hours // 24}d {hours % 24}h"


def _minutes(seconds: float, to_whole: Callable[[float], int], *, fine: bool = False) -> int:
    minutes = max(0.0, seconds) / 60
    step = 1 if fine and minutes <= 60 else next(step for most, step in STEPS if minutes <= most)
    return step * to_whole(minutes / step)


def _unit(minutes: int) -> tuple[int, str]:
    """Its size in minutes, and its name; two days and more are days."""
    return next(one for one in UNITS if minutes >= (2 * one[0] if one[1] == "d" else one[0]) or one[0] == 1)


def _words(minutes: int) -> str:
    size, unit = _unit(minutes)
    return f"{minutes / size:g} {unit}"
