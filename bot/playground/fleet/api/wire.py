"""Times and fingerprints as alert senders write them."""

from collections.abc import Iterable
from datetime import UTC, datetime

ZERO_TIME = "0001-01-01T00:00:00Z"
_FNV_OFFSET, _FNV_PRIME, _SEPARATOR = 14695981039346656037, 1099511628211, b"\xff"


def written(at: float) -> str:
    """Return wall-clock seconds since 1970 as RFC 3339 in UTC with milliseconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_written(at: float) -> str:
    """Return wall-clock seconds since 1970 as RFC 3339 in UTC, cut to the second as Grafana does."""
    return datetime.fromtimestamp(int(at), UTC).isoformat().replace("+00:00", "Z")


def read_time(text: object) -> float:
    """Return an ISO 8601 time as seconds since 1970, UTC when it names no zone; raises ValueError that names it."""
    try:
        at = datetime.fromisoformat(text if isinstance(text, str) else "")
    except ValueError:
        raise ValueError(f"{text!r} is not a date-time, for example 2026-01-31T12:00:00Z") from None
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()


def fingerprint(labels: Iterable[tuple[str, str]]) -> str:
    """Return the 16 hex digits by which Alertmanager knows a label set (prometheus/common model/fingerprinting.go)."""
    total = _FNV_OFFSET
    for name, value in sorted(labels):
        for byte in name.encode() + _SEPARATOR + value.encode() + _SEPARATOR:
            total = ((total ^ byte) * _FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return f"{total:016x}"
