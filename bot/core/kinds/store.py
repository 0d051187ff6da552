"""How long the kinds of a pool's jobs took in the last two weeks: what is usual, in at most 30 kB."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from bot.core.kinds.paces import ENOUGH, LONGER, EndedJob, KindPace, quartiles

OTHER = "other"
"""All kinds beyond the largest ones."""
MOST_KINDS = 50
HOUR, DAY = 3600, 86400
PARTS_SECONDS = 6 * HOUR
"""Beyond a day, cells are quarters of a day, so that 50 kinds of two weeks fit into 30 kB."""
KEPT_SECONDS = 14 * DAY
MOST_DURATIONS = 40
"""Durations of one kind that are kept of the present hour. Origin: quartiles of 40 miss theirs by a tenth."""
MOST_BYTES = 30_000
STEP, DIGITS = 1.13, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+,-./:;<=>?@[]^_`{|}~ "
"""A quartile or count is one character: its logarithm in steps of an eighth, from 1 s to 18 h, or 67,000 jobs."""

PLACES = {digit: place for place, digit in enumerate(DIGITS)}
POWERS = [STEP**place for place in range(len(DIGITS))]


@dataclass(frozen=True, slots=True)
class JobKinds:
    """How long the kinds of a pool took in the last 14 days; a record of its own beside the pool."""

    id: str
    until: float = 0.0
    """Ends up to here are counted (epoch seconds)."""
    cells: Mapping[str, str] = field(default_factory=dict)
    """Kind → its cells, six characters each: hour (2), count, and the quartiles."""
    hour: int = 0
    """The hour since the epoch that `lately` is about."""
    lately: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Kind → durations in that hour."""


@dataclass(frozen=True, slots=True)
class KindCell:
    """One kind in one hour, or in a quarter of a day."""

    hour: int
    count: float
    quartiles: tuple[float, float, float]


