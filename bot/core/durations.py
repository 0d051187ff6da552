"""Parses durations and time zones of the configuration."""

import re
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
REPORT_DAYS, MOST_REPORT_DAYS = 7, 42
"""Days of a report, and for how many the hours of pools are kept."""


def seconds(text: object, examples: str = "") -> float:
    """Seconds in `"90s"`, `"5m"`, `"2h"`, `"200ms"`, `"1h 30m"`; raises ValueError with a remedy.

    `examples` appear in the remedy: lengths suitable for the question.
    """
    rest = text if isinstance(text, str) else ""
    total, position = 0.0, 0
    while position < len(rest) and (found := DURATION.match(rest, position)):
        total += float(found[1]) * UNITS[found[2]]
        position = found.end()
    if not rest.strip() or position < len(rest):
        raise ValueError(
            f"{text!r} is not a duration; write for example " + (examples or '"90s", "5m", "2h" or "200ms"')
        )
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
