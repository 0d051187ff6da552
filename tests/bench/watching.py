"""Watching 1,000 pools once a minute: `python -m tests.bench 1 watching`.

A stub of Prometheus in this process answers every query at once, also those about the hours before, so that each pool's
record is full. The figures are those of the worker's process, in a minute after every pool was measured once.
"""

import asyncio
import json
import re
import time
from pathlib import Path
from urllib.parse import parse_qs

from starlette.types import Receive, Scope, Send

from bot.adapters.prometheus.together import FIGURE
from bot.playground.serving import serving
from tests.bench.product import cpu_seconds, product, resident_mb
from tests.bench.stub import SlackStub
from tests.bench.table import Row

POOLS = 1000
PERIOD_SECONDS = 60
WARM_SECONDS, MEASURED_SECONDS = 45, 60
"""The pools are measured in one burst per period, so the figures are those of a whole one: the second."""
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
[pool."pool-{number}"]
metrics = "main"
preset = "ci"

"""


class PrometheusStub:
    """Answers every query with 3, now and at any time before, one series per figure that the query names."""

    def __init__(self) -> None:
        self.queries = 0
        self._figures = re.compile(rb"%22" + FIGURE.encode() + rb"%22%2C\+%22(\w+)%22")

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application."""
        self.queries += 1
        asked = scope["query_string"] + (await receive()).get("body", b"")
        names = [{FIGURE: name.decode()} for name in self._figures.findall(asked)] or [{}]
        past = scope["path"].endswith("query_range")
        times = [time.time()]
        if past:
            given = parse_qs(asked.decode())
            start, end, step = (float(given[name][0].removesuffix("s")) for name in ("start", "end", "step"))
            times = [start + step * number for number in range(int((end - start) / step) + 1)]
        values = [[at, "3"] for at in times]
        rows = [{"metric": one, **({"values": values} if past else {"value": values[0]})} for one in names]
        found = {"resultType": "matrix" if past else "vector", "result": rows}
        body = json.dumps({"status": "success", "data": found}).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": body})


async def measured(folder: Path) -> list[Row]:
    """One run."""
    prometheus = PrometheusStub()
    async with serving(prometheus.app) as url, serving(SlackStub().app) as slack:
        toml = TOML.format(prometheus=url) + "".join(POOL.format(number=number) for number in range(POOLS))
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
        Row(f"{POOLS} pools: memory, MB", (memory,), (), "at most 100 MB"),
    ]
