"""What a report needs of a pool's history: the hours of its period, and of those before only what recurs."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.pool.history import PoolHistory, cells_since, longest_waits
from bot.core.pool.hour_stats import HOUR_SECONDS, HourStats
from bot.core.reporting.sizing import over_target


@dataclass(frozen=True, slots=True)
class Hours:
    """Of one pool."""

    cells: tuple[HourStats, ...] = ()
    """The hours of the period."""
    over: tuple[tuple[float, bool], ...] = ()
    """Every known hour: when it began, and whether jobs waited longer than the target."""
    limit: int | None = None
    """The last known one."""


def hours_in(cells: Sequence[HourStats], since: float, until: float, target_seconds: float) -> Hours:
    """The hours between two times (epoch seconds), from all known ones."""
    return Hours(
        tuple(cell for cell in cells if since - HOUR_SECONDS < cell.begins_at < until),
        tuple((cell.begins_at, over_target(cell, target_seconds)) for cell in cells),
        next((cell.limit for cell in reversed(cells) if cell.limit is not None), None),
    )


def hours_of(past: PoolHistory, current: HourStats | None, since: float, until: float, target_seconds: float) -> Hours:
    """The same from the records; of the hours before the period two figures are read, in a tenth of the time."""
    now = hours_in((current,) if current else (), since, until, target_seconds)
    cells = tuple(cell for cell in cells_since(past, since - HOUR_SECONDS) if cell.begins_at < until)
    over, limit = list[tuple[float, bool]](), None
    for begins_at, longest, its_limit in longest_waits(past):
        over.append((begins_at, longest > target_seconds))
        limit = limit if its_limit is None else its_limit
    return Hours((*cells, *now.cells), (*over, *now.over), limit if now.limit is None else now.limit)
