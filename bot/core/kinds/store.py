"""How long the kinds of a pool's jobs took in the last two weeks: what is usual, in at most 30 kB."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from bot.core.kinds.paces import ENOUGH, LONGER, EndedJob, KindPace
from bot.core.kinds.packing import STEP, KindCell, long_text, packed, short_text, steps, unpacked

OTHER = "other"
"""All kinds beyond the largest ones."""
MOST_KINDS = 50
HOUR, DAY = 3600, 86400
PART_HOURS = 6
"""Where all hours do not fit, those of the oldest days become quarters of a day."""
KEPT_SECONDS = 14 * DAY
MOST_BYTES = 30_000
BESIDE_BYTES = 250
"""What a record has beside its texts: names of fields, numbers, and the name of the pool."""


@dataclass(frozen=True, slots=True)
class JobKinds:
    """How long the kinds of a pool took in the last 14 days; a record of its own beside the pool."""

    id: str
    until: float = 0.0
    """Ends up to here are counted (epoch seconds)."""
    packed: str = ""
    """The cells of each kind, see `packing`."""
    hour: int = 0
    """The hour since the epoch that `durations` is about."""
    durations: str = ""
    """The jobs of each kind that ended in that hour, see `Durations`."""


Durations = tuple[int, ...]
"""Jobs by duration: the steps of the shortest, and how many jobs took so many steps, one more, two more, ..."""


def learnt(known: JobKinds, ended: Iterable[EndedJob], now: float) -> JobKinds:
    """The record with jobs that ended since; the same if there are none. An hour that is over becomes cells."""
    new = [job for job in ended if known.until < job.ended_at <= now]
    hour = int(now // HOUR)
    if not new and (hour == known.hour or not known.durations):
        return known
    if hour != known.hour:
        known = replace(known, packed=packed(_closed(known, hour)), durations="")
    durations = durations_of(known)
    for job in new:
        durations[job.key] = _with_duration(durations.get(job.key, ()), steps(job.seconds))
    until = max((job.ended_at for job in new), default=known.until)
    written = short_text(_largest(durations))
    return _fitting(replace(known, until=until, hour=hour, durations=written))


def durations_of(known: JobKinds) -> dict[str, Durations]:
    """The durations of each kind in the hour that is not over."""
    return {kind: tuple(jobs) for kind, jobs in long_text(known.durations).items()} if known.durations else {}


def size_of(known: JobKinds) -> int:
    """The bytes of the record, without its own name."""
    return len(known.packed) + len(known.durations) + BESIDE_BYTES


def _with_duration(durations: Durations, took: int, jobs: int = 1) -> Durations:
    """One duration more."""
    first, *counts = durations or (took,)
    if took < first:
        first, counts = took, [*[0] * (first - took), *counts]
    counts += [0] * (took - first + 1 - len(counts))
    counts[took - first] += jobs
    return (first, *counts)


def _largest(durations: Mapping[str, Durations]) -> dict[str, Durations]:
    """The kinds with most runner time; the rest is one kind."""
    if len(durations) <= MOST_KINDS:
        return dict(durations)
    work = {kind: sum(jobs * STEP**took for took, jobs in _pairs(mine)) for kind, mine in durations.items()}
    order = sorted((kind for kind in durations if kind != OTHER), key=lambda kind: (-work[kind], kind))
    rest: Durations = durations.get(OTHER, ())
    for kind in order[MOST_KINDS - 1 :]:
        for took, jobs in _pairs(durations[kind]):
            rest = _with_duration(rest, took, jobs)
    return {**{kind: durations[kind] for kind in order[: MOST_KINDS - 1]}, OTHER: rest}


def _pairs(durations: Durations) -> list[tuple[int, int]]:
    """(steps, jobs) in order."""
    return [(durations[0] + more, jobs) for more, jobs in enumerate(durations[1:]) if jobs]


def _cell(hour: int, durations: Durations) -> KindCell:
    """An hour of a kind; its quartiles are the durations that a quarter, a half, three quarters of its jobs reach."""
    pairs, total, below, found = _pairs(durations), sum(durations[1:]), 0, list[float]()
    for took, jobs in pairs:
        below += jobs
        while len(found) < 3 and 4 * below >= total * (len(found) + 1):
            found.append(STEP**took)
    low, middle, high = found
    return KindCell(hour, total, (low, middle, high))


def _closed(known: JobKinds, hour: int) -> dict[str, list[KindCell]]:
    """The cells with the hour that is over, those of two weeks, and of the kinds with most runner time."""
    found = unpacked(known.packed)
    for kind, durations in durations_of(known).items():
        found.setdefault(kind, []).append(_cell(known.hour, durations))
    kept = {kind: [cell for cell in cells if hour - cell.hour <= KEPT_SECONDS // HOUR] for kind, cells in found.items()}
    work = {kind: sum(cell.count * cell.quartiles[1] for cell in cells) for kind, cells in kept.items()}
    most = sorted((kind for kind in kept if kind != OTHER and kept[kind]), key=lambda kind: -work[kind])
    few = len(most) < MOST_KINDS and not kept.get(OTHER)
    chosen = {kind: kept[kind] for kind in (most if few else most[: MOST_KINDS - 1])}
    rest = sorted((cell for kind in kept if kind not in chosen for cell in kept[kind]), key=lambda cell: cell.hour)
    if rest:
        chosen[OTHER] = [_joined(at, list(group)) for at, group in groupby(rest, key=lambda cell: cell.hour)]
    return chosen


def _fitting(known: JobKinds) -> JobKinds:
    """The record in its bytes: quarters of a day instead of hours for the oldest days, then without the oldest days."""
    if size_of(known) <= MOST_BYTES:
        return known
    cells, days = unpacked(known.packed), KEPT_SECONDS // DAY
    for day in range(days, 0, -1):
        newest = (known.hour * HOUR // DAY - day) * DAY // HOUR
        coarse = {kind: _coarsened(mine, newest) for kind, mine in cells.items()}
        if coarse != cells and size_of(made := replace(known, packed=packed(coarse))) <= MOST_BYTES:
            return made
        cells = coarse
    for day in range(days, -1, -1):
        oldest = (known.hour * HOUR // DAY - day) * DAY // HOUR
        cells = {kind: [cell for cell in mine if cell.hour >= oldest] for kind, mine in cells.items()}
        if size_of(made := replace(known, packed=packed(cells))) <= MOST_BYTES:
            return made
    return replace(known, packed="")


def _coarsened(cells: Sequence[KindCell], until: int) -> list[KindCell]:
    """Quarters of a day before an hour, hours from then on."""

    def place(cell: KindCell) -> int:
        return cell.hour if cell.hour >= until else cell.hour - cell.hour % PART_HOURS

    return [_joined(at, list(group)) for at, group in groupby(cells, key=place)]


def _joined(at: int, cells: Sequence[KindCell]) -> KindCell:
    """Several cells as one: their quartiles' means by count, of logarithms."""
    if len(cells) == 1:
        return replace(cells[0], hour=at)
    total = sum(cell.count for cell in cells)
    low, middle, high = (
        math.exp(sum(cell.count * math.log(max(1.0, cell.quartiles[n])) for cell in cells) / total) for n in range(3)
    )
    return KindCell(at, total, (low, middle, high))


def compared(now: Iterable[KindPace], known: JobKinds, at: float, before: float) -> tuple[KindPace, ...]:
    """The paces with what is usual for each kind, from its hours before the trouble, and since when it is slower."""
    paces = tuple(now)
    cells = unpacked(known.packed, {one.key for one in paces})
    return tuple(_compared(one, cells.get(one.key, []), at, before) for one in paces)


def _compared(pace: KindPace, cells: Sequence[KindCell], at: float, before: float) -> KindPace:
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
    joined = _usual(unpacked(known.packed, {kind}).get(kind, []), at)
    return joined.quartiles[1] if joined else None


def _usual(cells: Sequence[KindCell], before: float) -> KindCell | None:
    """The hours that were over before a time, as one."""
    usual = [cell for cell in cells if (cell.hour + 1) * HOUR <= before]
    return _joined(0, usual) if sum(cell.count for cell in usual) >= ENOUGH else None
