"""Lines, areas and text on a white card 400 units wide; an adapter renders them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

XY = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points; `dash` is (drawn, left out) along it, None for a solid line."""

    points: tuple[XY, ...]
    colour: str
    """`#rrggbb`."""
    width: float = 1.0
    dash: XY | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """A filled shape."""

    points: tuple[XY, ...]
    colour: str


@dataclass(frozen=True, slots=True)
class DrawnText:
    """Text; `anchor` is its point at (x, y): l, m or r, and a for top, m for middle, s for baseline."""

    at: XY
    text: str
    size: float
    colour: str
    anchor: str = "la"


Shape = Stroke | Area | DrawnText


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes from bottom to top."""

    width: float
    height: float
    background: str
    shapes: tuple[Shape, ...]


def dashes(points: Sequence[XY], dash: XY | None) -> Iterator[tuple[XY, ...]]:
    """The visible pieces of a dashed line."""
    if dash is None:
        yield tuple(points)
        return
    on, off = dash
    walked = 0.0
    for (x0, y0), (x1, y1) in pairwise(points):
        length, here = math.hypot(x1 - x0, y1 - y0), 0.0
        while here < length:
            place = walked % (on + off)
            left = (on if place < on else on + off) - place
            there = min(length, here + max(left, 0.01))
            if place < on:
                part = (here / length, there / length)
                yield tuple((x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) for t in part)
            walked += there - here
            here = there
