"""RT: a process that is stopped in the middle of a read ends in time, and Python complains of nothing left behind.

The processes run with `-W error` (tests/processes.py), so a connection or a task that nobody closed is in the log.
"""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from tests.faults.ends import POOL
from tests.faults.frames import Request
from tests.faults.points import posts
from tests.faults.system import TOKEN, System
from tests.faults.wires import Wire

LISTING = """
[metrics.jobs]
kind = "github"
url = "http://127.0.0.1:{ends}"
repositories = ["example/ci"]
token_env = "LISTING_TOKEN"
[pool.listed]
match = {{ runner_label = "listed" }}
metrics = "jobs"
label = "listed"
"""
STOP_SECONDS = 20.0
"""P11: within this time a process has ended."""
COMPLAINTS = ("never retrieved", "never awaited", "ResourceWarning", "Unclosed", "was destroyed", "Traceback")


def named(part: str) -> Callable[[Request], bool]:
    return lambda request: part in request.name


async def alert_comes(system: System) -> None:
    await system.send_until_taken(1)


async def somebody_scales(system: System) -> None:
    await system.queue(f"scale {POOL} 12")


async def by_itself(_: System) -> None:
    """The process reads without being asked."""


@dataclass(frozen=True)
class Read:
    """One kind of read: by which process, over which wire, and what makes it read."""

    who: str
    wire: Callable[[System], Wire]
    match: Callable[[Request], bool]
    cause: Callable[[System], Awaitable[None]] = by_itself


READS = {
    "figures": Read("worker1", lambda system: system.to_ends, named("/api/v1/query")),
    "a listing": Read("worker1", lambda system: system.to_ends, named("/repos/example/ci")),
    "what fires": Read("worker1", lambda system: system.to_ends, named("/alerts/groups")),
    "a commit": Read("worker1", lambda system: system.to_redis, named("commit")),
    "a post": Read("worker1", lambda system: system.to_slack, posts, alert_comes),
    "a scaler for a dialog": Read("web1", lambda system: system.to_ends, named("GET /pools/"), somebody_scales),
    "a person in Slack": Read("web1", lambda system: system.to_slack, named("users.info"), somebody_scales),
}


@pytest.mark.needs("redis-server")
@pytest.mark.plan(webs=1, workers=1, pools=True, start=False, still_limited=True, tables=LISTING)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
async def test_rt_9_a_stop_in_the_middle_of_a_read_leaves_nothing_behind(system: System, read: Read) -> None:
    """The answer never comes: the process ends in time, with 0, and each of its tasks and connections has an end."""
    for process in system.processes.values():
        process.env["LISTING_TOKEN"] = "a-token"
    held = read.wire(system).hold(lambda request: request.who == read.who and read.match(request))
    await system.start()
    causing = asyncio.ensure_future(read.cause(system))
    await held.waits()
    await ends_clean(system, read.who)
    held.drop()
    await asyncio.wait([causing])
    causing.exception()


@pytest.mark.needs("redis-server")
@pytest.mark.plan(webs=1, workers=0)
async def test_rt_9_a_stop_in_the_middle_of_a_webhook_leaves_nothing_behind(system: System) -> None:
    """Half of an alert has arrived, and the rest never comes."""
    _, writer = await asyncio.open_connection("127.0.0.1", system.webs[0].port)
    head = f"POST /alerts/alertmanager HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{{".encode())
    await writer.drain()
    await ends_clean(system, "web1")
    writer.close()


async def ends_clean(system: System, name: str) -> None:
    process, begun = system.processes[name], time.monotonic()
    process.signal(signal.SIGTERM)
    assert await process.ended() == 0, process.output()[-2000:]
    assert time.monotonic() - begun < STOP_SECONDS
    output = process.output()
    assert [line for line in output.splitlines() if any(word in line for word in COMPLAINTS)] == [], output[-3000:]
