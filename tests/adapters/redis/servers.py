"""Starts real Redis programs for one test module: a plain server, a Sentinel, a cluster of one node."""

import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import redis

from bot.adapters.redis.engine import die_with_parent
from tests.patience import PATIENCE_SECONDS

QUIET: Mapping[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@contextlib.contextmanager
def running(*command: str, url: str) -> Iterator[subprocess.Popen[bytes]]:
    """The program while the block runs; it answers PING at `url` when the block begins."""
    server = subprocess.Popen(command, preexec_fn=die_with_parent(), **QUIET)  # noqa: PLW1509 (two system calls)
    try:
        for _ in range(500):
            with contextlib.suppress(redis.ConnectionError), redis.Redis.from_url(url) as client:
                client.ping()
                break
            time.sleep(0.02)
        yield server
    finally:
        server.kill()
        server.wait(timeout=PATIENCE_SECONDS)


def whole(client: redis.Redis) -> None:
    """Wait until the append-only file is written for the first time: until then a server does not obey SIGTERM."""
    for _ in range(500):
        told = client.info("persistence")
        if not told["aof_rewrite_in_progress"] and not told["aof_rewrite_scheduled"]:
            return
        time.sleep(0.01)
    raise AssertionError("the append-only file was not written within 5 s")


@contextlib.contextmanager
def plain_redis(*more: str) -> Iterator[str]:
    """The URL of a redis-server from PATH on a socket of its own."""
    place = Path(tempfile.mkdtemp(prefix="tb-redis-"))
    url = f"unix://{place}/s"
    command = ["redis-server", "--port", "0", "--unixsocket", f"{place}/s", "--dir", str(place), "--save", "", *more]
    try:
        with running(*command, url=url):
            yield url
    finally:
        shutil.rmtree(place, ignore_errors=True)
