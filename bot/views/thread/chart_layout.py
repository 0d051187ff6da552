"""Lays out a chart: values become lines, areas and text on a card 400 wide."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.core.charts.drawing import XY, Area, Drawing, DrawnText, Shape, Stroke
from bot.views.thread.chart import Band, Chart, Mark, Panel, PoolChart

WIDTH = 400.0
LEFT, RIGHT, TOP = 34.0, 390.0, 8.0
TITLE, TEXT, SMALL = 14.0, 11.0, 10.5
ROW = 13.0
DEPTH_HEIGHT, WAIT_HEIGHT = 120.0, 62.0
SMALL_DEPTH, SMALL_WAIT = 48.0, 26.0
GAP = 9.0
WIDE = 0.54
"""Average width of a letter relative to its height."""
MARK_ROWS = 3

PAPER, INK, QUIET, GRID = "#ffffff", "#1d1c1d", "#53545a", "#e3e4e8"
"""Its own background: the same in Slack's light and dark theme."""
QUEUED, QUEUED_FILL, RUNNERS, LIMIT, WAIT = "#0072b2", "#d6e8f4", "#b84e00", "#1d1c1d", "#00664b"
FORECAST, FORECAST_FILL = "#8a6100", "#fbeac4"
"""Distinguishable with colour blindness (Okabe and Ito's palette, darkened); shape says the same."""
STYLES: dict[str, tuple[str, float, XY | None]] = {
    "queued": (QUEUED, 2.2, None),
    "runners": (RUNNERS, 1.8, (6.0, 3.0)),
    "limit": (LIMIT, 1.5, (1.5, 3.0)),
    "wait": (WAIT, 2.0, None),
    "forecast": (FORECAST, 1.2, (3.0, 2.0)),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """A pair of axes in the picture."""

    chart: Chart
    panel: Panel
    top: float
    bottom: float

    def x(self, at: float) -> float:
        """The x of a time; times outside are at the edge."""
        return across(self.chart, at)

    def y(self, value: float) -> float:
        """The y of a value."""
        return self.bottom - (self.bottom - self.top) * min(1.0, max(0.0, value / self.panel.top))


def across(chart: Chart, at: float) -> float:
    """The x of a time."""
    part = (at - chart.begins) / (chart.ends - chart.begins)
    return LEFT + (RIGHT - LEFT) * min(1.0, max(0.0, part))


def _inside(x: float, label: str) -> float:
    """The middle of a label, moved to keep it inside."""
    return min(x, WIDTH - 3 - TEXT * WIDE * len(label) / 2)


def layout(chart: Chart) -> Drawing:
    """The drawing; its height depends on pools and marks."""
    alone = len(chart.pools) == 1
    above, y = _legend(chart, TOP + TITLE + 7)
    words: list[Shape] = [_words((10, TOP), chart.title, TITLE), *above]
    rows, frames = _rows(chart), list[Frame]()
    tall = ROW * (max((row for _, row in rows), default=-1) + 1)
    labels_top = y + ROW + 6
    for number, pool in enumerate(chart.pools):
        drawn, made = _pool(chart, pool, (y, y + ROW + 7 + (tall if number == 0 else 0)), alone=alone)
        words += drawn
        frames += made
        y = made[-1].bottom + GAP
    y -= GAP
    words += [
        _words((_inside(across(chart, tick.value), tick.label), y + 4), tick.label, TEXT, QUIET, "ma")
        for tick in chart.times
    ]
    words += _now(chart, y)
    y += ROW + 5
    words.append(_words((LEFT, y), f"time in {chart.zone}", TEXT, QUIET))
    if chart.note:
        words.append(_words((RIGHT, y), chart.note, TEXT, QUIET, "ra"))
    under = [shape for frame in frames for shape in (*_grid(frame), *_fills(frame), *_band(frame))]
    over = [shape for frame in frames for shape in _lines(frame)]
    shapes = (*under, *_marks(chart, rows, labels_top, frames), *over, *words)
    return Drawing(WIDTH, y + ROW + 6, PAPER, shapes)


def _legend(chart: Chart, y: float) -> tuple[list[Shape], float]:
    """The legend for all pools, with the forecasts below."""
    lines = {line.name: line.label for pool in chart.pools for line in pool.depth.lines}
    shapes: list[Shape] = []
    x = 10.0
    for name, label in lines.items():
        colour, width, dash = STYLES[name]
        shapes.append(Stroke(((x, y + 6), (x + 20, y + 6)), colour, width, dash))
        shapes.append(_words((x + 25, y), label, TEXT))
        x += 25 + len(label) * TEXT * WIDE + 12
    y += ROW + 1
    for pool in chart.pools:
        if pool.depth.band is not None:
            of = "" if len(chart.pools) == 1 else f"{pool.pool}, "
            shapes += _key(10.0, y)
            shapes.append(_words((35, y), f"{of}{pool.depth.band.label}", TEXT))
            y += ROW + 1
    return shapes, y + 3


def _key(x: float, y: float) -> list[Shape]:
    colour, width, dash = STYLES["forecast"]
    box = ((x, y + 2), (x + 20, y + 2), (x + 20, y + 10), (x, y + 10))
    return [Area(box, FORECAST_FILL), Stroke((*box, box[0]), colour, width, dash)]


def _pool(chart: Chart, pool: PoolChart, tops: XY, *, alone: bool) -> tuple[list[Shape], list[Frame]]:
    """Text and axes of one pool; `tops` is where its heading and first frame begin."""
    y, plot = tops
    heading = _words((10, y), pool.depth.heading, TEXT, QUIET) if alone else _words((10, y), pool.pool, TEXT + 1)
    shapes: list[Shape] = [heading, _words((RIGHT, y), pool.summary, TEXT, QUIET, "ra")]
    frame = Frame(chart, pool.depth, plot, plot + (DEPTH_HEIGHT if alone else SMALL_DEPTH))
    shapes += _axis(frame, sparse=not alone)
    if pool.depth.note:
        shapes.append(_words((RIGHT - 2, frame.top + 2), pool.depth.note, SMALL, QUIET, "ra"))
    if pool.wait is None:
        return shapes, [frame]
    shapes.append(_words((10, frame.bottom + 6), pool.wait.heading, TEXT, QUIET))
    top = frame.bottom + ROW + 10
    below = Frame(chart, pool.wait, top, top + (WAIT_HEIGHT if alone else SMALL_WAIT))
    return [*shapes, *_axis(below, sparse=True)], [frame, below]


def _grid(frame: Frame) -> Iterator[Shape]:
    for tick in frame.panel.ticks:
        at = frame.y(tick.value)
        yield Stroke(((LEFT, at), (RIGHT, at)), GRID, 1.0)
    for time in frame.chart.times:
        at = frame.x(time.value)
        yield Stroke(((at, frame.top), (at, frame.bottom)), GRID, 1.0)


def _axis(frame: Frame, *, sparse: bool) -> Iterator[Shape]:
    """The axis' numbers; in a low panel only zero and the maximum."""
    ticks = frame.panel.ticks if not sparse else (frame.panel.ticks[0], frame.panel.ticks[-1])
    for tick in ticks:
        yield _words((LEFT - 4, frame.y(tick.value)), tick.label, SMALL, QUIET, "rm")
    yield Stroke(((LEFT, frame.bottom), (RIGHT, frame.bottom)), QUIET, 1.0)


def _lines(frame: Frame) -> Iterator[Shape]:
    for line in reversed(frame.panel.lines):
        colour, width, dash = STYLES[line.name]
        for stretch in line.segments:
            points = tuple((frame.x(at), frame.y(value)) for at, value in stretch)
            if len(points) == 1:
                x, y = points[0]
                points = ((x - 1.5, y), (x + 1.5, y))
            yield Stroke(points, colour, width, dash)


def _fills(frame: Frame) -> Iterator[Shape]:
    for stretch in (s for line in frame.panel.lines if line.name == "queued" for s in line.segments):
        if len(stretch) > 1:
            points = [(frame.x(at), frame.y(value)) for at, value in stretch]
            yield Area(((points[0][0], frame.bottom), *points, (points[-1][0], frame.bottom)), QUEUED_FILL)


def _band(frame: Frame) -> Iterator[Shape]:
    """A fan from the queue to its floor at the earliest and latest time, cut at the edge."""
    band = frame.panel.band
    if band is None:
        return
    colour, width, dash = STYLES["forecast"]
    low, mid, high = (_ray(frame, band, at) for at in (band.low_at, band.mid_at, band.high_at))
    corner = ((frame.x(band.low_at), frame.bottom), (frame.x(band.high_at), frame.bottom))
    yield Area((*low, *corner, *reversed(high)), FORECAST_FILL)
    for ray in (low, high):
        yield Stroke(ray, colour, width, dash)
    yield Stroke(mid, colour, width + 0.4, None)


def _ray(frame: Frame, band: Band, at: float) -> tuple[XY, ...]:
    """A line from the forecast to the floor at that time, cut at the edge."""
    ends = min(at, frame.chart.ends)
    part = 1.0 if at <= band.made_at else (ends - band.made_at) / (at - band.made_at)
    value = band.queued * (1 - min(1.0, max(0.0, part)))
    return (frame.x(band.made_at), frame.y(band.queued)), (frame.x(ends), frame.y(value))


def _rows(chart: Chart) -> list[tuple[Mark, int]]:
    """Each mark with its label's row, so that labels do not overlap."""
    ends, placed = [0.0] * MARK_ROWS, list[tuple[Mark, int]]()
    for mark in sorted(chart.marks, key=lambda mark: mark.at):
        begins, half = _label_at(chart, mark), len(mark.label) * SMALL * WIDE / 2
        free = (row for row in range(MARK_ROWS) if ends[row] <= begins - half)
        row = next(free, min(range(MARK_ROWS), key=lambda row: ends[row]))
        ends[row] = begins + half + 4
        placed.append((mark, row))
    return placed


def _label_at(chart: Chart, mark: Mark) -> float:
    half = len(mark.label) * SMALL * WIDE / 2
    return min(RIGHT - half, max(10 + half, across(chart, mark.at)))


def _marks(chart: Chart, rows: Sequence[tuple[Mark, int]], top: float, frames: Sequence[Frame]) -> Iterator[Shape]:
    """Lines through every frame first, then the labels, each on a background."""
    for mark, row in rows:
        at = across(chart, mark.at)
        begins = [top + ROW * (row + 1) - 2, *(frame.top for frame in frames[1:])]
        for begin, frame in zip(begins, frames, strict=True):
            yield Stroke(((at, begin), (at, frame.bottom)), QUIET, 1.0, (2.0, 2.0))
    for mark, row in rows:
        x, y, half = _label_at(chart, mark), top + ROW * row, len(mark.label) * SMALL * WIDE / 2
        yield Area(((x - half, y), (x + half, y), (x + half, y + ROW - 2), (x - half, y + ROW - 2)), PAPER)
        yield _words((x, y), mark.label, SMALL, INK, "ma")


def _now(chart: Chart, bottom: float) -> Iterator[Shape]:
    if chart.now is not None:
        at = across(chart, chart.now)
        yield Stroke(((at, bottom - 6), (at, bottom + 3)), INK, 1.5)
        yield _words((at, bottom - 8), "now", SMALL, INK, "ms")


def _words(at: XY, text: str, size: float, colour: str = INK, anchor: str = "la") -> DrawnText:
    return DrawnText(at, plain(text), size, colour, anchor)


def plain(text: str) -> str:
    """Text in the font's letters: accents are dropped, unknown letters become a question mark."""
    bare = unicodedata.normalize("NFKD", text)
    kept = "".join(letter for letter in bare if not unicodedata.combining(letter))
    return kept.replace("–", "-").replace("—", "-").encode("ascii", "replace").decode("ascii")
