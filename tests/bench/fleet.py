"""Fleets of growing size, CPU, Redis, calls and the longest stop: `python -m tests.bench.fleet [ROW ...]`."""

import argparse
import asyncio
import logging
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import structlog

from bot.ports import Unreachable
from tests.bench.growing.cost import Cost, exponent
from tests.bench.growing.rows import (
    alerted,
    filled_in,
    recovered,
    screens,
    shared_jobs,
    soaked,
    watching,
    webhooks_alone,
)

Row = Callable[[Path, int], Awaitable[Mapping[str, Cost]]]


async def _jobs(folder: Path, pools: int) -> Mapping[str, Cost]:
    return {f"GitHub, {jobs:,} jobs": await shared_jobs(folder, pools, jobs) for jobs in (100, 5000)}


async def _most_jobs(folder: Path, pools: int) -> Mapping[str, Cost]:
    return await _one("GitHub, 50,000 jobs", shared_jobs(folder, pools, 50_000))


async def _one(name: str, cost: Awaitable[Cost]) -> Mapping[str, Cost]:
    return {name: await cost}


ROWS: Mapping[str, Row] = {
    "watch": lambda folder, pools: _one("watching", watching(folder, pools)),
    "sources": lambda folder, pools: _one("watching, 20 sources", watching(folder, pools, 20)),
    "alert": lambda folder, pools: _one("an alert without a pool", alerted(folder, pools)),
    "named": lambda folder, pools: _one("20 alerts", alerted(folder, pools, 20, named=True)),
    "idle": lambda folder, pools: _one("20 alerts, idle runner", alerted(folder, pools, 20, named=True, idle=True)),
    "storm": lambda folder, pools: _one("200 alerts", alerted(folder, pools, 200, named=True)),
    "hang": lambda folder, pools: _one("after a hang", recovered(folder, pools)),
    "history": lambda folder, pools: _one("history", filled_in(folder, pools)),
    "screens": screens,
    "github": _jobs,
    "most_jobs": _most_jobs,
    "webhooks": lambda folder, pools: _one("webhooks alone, 5,000 jobs", webhooks_alone(folder, pools, 5000)),
    "soak": lambda folder, pools: _one("soak", soaked(folder, pools)),
}
LONG = {"soak"}
"""Rows that run only when they are named."""


def measured(row: str, pools: int) -> Mapping[str, Cost]:
    """The figures of a row at one size, by their name."""
    with tempfile.TemporaryDirectory(prefix="tailback-bench-") as name:
        return asyncio.run(_run(ROWS[row], Path(name), pools))


async def _run(row: Row, folder: Path, pools: int) -> Mapping[str, Cost]:
    return await row(folder, pools)


def main() -> None:
    """Print a table."""
    asked = argparse.ArgumentParser(prog="python -m tests.bench.fleet", description=__doc__)
    asked.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all of them without any")
    asked.add_argument("--pools", default="5,50,500", help="sizes of the fleet; 2000 is another one")
    given = asked.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    sizes = [int(size) for size in given.pools.split(",")]
    for row in given.rows or [row for row in ROWS if row not in LONG]:
        before: Mapping[str, Cost] = {}
        for place, size in enumerate(sizes):
            try:
                found = measured(row, size)
            except Unreachable as error:
                print(f"{row:24} {size:5} pools  never: {error}", flush=True)
                continue
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
