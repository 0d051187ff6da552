"""Runs benchmarks that fill one table, and lists the others: `python -m tests.bench [RUNS] [NAME ...] [--write]`.

`--write` puts the whole table into docs/design/performance.md.
"""

import argparse
import asyncio
import tempfile
from importlib import import_module
from pathlib import Path

from tests.bench import intake, load, processes, replicas, watching
from tests.bench.table import HEAD, Row, joined, written

PAGE = Path(__file__).resolve().parents[2] / "docs" / "design" / "performance.md"
TABLE = {bench.__name__.rpartition(".")[2]: bench for bench in (intake, load, processes, watching, replicas)}
"""Benchmarks with `measured`, which returns the rows of one run in about two minutes."""


def others() -> list[str]:
    """The benchmarks with tables of their own, each with the first line of its docstring."""
    names = [path.stem for path in sorted(Path(__file__).parent.glob("*.py"))]
    found = [import_module(f"tests.bench.{name}") for name in names if name not in {"__init__", "__main__"}]
    return [(one.__doc__ or "").splitlines()[0] for one in found if hasattr(one, "main")]


def run(name: str) -> list[Row]:
    """One run of a benchmark, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="tailback-bench-") as folder:
        return asyncio.run(TABLE[name].measured(Path(folder)))


def main() -> None:
    """Print the table, then the other benchmarks."""
    asked = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    asked.add_argument("runs", nargs="?", type=int, default=3)
    asked.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(TABLE)}; all of them without any")
    asked.add_argument("--write", action="store_true")
    given = asked.parse_args()
    if given.write and given.names:
        asked.error("--write needs the whole table: leave out the names")
    rows: list[Row] = []
    print(HEAD)
    for name in given.names or TABLE:
        for row in joined(run(name) for _ in range(given.runs)):
            rows.append(row)
            print(row, flush=True)
    if given.write:
        PAGE.write_text(written(PAGE.read_text("utf-8"), rows), "utf-8")
    print("\nWith tables of their own:", *others(), sep="\n  ")


if __name__ == "__main__":
    main()
