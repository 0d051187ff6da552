"""What more processes bring: `python -m tests.bench 1 replicas`. Incidents opened and audited commits, a second.

Real processes and a real redis-server with its append-only file. A Slack that answers after a second is waited for, so
workers add up; everything else shares the processors of this machine with Redis and with the sender. The baseline is
the smallest installation of the same run.
"""

import asyncio
import logging
import statistics
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import structlog

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.server.engine import find_engine
from bot.adapters.redis.store import RedisStore
from bot.core.audit_chain import AuditEntry
from bot.core.record import Change
from tests.bench.table import Row
from tests.faults.checker import key_of, seen
from tests.faults.system import Plan, System, opened_system
from tests.processes import Zygote
from tests.redis_servers import running

GROUPS = 600
A_SECOND = 300
"""Webhooks sent in each second, whatever comes of those before."""
SLOW_SECONDS = 1.0
CASES = ((1, 1), (1, 2), (1, 3), (2, 3))
"""Webs and workers."""
STORES = (1, 2, 3)
COMMITS = 3000
AT_ONCE = 16


async def opened(zygote: Zygote, folder: Path, case: tuple[int, int]) -> tuple[float, float, int]:
    """(incidents opened a second, p99 of a webhook in seconds, what was done twice) of one installation."""
    webs, workers = case
    plan = Plan(webs=webs, workers=workers, lease="10s", settle="10s", storm=10 * GROUPS, judges_itself=True)
    async with opened_system(zygote, folder, plan, start=False) as system:
        for process in system.processes.values():
            process.env["REDIS_URL"] = f"redis://127.0.0.1:{system.redis.port}/0"
        await system.start()
        await _recovered(system)
        system.to_slack.delay(lambda _: True, SLOW_SECONDS)
        begun = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number in range(GROUPS):
                group.create_task(system.send_until_taken(number, within=120))
                await asyncio.sleep(max(0.0, begun + number / A_SECOND - time.monotonic()))
        await system.eventually(lambda: len(posted(system)) >= GROUPS, f"{GROUPS} threads", 120)
        rate = GROUPS / (time.monotonic() - begun)
        await asyncio.sleep(2 * SLOW_SECONDS)
        p99 = statistics.quantiles([sent.seconds for sent in system.delivered], n=100)[-1]
        return rate, p99, len(seen(system).duplicates) + sum(times - 1 for times in Counter(posted(system)).values())


async def _recovered(system: System) -> None:
    """Return when each worker has looked for lost records, which it does first, in the history of every channel."""
    known = -1
    while len(system.stand_in.log.calls) != known:
        known = len(system.stand_in.log.calls)
        await asyncio.sleep(1)


def posted(system: System) -> list[str]:
    """The marks of all first messages that the stand-in stored, in the order of its log."""
    marks = [key_of(call.args) for call in system.stand_in.log.of("chat.postMessage")]
    return [mark for mark in marks if "/" not in mark]


def audited(url: str) -> tuple[float, float]:
    """(begin, end) of one process's commits with an audit entry each; epoch seconds."""

    async def commits() -> tuple[float, float]:
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
        store = RedisStore(connect(url), Clocks(time.time, time.monotonic))
        entry = AuditEntry(1.7e9, "U1", "scale_up", {"to": "24"}, "10", "24", "done", "a1", "i1")

        async def share() -> None:
            for _ in range(COMMITS // AT_ONCE):
                await store.commit(Change(audit=(entry,)))

        await store.commit(Change(audit=(entry,)))
        begun = time.time()
        await asyncio.gather(*(share() for _ in range(AT_ONCE)))
        ended = time.time()
        await store.aclose()
        return begun, ended

    return asyncio.run(commits())


def commit_rates(folder: Path) -> list[float]:
    """Audited commits a second by so many processes at once as in STORES."""
    rates, engine, socket = [], find_engine(), folder / "s"
    with running(*engine.flags(folder, socket, durable=True), url=f"unix://{socket}"):
        for number in STORES:
            with ProcessPoolExecutor(number, get_context("spawn")) as pool:
                spans = list(pool.map(audited, [f"unix://{socket}"] * number))
            rates.append(number * COMMITS / (max(end for _, end in spans) - min(begin for begin, _ in spans)))
    return rates


async def measured(folder: Path) -> list[Row]:
    """One run."""
    zygote, rows, first, twice = Zygote(), list[Row](), 0.0, 0
    for webs, workers in CASES:
        place = folder / f"{webs}-{workers}"
        place.mkdir()
        rate, p99, again = await opened(zygote, place, (webs, workers))
        first, twice = first or rate, twice + again
        who = f"{webs} web, {workers} worker"
        rows += [Row(f"{who}: incidents a second", (rate,), (first,)), Row(f"{who}: webhook p99, ms", (p99 * 1e3,))]
    rates = await asyncio.to_thread(commit_rates, folder)
    zygote.close()
    rows.append(Row("the same: messages sent twice", (float(twice),), (), "0"))
    return rows + [
        Row(f"{number} processes: audited commits a second", (rate,), (rates[0],))
        for number, rate in zip(STORES, rates, strict=True)
    ]
