"""Fleets of growing size: `python -m tests.bench.fleet [--pools 5,50,500] [ROW ...]`. CPU, Redis, calls, longest stop."""

import argparse
import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench.growing.cost import Cost, exponent
from tests.bench.growing.rows import alerted, screens, shared_jobs, watching

ROWS = ("watch", "sources", "alert", "idle", "named", "screens", "github")


def measured(row: str, pools: int) -> Mapping[str, Cost]:
    """The figures of a row at one size, by their name."""
    with tempfile.TemporaryDirectory(prefix="tailback-bench-") as name:
        folder = Path(name)
        if row == "watch":
            return {row: asyncio.run(watching(folder, pools))}
        if row == "sources":
            return {"watch, 20 sources": asyncio.run(watching(folder, pools, 20))}
        if row == "alert":
            return {"alert without a pool": asyncio.run(alerted(folder, pools))}
        if row == "idle":
            return {"20 alerts, idle runner": asyncio.run(alerted(folder, pools, 20, named=True, idle=True))}
        if row == "named":
            return {"20 alerts": asyncio.run(alerted(folder, pools, 20, named=True))}
        if row == "screens":
            return asyncio.run(screens(folder, pools))
        return {f"GitHub, {jobs} jobs": asyncio.run(shared_jobs(folder, pools, jobs)) for jobs in (100, 5000)}


def main() -> None:
    """Print a table."""
    asked = argparse.ArgumentParser(prog="python -m tests.bench.fleet", description=__doc__)
    asked.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all of them without any")
    asked.add_argument("--pools", default="5,50,500")
    given = asked.parse_args()
    sizes = [int(size) for size in given.pools.split(",")]
    for row in given.rows or ROWS:
        before: Mapping[str, Cost] = {}
        for place, size in enumerate(sizes):
            found = measured(row, size)
            for name, cost in found.items():
                print(f"{name:24} {size:5} pools", end="")
                for figure, value in cost.figures().items():
                    was = before[name].figures().get(figure) if name in before else None
                    power = exponent(was, value, size / sizes[place - 1]) if was is not None else None
                    print(f"  {figure} {value:,.3f}{'' if power is None else f' (^{power:.2f})'}", end="")
                print(flush=True)
            before = found


if __name__ == "__main__":
    main()
