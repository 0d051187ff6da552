"""When a waiting job starts: read off one walk of its pool, for every place in the queue at once."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.forecast.model import starts
from bot.core.forecast.seen import Seen, seen_of
from bot.core.jobs.answer import JobsAhead, JobStart
from bot.core.pool.outlook import NOTHING, Quantiles, Verdict
from bot.core.pool.pool import Pool, PoolRules
from bot.core.statement import Statement

PLACES = 24
"""Places of the queue that are walked; those between them lie on a line. Origin: judgement; one in 25 is 4 %."""
TODAY_SECONDS = 12 * 3600.0
"""As the forecast of the whole queue says *today*."""


@dataclass(frozen=True, slots=True)
class StartTable:
    """When the jobs of a queue start, in seconds from `at`, by the jobs ahead of them."""

    at: float
    ahead: tuple[float, ...] = ()
    starts: tuple[Quantiles, ...] = ()
    as_it_is: tuple[Quantiles, ...] = ()
    """The same without a repair; empty where nothing is to be repaired."""
    reason: Statement | None = None
    """Why it is empty, or what is to be repaired."""


def start_table(pool: Pool, rules: PoolRules) -> StartTable:
    """The table of the pool's newest sample; empty, with the reason, if nothing can be said."""
    last = pool.latest
    told = pool.outlook.told if pool.outlook else NOTHING
    seen = seen_of(pool.samples, rules, pool.ahead, pool.day, told=told, known=pool.calibration)
    if not isinstance(seen, Seen):
        return StartTable(last.at if last else 0.0, reason=seen)
    most = max(1.0, seen.queued)
    ahead = tuple(sorted({float(round(most * place / PLACES)) for place in range(PLACES + 1)}))
    stuck = tuple(starts(seen, pool.id, ahead, as_it_is=True)) if seen.until else ()
    return StartTable(seen.at, ahead, tuple(starts(seen, pool.id, ahead)), stuck, seen.until)


def start_of(table: StartTable, ahead: JobsAhead) -> JobStart:
    """The start of a job with so many ahead of it: its ends are those of its first and last place."""
    if not table.starts:
        return JobStart(Verdict.NONE, table.at)
    first, last = (_at(table.ahead, table.starts, place) for place in (ahead.low, ahead.high))
    middle = _at(table.ahead, table.starts, (ahead.low + ahead.high) / 2)
    low, median, high = (None if math.isinf(one) else one for one in (first.low, middle.middle, last.high))
    kind = Verdict.INTERVAL if high is not None else Verdict.AT_LEAST
    if table.as_it_is and _at(table.ahead, table.as_it_is, ahead.high).middle > TODAY_SECONDS:
        kind = Verdict.UNTIL_REPAIRED
    if low is None:
        kind = kind if kind is Verdict.UNTIL_REPAIRED else Verdict.STALLED
    return JobStart(kind, table.at, low, median, high)


def _at(ahead: Sequence[float], known: Sequence[Quantiles], place: float) -> Quantiles:
    """The row of a place in the queue, between its neighbors."""
    above = min(bisect_left(ahead, place), len(ahead) - 1)
    if above == 0 or ahead[above] <= place:
        return known[above]
    part = (place - ahead[above - 1]) / (ahead[above] - ahead[above - 1])
    pairs = zip(known[above - 1], known[above], strict=True)
    return Quantiles(*(lower + part * (upper - lower) if math.isfinite(upper) else upper for lower, upper in pairs))
