"""Attacks on a whole web process from outside, each with one figure."""

import asyncio
import contextlib
import gzip
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
from starlette.responses import Response

from bot.adapters.redis.server.engine import die_with_parent
from bot.core.audit_chain import AuditEntry, linked
from handlers.http.body_limits import UNKNOWN_BYTES
from tests.answering import answering_aside
from tests.faults.groups import webhook
from tests.faults.servers import ROOT, RedisServer
from tests.handlers.endpoint import signature
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

MIB = 1024 * 1024
TOKEN, SECRET = "a-webhook-token-of-32-characters", "a-signing-secret"
CONFIG = '[slack]\nchannel = "C0CI"\n'
USUAL_FILES = 1024
"""The soft limit of open files that most systems start a process with."""


@dataclass
class Target:
    """One web process and its Redis."""

    folder: Path
    redis: RedisServer
    port: int
    pid: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, seconds: float = 5.0) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.url, trust_env=False, verify=False, timeout=seconds)

    def environment(self, **more: str) -> dict[str, str]:
        """All that a process of the product gets."""
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "SLACK_BOT_TOKEN": "xoxb-1",
            "SLACK_SIGNING_SECRET": SECRET,
            "SLACK_API_URL": "http://127.0.0.1:9/api/",
            "TAILBACK_WEBHOOK_TOKEN": TOKEN,
            "TAILBACK_WEBHOOK_HMAC_SECRET": "a-signing-secret-of-grafana",
            "TAILBACK_CONFIG": str(self.folder / "tailback.toml"),
            "REDIS_URL": f"redis://127.0.0.1:{self.redis.port}/0",
            "PORT": str(self.port),
            "LOG_LEVEL": "ERROR",
            **more,
        }

    def command(self, *words: str, config: str = CONFIG, **more: str) -> tuple[subprocess.CompletedProcess[bytes], int]:
        """One command of this tree, and the most memory that it had, in bytes."""
        (self.folder / "tailback.toml").write_text(config)
        code = "import runpy, sys\ntry:\n runpy.run_module('handlers', run_name='__main__')\nfinally:\n "
        code += "print('peak', open('/proc/self/status').read().partition('VmHWM:')[2].split()[0], file=sys.stderr)"
        ran = subprocess.run(
            [sys.executable, "-P", "-c", code, *words], cwd=self.folder, env=self.environment(**more),
            capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        return ran, int(ran.stderr.rpartition(b"peak ")[2].split()[0]) * 1024

    def used(self) -> float:
        """The processor's seconds that the web process has had, in all its threads."""
        threads = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text("ascii").split()[0]) for thread in threads) / 1e9

    def peak(self, *, begin: bool = False) -> int:
        """The most memory of the web process since `begin`, in bytes."""
        if begin:
            Path(f"/proc/{self.pid}/clear_refs").write_text("5", "ascii")
        text = Path(f"/proc/{self.pid}/status").read_text("utf-8")
        return int(text.partition("VmHWM:")[2].split()[0]) * 1024


@asynccontextmanager
async def target(folder: Path, **variables: str) -> AsyncIterator[Target]:
    """A web process on a real Redis, listening; `variables` go over its environment."""
    redis = RedisServer(folder / "redis", "--maxmemory-policy", "noeviction")
    await redis.start()
    made = Target(folder, redis, free_port())
    (folder / "tailback.toml").write_text(CONFIG)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    usual = min(USUAL_FILES, hard)
    dies = die_with_parent()

    def prepare() -> None:
        dies()
        resource.setrlimit(resource.RLIMIT_NOFILE, (usual, hard))

    with (folder / "web.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: ASYNC220 - starting takes no time
            [sys.executable, "-P", "-m", "handlers", "web"], cwd=folder, env=made.environment(**variables),
            stdout=log, stderr=log, preexec_fn=prepare,  # noqa: PLW1509 - system calls alone
        )  # fmt: skip
    made.pid = process.pid
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), made.client() as client:
            while True:
                with contextlib.suppress(httpx.HTTPError):
                    if (await client.get("/healthz")).status_code == 200:
                        break
                assert process.poll() is None, (folder / "web.log").read_text()
                await asyncio.sleep(0.05)
        yield made
    finally:
        process.kill()
        process.wait()
        redis.kill()


