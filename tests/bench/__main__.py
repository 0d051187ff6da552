"""Lists the benchmarks, and runs those that fill the table: `python -m tests.bench [RUNS] [--write]`.

`--write` puts the table into docs/design/performance.md.
"""

import asyncio
import sys
from importlib import import_module
from pathlib import Path

from tests.bench import intake, load, processes, replicas, watching
from tests.bench.table import HEAD, Row, joined, written

PAGE = Path(__file__).resolve().parents[2] / "docs" / "design" / "performance.md"
TABLE = (intake, load, processes, watching, replicas)
"""Benchmarks with `measured`, which returns the rows of one run in about two minutes."""


def others() -> list[str]:
    """The benchmarks with tables of their own, each with the first line of its docstring."""
    names = [path.stem for path in sorted(Path(__file__).parent.glob("*.py"))]
    found = [import_module(f"tests.bench.{name}") for name in names if name not in {"__init__", "__main__"}]
    return [(one.__doc__ or "").splitlines()[0] for one in found if hasattr(one, "main") and one not in TABLE]


def main(runs: int, *, write: bool) -> None:
    """Print the table of `runs` runs, then the other benchmarks."""
    rows: list[Row] = []
    print(HEAD)
    for bench in TABLE:
        for row in joined(asyncio.run(bench.measured()) for _ in range(runs)):
            rows.append(row)
            print(row, flush=True)
    if write:
        PAGE.write_text(written(PAGE.read_text("utf-8"), rows), "utf-8")
    print("\nWith tables of their own:", *others(), sep="\n  ")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(*numbers or (3,), write="--write" in sys.argv)
