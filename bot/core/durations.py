"""Parses durations and time zones of the configuration."""

import re
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

UNITS = {
    0.001: ("ms", "msec", "millisecond"),
    1.0: ("s", "sec", "second"),
    60.0: ("m", "min", "minute"),
    3600.0: ("h", "hr", "hour"),
    86400.0: ("d", "day"),
    604800.0: ("w", "wk", "week"),
}
"""Seconds of a unit → its names."""
SECONDS = {
    word: length
    for length, names in UNITS.items()
    for name in names
    for word in ((name,) if len(name) == 1 or name == "ms" else (name, f"{name}s"))
}
SMALLER = {86400.0: 3600.0, 3600.0: 60.0, 60.0: 1.0}
"""The unit of a number without one, by the unit before it: `1h30`."""
DURATION = re.compile(r"\s*(?:(?:,|and\b)\s*)?([0-9]+(?:[.,][0-9]+)?)\s*([a-z]*)\.?\s*")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
REPORT_DAYS, MOST_REPORT_DAYS = 7, 42
"""Days of a report, and for how many the hours of pools are kept."""


def seconds(text: object) -> float:
    """Seconds in a duration as people write it; raises ValueError with a remedy.

    `"90s"`, `"5m"`, `"1h30"`, `"2 hours"`, `"1 day"`, `"1 h 30 min"`, `"200ms"`.
    """
    rest = text.strip().lower() if isinstance(text, str) else ""
    total, position, unit = 0.0, 0, 0.0
    while position < len(rest) and (found := DURATION.match(rest, position)):
        unit = SECONDS.get(found[2], 0.0) if found[2] else SMALLER.get(unit, 0.0) if found.end() == len(rest) else 0.0
        if not unit:
            break
        total += float(found[1].replace(",", ".")) * unit
        position = found.end()
    if not rest or position < len(rest):
        raise ValueError(f'{text!r} is not a duration; write for example "90s", "5m", "2h" or "200ms"')
    return total


def zone(name: str) -> tzinfo:
    """The time zone of an IANA name; raises ValueError with a remedy. UTC needs no zone data."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"{name[:60]!r} is no time zone that this machine knows; "
            'write for example "Europe/Berlin", or "UTC"; where no time zone data is installed there is only "UTC"'
        ) from None