async def idle_connections(web: Target) -> float:
    """Seconds: the slowest of 15 alerts, clicks and /healthz beside 2,000 idle connections of one host."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    idle: list[socket.socket] = []
    slowest = 0.0
    try:
        for _ in range(2000):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", web.port))
            idle.append(one)
            if len(idle) % 100 == 0:
                await asyncio.sleep(0)
        await asyncio.sleep(0.3)
        for number in range(5):
            for ask in (healthy, partial(alert, number=number), click):
                began = time.monotonic()
                try:
                    async with web.client(10.0) as client:
                        assert (await ask(client)).status_code == 200
                except (httpx.HTTPError, AssertionError):
                    return 10.0
                slowest = max(slowest, time.monotonic() - began)
    finally:
        for one in idle:
            one.close()
    return slowest


async def healthy(client: httpx.AsyncClient) -> httpx.Response:
    return await client.get("/healthz")


async def alert(client: httpx.AsyncClient, number: int) -> httpx.Response:
    known = {"Authorization": f"Bearer {TOKEN}"}
    return await client.post("/alerts/alertmanager", content=webhook(number), headers=known)


async def click(
    client: httpx.AsyncClient, body: bytes = b'{"type": "url_verification", "challenge": "x"}'
) -> httpx.Response:
    """Something that Slack signed."""
    stamp = str(int(time.time()))
    signed = {**signature(body, stamp, SECRET), "Content-Type": "application/json"}
    return await client.post("/slack/events", content=body, headers=signed)


async def strangers(web: Target) -> float:
    """MB by which the process grows while 200 connections send 5 MB each: no credentials, or a forged signature."""
    before = web.peak(begin=True)

    async def send(number: int) -> None:
        forged = FORGED["/alerts/grafana"].format(now=int(time.time()), digits="0" * 64) if number % 2 else ""
        framing = "Content-Length: 5242880\r\n" if number % 4 < 2 else "Transfer-Encoding: chunked\r\n"
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(20):
                reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
                writer.write(f"POST /alerts/grafana HTTP/1.1\r\nHost: x\r\n{forged}{framing}\r\n".encode())
                for _ in range(80):
                    writer.write(b"10000\r\n" * (number % 4 > 1) + b" " * 65536 + b"\r\n" * (number % 4 > 1))
                    await writer.drain()
                await reader.read(1)
                writer.close()

    await asyncio.gather(*(send(number) for number in range(200)))
    return (web.peak() - before) / 1e6


async def oversized(web: Target) -> float:
    """MB by which the process grows while 60 strangers send 5 MB each, one after the other, under a forged signature.

    What is read of one must be free before the next: the refusal's traceback is garbage that is collected much later.
    """
    before = web.peak(begin=True)
    for _ in range(60):
        forged = FORGED["/alerts/grafana"].format(now=int(time.time()), digits="0" * 64)
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        head = f"POST /alerts/grafana HTTP/1.1\r\nHost: x\r\n{forged}Transfer-Encoding: chunked\r\n\r\n"
        with contextlib.suppress(OSError):
            writer.write(head.encode())
            for _ in range(80):
                writer.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
                await writer.drain()
            await reader.read(1)
        writer.close()
    return (web.peak() - before) / 1e6


FORGED = {
    "/alerts/grafana": "X-Grafana-Alerting-Signature: {digits}\r\nX-Grafana-Alerting-Timestamp: {now}\r\n",
    "/github": "X-Hub-Signature-256: sha256={digits}\r\n",
    "/slack/events": "X-Slack-Signature: v0={digits}\r\nX-Slack-Request-Timestamp: {now}\r\n",
}
"""Headers with which a stranger's body has to be read before it is known that nobody signed it."""