def learnt(known: JobKinds, ended: Iterable[EndedJob], now: float) -> JobKinds:
    """The record with jobs that ended since; the same if there are none. An hour that is over becomes cells."""
    new = [job for job in ended if known.until < job.ended_at <= now]
    hour = int(now // HOUR)
    if not new and (hour == known.hour or not known.lately):
        return known
    cells, lately = dict(known.cells), dict(known.lately)
    if hour != known.hour:
        cells, lately = _closed(known, hour), {}
    for job in new:
        held = lately.get(job.kind, ())
        if len(held) < MOST_DURATIONS:
            lately[job.kind] = (*held, round(job.seconds, 1))
    until = max((job.ended_at for job in new), default=known.until)
    return replace(known, until=until, cells=cells, hour=hour, lately=_largest(lately))


def _largest(lately: Mapping[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """The kinds with most runner time; the rest is one kind."""
    if len(lately) <= MOST_KINDS:
        return dict(lately)
    order = sorted(lately, key=lambda kind: (kind == OTHER, -sum(lately[kind]), kind))
    kept = [kind for kind in order if kind != OTHER][: MOST_KINDS - 1]
    rest = [seconds for kind in order if kind not in kept for seconds in lately[kind]]
    return {**{kind: lately[kind] for kind in kept}, OTHER: tuple(rest[-MOST_DURATIONS:])}


def _closed(known: JobKinds, hour: int) -> dict[str, str]:
    """The cells with the hour that is over, those of two weeks, and of the kinds with most runner time."""
    found = {kind: cells_of(text, hour) for kind, text in known.cells.items()}
    for kind, seconds in known.lately.items():
        told = quartiles(seconds)
        if told:
            found.setdefault(kind, []).append(KindCell(known.hour, len(seconds), told))
    kept = {kind: _thinned(cells, hour) for kind, cells in found.items()}
    work = {kind: sum(cell.count * cell.quartiles[1] for cell in cells) for kind, cells in kept.items()}
    most = sorted((kind for kind in kept if kind != OTHER and kept[kind]), key=lambda kind: -work[kind])
    rest = [cell for kind in kept if kind not in most[: MOST_KINDS - 1] for cell in kept[kind]]
    chosen = {kind: kept[kind] for kind in most[: MOST_KINDS - 1]}
    if rest:
        chosen[OTHER] = _thinned(sorted(rest, key=lambda cell: cell.hour), hour)
    written = {kind: "".join(map(_written, cells)) for kind, cells in chosen.items()}
    while sum(len(kind.encode()) + len(text) + 8 for kind, text in written.items()) > MOST_BYTES:
        longest = max(written, key=lambda kind: len(written[kind]))
        written[longest] = written[longest][6 * (len(written[longest]) // 12) :]
    return written


def _thinned(cells: Sequence[KindCell], hour: int) -> list[KindCell]:
    """Hours of the last day, quarters of a day before, nothing older than two weeks."""

    def place(cell: KindCell) -> int:
        part = PARTS_SECONDS // HOUR
        return cell.hour if hour - cell.hour <= DAY // HOUR else cell.hour - cell.hour % part

    recent = [cell for cell in cells if hour - cell.hour <= KEPT_SECONDS // HOUR]
    return [_joined(at, list(group)) for at, group in groupby(recent, key=place)]


def _joined(at: int, cells: Sequence[KindCell]) -> KindCell:
    """Several cells as one: their quartiles' means by count, of logarithms."""
    if len(cells) == 1:
        return replace(cells[0], hour=at)
    total = sum(cell.count for cell in cells)
    low, middle, high = (
        math.exp(sum(cell.count * math.log(max(1.0, cell.quartiles[n])) for cell in cells) / total) for n in range(3)
    )
    return KindCell(at, total, (low, middle, high))


def cells_of(text: str, hour: int) -> list[KindCell]:
    """The cells of a kind, oldest first; `hour` is that of now, since hours are written without their turn."""
    turn, found = len(DIGITS) ** 2, list[KindCell]()
    for first in range(0, len(text) - 5, 6):
        low, high, count, one, two, three = (PLACES[digit] for digit in text[first : first + 6])
        ago = (hour - (low + len(DIGITS) * high)) % turn
        found.append(KindCell(hour - ago, POWERS[count], (POWERS[one], POWERS[two], POWERS[three])))
    return found


def _written(cell: KindCell) -> str:
    high, low = divmod(cell.hour % len(DIGITS) ** 2, len(DIGITS))
    steps = (cell.count, *cell.quartiles)
    amounts = (min(len(DIGITS) - 1, round(math.log(max(1.0, one)) / math.log(STEP))) for one in steps)
    return "".join(DIGITS[n] for n in (low, high, *amounts))


def compared(now: Iterable[KindPace], known: JobKinds, at: float, before: float) -> tuple[KindPace, ...]:
    """The paces with what is usual for each kind, from its hours before the trouble, and since when it is slower."""
    return tuple(_compared(one, known, at, before) for one in now)


def _compared(pace: KindPace, known: JobKinds, at: float, before: float) -> KindPace:
    cells = cells_of(dict(known.cells).get(pace.job, ""), int(at // HOUR))
    joined = _usual(cells, before)
    if joined is None:
        return pace
    found = replace(pace, usual_lower_seconds=joined.quartiles[0], usual_seconds=joined.quartiles[1])
    since = None
    for cell in reversed(cells):
        if cell.quartiles[1] <= LONGER * joined.quartiles[1]:
            break
        since = cell.hour * float(HOUR)
    return replace(found, since=(since or at // HOUR * HOUR) if found.slower else None)


def usual_seconds(known: JobKinds, kind: str, at: float) -> float | None:
    """The usual length of a kind's jobs by all that is known at a time (epoch seconds); None: too few have ended."""
    joined = _usual(cells_of(known.cells.get(kind, ""), int(at // HOUR)), at)
    return joined.quartiles[1] if joined else None


def _usual(cells: Sequence[KindCell], before: float) -> KindCell | None:
    """The hours that were over before a time, as one."""
    usual = [cell for cell in cells if (cell.hour + 1) * HOUR <= before]
    return _joined(0, usual) if sum(cell.count for cell in usual) >= ENOUGH else None
