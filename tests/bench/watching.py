"""Watching 1,000 pools once a minute: `python -m tests.bench 1 watching`.

A stub of Prometheus in this process answers every query at once, also those about the hours before, so that each pool's
record is full. The figures are those of the worker's process, in a minute after every pool was measured and its past
was read. No pool has a queue.
"""

import asyncio
import time
from pathlib import Path

from bot.playground.serving import serving
from tests.bench.growing.installation import Prometheus, name_of
from tests.bench.product import cpu_seconds, product, resident_mb
from tests.bench.stub import SlackStub
from tests.bench.table import Row

POOLS = 1000
PERIOD_SECONDS = 60
WARM_SECONDS, MEASURED_SECONDS = 2 * PERIOD_SECONDS + 10, 60
"""Pools start spread over one period, and read their last hours then: the figures are those of the third."""
TOML = f"""\
[slack]
channel = "C0BENCH"

[timing]
watch = "{PERIOD_SECONDS}s"
backfill = "0s"

[metrics.main]
kind = "prometheus"
url = "{{prometheus}}"

"""
POOL = """\
[pool."{name}"]
metrics = "main"
preset = "ci"

"""


async def measured(folder: Path) -> list[Row]:
    """One run."""
    prometheus = Prometheus()
    async with serving(prometheus.app) as url, serving(SlackStub().app) as slack:
        toml = TOML.format(prometheus=url) + "".join(POOL.format(name=name_of(number)) for number in range(POOLS))
        async with product(folder, slack, toml) as running:
            await asyncio.sleep(WARM_SECONDS)
            spent, asked, begun = cpu_seconds(running.pid), prometheus.queries, time.monotonic()
            await asyncio.sleep(MEASURED_SECONDS)
            passed = time.monotonic() - begun
            core = (cpu_seconds(running.pid) - spent) / passed * 100
            queries = (prometheus.queries - asked) / passed * 60
            memory = resident_mb(running.pid)
    return [
        Row(f"{POOLS} pools once a minute: % of a core", (core,), (), "5 %"),
        Row(f"{POOLS} pools: queries a minute", (queries,)),
        Row(f"{POOLS} pools: memory, MB", (memory,), (), "at most 250 MB"),
    ]
