"""A whole installation in this process: a worker, a real Redis with mature pools, stand-ins in a thread."""

import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from pydantic import SecretStr
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.adapters.prometheus.together import FIGURE
from bot.config import Environment, File, Settings
from bot.core.pool.backfill import hours_of
from bot.core.pool.history import PoolHistory, finished
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change, Put, Stored
from bot.playground.serving import serving
from handlers.machine import spare_collector
from handlers.wiring import Runtime, opened
from handlers.worker import Worker
from tests.bench.stub import SlackStub
from tests.redis_servers import plain_redis

CHANNEL = "C0BENCH"
POOL = re.compile(r'pool=(?:\\")?"?(pool-\d+)')
PORTION = 10
DAYS = 42
SAMPLES = 240


def name_of(number: int) -> str:
    """Names have one length, so that bytes compare."""
    return f"pool-{number:04}"


@dataclass
class Prometheus:
    """Answers every query: quiet pools wait for nothing; those in trouble have a queue."""

    troubled: Mapping[str, int] = field(default_factory=dict)
    """Waiting jobs by pool; any other has none."""
    idle: frozenset[str] = frozenset()
    """Pools with an idle runner beside the queue."""
    queries: int = 0
    weeks: int = 0
    """Queries about days, as history is asked for."""
    hangs: Callable[[], bool] = lambda: False

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application."""
        asked = parse_qs((scope["query_string"] + b"&" + (await receive()).get("body", b"")).decode())
        self.queries += 1
        while self.hangs():
            await asyncio.sleep(0.05)
        query = asked.get("query", [""])[0]
        past = scope["path"].endswith("query_range")
        times = [time.time()]
        if past:
            start, end, step = (float(asked[name][0].removesuffix("s")) for name in ("start", "end", "step"))
            self.weeks += end - start > 86400
            times = [start + step * number for number in range(int((end - start) / step) + 1)]
        rows = [self._row(part, name, times, past=past) for part, name in _parts(query)]
        found = {"resultType": "matrix" if past else "vector", "result": rows}
        answer = json.dumps({"status": "success", "data": found}).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": answer})

    def _row(self, query: str, name: str, times: Sequence[float], *, past: bool) -> Mapping[str, object]:
        known = POOL.search(query)
        pool = known[1] if known else ""
        waiting = self.troubled.get(pool, 0)
        value = {True: 10.0, False: 0.0}["busy" in query]
        if "timestamp(" in query:
            value = times[-1]
        elif "jobs_queued" in query:
            value = float(waiting)
        elif "oldest_wait" in query:
            value = 3600.0 if waiting else 0.0
        elif 'state="idle"' in query:
            value = 1.0 if pool in self.idle or not waiting else 0.0
        labels = {FIGURE: name} if name else {}
        if "by (repository" in query:
            labels |= {"repository": "example-org/engine", "workflow": "ci"}
        pairs = [[at, f"{value:.3f}"] for at in times]
        return {"metric": labels, **({"values": pairs} if past else {"value": pairs[0]})}


_LABELLED = re.compile(r'label_replace\((.*?)\n, "' + FIGURE + r'", "(\w+)", "", ""\)', re.DOTALL)


def _parts(query: str) -> list[tuple[str, str]]:
    """Each figure's own query and name; the whole query if it asks for one."""
    return [(found[1], found[2]) for found in _LABELLED.finditer(query)] or [(query, "")]


@contextmanager
def aside(**apps: ASGIApp) -> Any:
    """(URL of each application, the CPU that they used): they run in one thread with a loop of its own."""
    ready, over, urls, spent = threading.Event(), threading.Event(), dict[str, str](), [0.0]

    async def serve() -> None:
        async with _all(apps) as found:
            urls.update(found)
            ready.set()
            while not over.is_set():
                spent[0] = time.thread_time()
                await asyncio.sleep(0.02)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield urls, lambda: spent[0]
    finally:
        over.set()
        thread.join()


@asynccontextmanager
async def _all(apps: Mapping[str, ASGIApp]) -> AsyncIterator[dict[str, str]]:
    async with AsyncExitStack() as stack:
        yield {name: await stack.enter_async_context(serving(app)) for name, app in apps.items()}


