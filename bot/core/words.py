"""Formats numbers, times and lists for sentences."""

import math
from collections.abc import Iterable
from datetime import UTC, datetime

SIGNS_BEFORE = "$£¥₹₩₪₦₱฿₺₡₫"
"""Signs of currencies that are written before the amount."""


def duration(seconds: float | None) -> str:
    """`45 s`, `12 min`, `1 h 54 min`, `3 d 2 h`; `unknown` for None."""
    if seconds is None:
        return "unknown"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if minutes < 60:
        return f"{minutes} min"
    if hours < 24:
        return _two(hours, "h", minutes % 60, "min")
    return _two(days, "d", hours % 24, "h")


def time_left(seconds: float) -> str:
    """The duration to the nearest minute: what was set to 1 h a moment ago is `1 h`, not `59 min`."""
    return duration(60 * round(seconds / 60) if seconds >= 60 else seconds)


def count(number: int | None, one: str, many: str | None = None) -> str:
    """`1 job`, `14 jobs`; `unknown number of jobs` for None."""
    plural = many or f"{one}s"
    if number is None:
        return "unknown number of " + plural
    return f"{number:,} {one if number == 1 else plural}"


def money(amount: float, currency: str) -> str:
    """`$7.30`, `7.30 €`, `7.30 CHF`: where people of that currency write it; without one the amount alone."""
    number = f"{amount:,.2f}"
    if not currency:
        return number
    return f"{currency}{number}" if currency[-1] in SIGNS_BEFORE else f"{number} {currency}"


def share(part: float) -> str:
    """`6%`; a small share is not shown as 0 %, and a rest is not shown as none."""
    if 0 < part < 0.01:
        return "<1%"
    return ">99%" if 0.99 < part < 1 else f"{part:.0%}"


def figure(number: float | None) -> str:
    """A figure in a table: `?` says unknown in one letter, the legend says it in words."""
    if number is None:
        return "?"
    return f"{number:,.0f}" if number == round(number) else f"{number:,.1f}"


def clock(at: float, span_seconds: float = math.inf) -> str:
    """`14:05`, in UTC, which the caller adds; `14:05:20` if the whole story lasts less than five minutes."""
    pattern = "%H:%M:%S" if span_seconds < 300 else "%H:%M"
    return f"{datetime.fromtimestamp(at, UTC):{pattern}}"


def listed(items: Iterable[str], most: int = 5) -> str:
    """`a`, `a and b`, `a, b and c`, `a, b and 7 more`."""
    names = list(items)
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _two(big: int, big_unit: str, small: int, small_unit: str) -> str:
    return f"{big} {big_unit} {small} {small_unit}" if small else f"{big} {big_unit}"
