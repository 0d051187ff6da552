"""Cells of kinds of jobs as one short text: numbers by column, each column compressed.

A cell takes about 11 bits, so that 50 kinds with jobs in every hour of two weeks fit into 30 kB. Bytes of one column
are alike: medians are written as steps from the usual one of their kind, quartiles as steps from their median.
"""

import json
import math
import zlib
from base64 import b85decode, b85encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median_low
from typing import Any

STEP = 1.13
"""A duration is its logarithm in steps of an eighth."""
COUNT_STEP = 2**0.5
"""A number of jobs only weighs cells, so that it is rounded to half a power of two."""
MOST_STEPS = 120
POWERS = tuple(STEP**n for n in range(3 * MOST_STEPS))
"""Durations by their steps, since a record has 50,000 of them."""
STRATEGIES = (zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY)
LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class KindCell:
    """One kind in one hour, or in a quarter of a day."""

    hour: int
    """Hours since the epoch."""
    count: float
    """Jobs that ended."""
    quartiles: tuple[float, float, float]
    """Of their durations, in seconds."""


def steps(value: float, step: float = STEP) -> int:
    """The logarithm of a value in whole steps; 0 for 1 and less."""
    return min(MOST_STEPS, round(math.log(max(1.0, value)) / math.log(step)))


def packed(cells: Mapping[str, Sequence[KindCell]]) -> str:
    """The text of the cells of some kinds, each oldest first."""
    known = {kind: mine for kind, mine in cells.items() if mine}
    first = min((mine[0].hour for mine in known.values()), default=0)
    head, gaps, counts = list[tuple[str, int, int]](), list[int](), list[int]()
    columns = (list[int](), list[int](), list[int]())
    for kind, mine in known.items():
        quartiles = [(steps(low), steps(middle), steps(high)) for low, middle, high in (c.quartiles for c in mine)]
        usual = median_low(middle for _, middle, _ in quartiles)
        head.append((kind, len(mine), usual))
        gaps += [after - before for before, after in pairwise((first, *(cell.hour for cell in mine)))]
        counts += [steps(cell.count, COUNT_STEP) for cell in mine]
        columns[0].extend(middle - usual & 255 for _, middle, _ in quartiles)
        columns[1].extend(middle - low & 255 for low, middle, _ in quartiles)
        columns[2].extend(high - middle & 255 for _, middle, high in quartiles)
    parts = [
        json.dumps([first, head], separators=(",", ":")).encode(),
        bytes(gap & 255 for gap in gaps),
        bytes(gap >> 8 & 255 for gap in gaps),
        *map(bytes, (counts, *columns)),
    ]
    short = [min((_squeezed(part, strategy) for strategy in STRATEGIES), key=len) for part in parts]
    return b85encode(b"".join(len(part).to_bytes(LENGTH_BYTES) + part for part in short)).decode("ascii")


def unpacked(text: str, only: Collection[str] | None = None) -> dict[str, list[KindCell]]:
    """The cells of all kinds, or of `only` these, oldest first."""
    if not text:
        return {}
    rest, parts = b85decode(text), list[bytes]()
    while rest:
        end = LENGTH_BYTES + int.from_bytes(rest[:LENGTH_BYTES])
        parts.append(zlib.decompress(rest[LENGTH_BYTES:end], -zlib.MAX_WBITS))
        rest = rest[end:]
    first, head = json.loads(parts[0])
    ends = accumulate((count for _, count, _ in head), initial=0)
    return {
        kind: _cells([part[begin : begin + count] for part in parts[1:]], first, usual)
        for (kind, count, usual), begin in zip(head, ends, strict=False)
        if only is None or kind in only
    }


def _cells(columns: Sequence[bytes], hour: int, usual: int) -> list[KindCell]:
    found = list[KindCell]()
    for gap, more, count, middle, low, high in zip(*columns, strict=True):
        hour += gap + (more << 8)
        median = usual + (middle - 256 if middle > 127 else middle)
        quartiles = (POWERS[median - low], POWERS[median], POWERS[median + high])
        found.append(KindCell(hour, COUNT_STEP**count, quartiles))
    return found


def short_text(value: object) -> str:
    """A JSON value as a shorter text."""
    return b85encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode())).decode("ascii")


def long_text(text: str) -> Any:
    """The JSON value of a text of `short_text`."""
    return json.loads(zlib.decompress(b85decode(text)))


def _squeezed(part: bytes, strategy: int) -> bytes:
    made = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, strategy)
    return made.compress(part) + made.flush()