@dataclass
class Installation:
    """What a measurement works on."""

    runtime: Runtime
    redis: str
    prometheus: Prometheus
    slack: SlackStub
    elsewhere: Callable[[], float]
    pools: tuple[str, ...]


@asynccontextmanager
async def installed(
    folder: Path, pools: int, sources: int = 1, *, poll: float = 10.0, watch: float = 20.0,
    prometheus: Prometheus | None = None, mature: bool = True, working: bool = True, named: bool = False,
    hung: bool = False, backfill: str = "0s",
) -> AsyncIterator[Installation]:  # fmt: skip
    """An installation with so many pools, spread over the sources; `backfill` as in the settings.

    `named`: alerts name their pool. `hung`: the first source never answers.
    """
    silent = Prometheus(hangs=lambda: True)
    names, stub, slack = tuple(map(name_of, range(pools))), prometheus or Prometheus(), SlackStub()
    with ExitStack() as stack:
        url = stack.enter_context(plain_redis())
        urls, elsewhere = stack.enter_context(
            aside(prometheus=stub.app, slack=slack.app, scaler=_scaler, silent=silent.app)
        )
        at = [urls["silent" if hung and number == 0 else "prometheus"] for number in range(sources)]
        file = File.model_validate({
            "slack": {"channel": CHANNEL, "pace": "0s", "edit_pace": "0s"},
            "timing": {"poll": f"{poll:g}s", "watch": f"{watch:g}s", "backfill": backfill},
            "permissions": {name: ["anyone"] for name in ("ack", "silence", "diagnose", "scale")},
            "metrics": {f"p{number}": {"kind": "prometheus", "url": url} for number, url in enumerate(at)},
            "pool": {
                name: {
                    "metrics": f"p{number % sources}", "preset": "ci", "match": {"runner_label": name} if named else {},
                    "scaler": {"kind": "http", "url": f"{urls['scaler']}/{name}", "max": 40},
                }
                for number, name in enumerate(names)
            },
        })  # fmt: skip
        environment = Environment(
            slack_bot_token=SecretStr("xoxb-demo"), slack_api_url=f"{urls['slack']}/api/", redis_url=SecretStr(url),
            tailback_data=folder, tailback_config=folder / "none.toml",
        )  # fmt: skip
        async with opened(Settings(environment, file)) as runtime:
            spare_collector()  # as `tailback run` does
            if mature:
                await grown(runtime, names)
            if not working:
                yield Installation(runtime, url, stub, slack, elsewhere, names)
                return
            worker = Worker(runtime.context)
            task = asyncio.create_task(worker.run())
            try:
                yield Installation(runtime, url, stub, slack, elsewhere, names)
            finally:
                worker.stop()
                await task


async def _scaler(_: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": b'{"current": 10, "min": 0, "max": 40}'})


async def grown(runtime: Runtime, names: Sequence[str]) -> None:
    """Write pools that were measured for six weeks; their samples end now."""
    now = runtime.context.now()
    rows = _weeks(int(now // 86400))
    for first in range(0, len(names), PORTION):
        puts = list[Put]()
        for name in names[first : first + PORTION]:
            samples = tuple(_usual(name, now - 30.0 * (SAMPLES - number)) for number in range(SAMPLES))
            pool = Pool(name, samples, tried_at=samples[-1].at)
            puts.append(Put(Stored(Pool(name), 0), pool, now))
            puts.append(Put(Stored(PoolHistory(name), 0), replace(rows, id=name), None))
        await runtime.store.commit(Change(puts=tuple(puts)))


def _usual(name: str, at: float, wait: float = 20.0) -> Snapshot:
    return Snapshot(
        name, at, queued=2, oldest_wait_seconds=wait, busy=30, idle=4, offline=0, limit=40, booting=0,
        arrivals_per_minute=3.0, starts_per_minute=3.0, completions_per_minute=3.0, duration_p50_seconds=536.0,
    )  # fmt: skip


@cache
def _weeks(today: int) -> PoolHistory:
    past = PoolHistory("")
    for day in range(today - DAYS, today):
        waits = (day * 86400 + 300.0 * number for number in range(289))
        past = finished(past, hours_of([day], [_usual("", at, 1200.0 if at % 86400 < 7200 else 20.0) for at in waits]))
    return past