async def slow_bodies(web: Target) -> float:
    """Seconds: the slowest of 15 alerts, clicks and /healthz while strangers send bodies and never their last byte.

    Ten of 1 MiB by each route, one after the other, so that the budget for strangers is always full.
    """
    head = "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n{forged}\r\n"
    slowest, held = 0.0, list[asyncio.StreamWriter]()
    try:
        for path in [*FORGED] * 10:
            forged = FORGED[path].format(now=int(time.time()), digits="0" * 64)
            _, writer = await asyncio.open_connection("127.0.0.1", web.port)
            held.append(writer)
            writer.write(head.format(path=path, forged=forged).encode() + b" " * (MIB - 1))
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(1.0):
                    await writer.drain()
        for number in range(5):
            for ask in (healthy, partial(alert, number=number), click):
                began = time.monotonic()
                async with web.client(10.0) as client:
                    if (await ask(client)).status_code != 200:
                        return 10.0
                slowest = max(slowest, time.monotonic() - began)
    finally:
        for writer in held:
            writer.transport.abort()
    return slowest


def worst_bodies() -> dict[str, str]:
    """1 MiB of JSON each, in the shapes that take longest."""
    pad = MIB - 200
    labels = {f"l{n:07}": "x" * 20 for n in range(MIB // 40)}
    small = '{"status":"firing","labels":{"a":"b"}}'
    return {
        "labels": json.dumps({"alerts": [{"status": "firing", "labels": labels}]}),
        "alerts": '{"alerts": [' + ",".join([small] * (MIB // 90)) + "]}",
        "empty lists": '{"alerts": [' + ",".join(["[]"] * (MIB // 4)) + "]}",
        "objects": '{"alerts": [' + ",".join(['{"a":1}'] * (MIB // 33)) + ',"' + "x" * (MIB // 4 * 3) + '"]}',
        "numbers": '{"alerts": [' + ",".join(["1"] * 49_000) + ',"' + "x" * (pad - 98_100) + '"]}',
        "escapes": '{"alerts": [], "t": "' + "\\ud800" * (pad // 6) + '"}',
        "long number": '{"alerts": [' + "9" * pad + "]}",
        "depth": '{"alerts": ' + "[" * (pad // 2) + "]" * (pad // 2) + "}",
        "text": '{"alerts": [{"labels": {"a": "' + "é" * (pad // 2) + '"}}]}',
    }  # fmt: skip


async def parsing(web: Target) -> float:
    """Milliseconds for which the worst 1 MiB of JSON keeps /healthz waiting; the best of three tries.

    Of the processor's time: a machine that is busy with other things does not count.
    """
    known = {"Authorization": f"Bearer {TOKEN}"}
    worst = 0.0
    async with web.client() as sender, web.client() as watcher:
        for body in worst_bodies().values():
            tries = []
            for source in ("alertmanager", "event", "alertmanager"):
                post = asyncio.create_task(sender.post(f"/alerts/{source}", content=body, headers=known))
                longest = 0.0
                while not post.done():
                    began = web.used()
                    await watcher.get("/healthz")
                    longest = max(longest, web.used() - began)
                await post
                tries.append(longest)
            worst = max(worst, min(tries))
    return worst * 1000


async def hostile_answer(web: Target) -> float:
    """MB that `tailback check` takes for an answer of 1 kB that is 256 MiB when unpacked twice."""
    body = gzip.compress(gzip.compress(b" " * (256 * MIB)))
    config = f'{CONFIG}[metrics.p]\nkind = "prometheus"\nurl = "{{}}"\n[pool.a]\nmetrics = "p"\nqueued = "q"\n'
    with answering_aside(lambda _: Response(body, headers={"Content-Encoding": "gzip, gzip"})) as port:
        _, usual = web.command("check", config=config.format("http://127.0.0.1:9"))
        url = f"http://127.0.0.1:{port}"
        _, taken = await asyncio.to_thread(lambda: web.command("check", config=config.format(url)))
    return (taken - usual) / 1e6


async def long_trail(web: Target, entries: int = 100_000) -> float:
    """MB that it takes to verify an audit trail of 100,000 entries, more than for an empty one."""
    _, empty = web.command("audit", "--verify")
    previous = ""
    with web.redis.client as client:
        for start in range(0, entries, 5000):
            pipe = client.pipeline(transaction=False)
            for number in range(start + 1, start + 5001):
                entry = AuditEntry(float(number), f"U{number}", "ack", outcome="done")
                ((text, previous),) = linked([entry], (previous,) if previous else ())
                pipe.xadd("{tailback}:audit", {"entry": text, "hash": previous})
            pipe.execute()
        client.set("{tailback}:audit_head", previous)
    ran, taken = await asyncio.to_thread(lambda: web.command("audit", "--verify"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert b"100,000" in ran.stdout, ran.stdout
    return (taken - empty) / 1e6


async def trailing_slash(web: Target) -> float:
    """Requests of three that are answered with a redirect."""
    async with web.client() as client:
        answers = [
            await client.get("/healthz/"),
            *[await client.post(p, content=b"{}") for p in ("/alerts/event/", "/github/")],
        ]
    return sum(300 <= answer.status_code < 400 for answer in answers)


async def signed_nonsense(web: Target) -> float:
    """Signed bodies of six that cannot be read and are answered with 500, or not at all."""
    async with web.client() as client:
        bodies = (b"", b"{", b"[1]", b'"x"', b"\xff\xfe", b"[" * 5000)
        crashed = 0
        for body in bodies:
            try:
                crashed += (await click(client, body)).status_code >= 500
            except httpx.HTTPError:
                crashed += 1
    return float(crashed)


async def full_memory(web: Target) -> float:
    """Whether /readyz still says ready when no alert can be stored: 1 or 0."""
    async with web.client() as client:
        with web.redis.client as redis:
            redis.config_set("maxmemory", "1mb")
            try:
                for _ in range(20):
                    await asyncio.sleep(0.5)
                    if (await client.get("/readyz")).status_code != 200:
                        return 0.0
                return 1.0
            finally:
                redis.config_set("maxmemory", "0")


@dataclass(frozen=True, slots=True)
class Attack:
    """What is tried, how it is measured, and what is promised."""

    name: str
    unit: str
    run: Callable[[Target], Awaitable[float]]
    most: float
    """The promise: the largest figure that is allowed."""


HELD_KIB = 64 + 128
"""Of a body that a busy process has not judged yet, a connection holds at most the buffer of its socket (64 KiB), and
the 64 KiB at which uvicorn stops to read, with the read that goes beyond them."""
HEADERS_KIB = 16
"""Of the rest of a connection."""

ATTACKS = (
    Attack("200 strangers send 5 MB each: growth", "MB", strangers, 200 * (HELD_KIB + HEADERS_KIB) * 1024 / 1e6),
    Attack("60 strangers send 5 MB, one after the other: growth", "MB", oversized, 2 * UNKNOWN_BYTES / 1e6),
    Attack("2,000 idle connections: slowest alert, click, /healthz", "s", idle_connections, 1.0),
    Attack("30 slow bodies of strangers: slowest alert, click, /healthz", "s", slow_bodies, 1.0),
    Attack("worst 1 MiB of JSON: /healthz waits", "ms", parsing, 50.0),
    Attack("hostile answer, 256 MiB in 1 kB: growth", "MB", hostile_answer, 50.0),
    Attack("audit trail of 100,000 entries: growth", "MB", long_trail, 50.0),
    Attack("trailing slash: redirects of 3", "", trailing_slash, 0.0),
    Attack("signed body that cannot be read: 500s of 6", "", signed_nonsense, 0.0),
    Attack("Redis memory full: /readyz says ready", "", full_memory, 0.0),
)
