"""Parses the size that your own autoscaler reports, over HTTP or on standard output."""

from collections.abc import Mapping

from bot.ports import Capacity

SHAPE = '{"current": 10, "min": 0, "max": 40}'


def capacity_of(body: object) -> Capacity | None:
    """The size in a document; missing figures are None. None if it has no `current`."""
    if not isinstance(body, dict) or whole(body, "current") is None:
        return None
    return Capacity(whole(body, "current"), whole(body, "min"), whole(body, "max"), whole(body, "desired"))


def whole(body: Mapping[str, object], key: str) -> int | None:
    """A number of runners under a key; None for anything else."""
    value = body.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
