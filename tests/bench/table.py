"""One table of figures: minimum, median, maximum of several runs, the baseline of the same runs, and the goal."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

OF_ROWS = "<!-- python -m tests.bench --write -->", "<!-- end -->"
"""What stands before and after the table in a page."""
OF_FIGURES = "<!-- begin of the figures -->", "<!-- end of the figures -->"
"""The same of pages whose figures are no `Row`."""
HEAD = f"{'figure':44} {'min':>8} {'median':>8} {'max':>8} {'baseline':>9} {'ratio':>6}  goal"


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of each run, with its unit in the name."""

    name: str
    values: tuple[float, ...]
    baseline: tuple[float, ...] = ()
    """The same figure of the baseline, of the same runs; empty if there is none."""
    goal: str = ""
    """In words, for the reader: benchmarks judge nothing."""

    def __str__(self) -> str:
        middle = statistics.median(self.values)
        base = statistics.median(self.baseline) if self.baseline else None
        beside = f"{'-':>9} {'-':>6}" if base is None else f"{base:9.2f} {middle / base if base else 0.0:6.2f}"
        return f"{self.name:44} {min(self.values):8.2f} {middle:8.2f} {max(self.values):8.2f} {beside}  {self.goal}"

    def cells(self) -> str:
        """The row for a page."""
        middle = statistics.median(self.values)
        base = statistics.median(self.baseline) if self.baseline else 0.0
        beside = f"{base:.2f} | {middle / base:.1f} ×" if base else " | "
        return (
            f"| {self.name} | {min(self.values):.2f} | {middle:.2f} | {max(self.values):.2f} | {beside} | {self.goal} |"
        )


def written(page: str, rows: Iterable[Row]) -> str:
    """The page with a new table."""
    head = ("", "| figure | minimum | median | maximum | baseline | ratio | goal |", "|---|---|---|---|---|---|---|")
    return _between(page, OF_ROWS, (*head, *(row.cells() for row in rows), ""))


def write(page: Path, lines: Iterable[str]) -> None:
    """Replace the figures of a page of the docs."""
    page.write_text(_between(page.read_text("utf-8"), OF_FIGURES, lines), "utf-8")


def _between(page: str, marks: tuple[str, str], lines: Iterable[str]) -> str:
    before, _, rest = page.partition(marks[0])
    return "\n".join([before + marks[0], *lines, marks[1]]) + rest.partition(marks[1])[2]


def joined(runs: Iterable[Sequence[Row]]) -> list[Row]:
    """The rows of several runs of one benchmark as one; each run gives the same figures in the same order."""
    return [
        Row(
            rows[0].name,
            tuple(value for row in rows for value in row.values),
            tuple(value for row in rows for value in row.baseline),
            rows[0].goal,
        )
        for rows in zip(*runs, strict=True)
    ]
