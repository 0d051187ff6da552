"""Real Redis programs: each begins with an empty folder, answers once it runs, and ends with the tests."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.adapters.redis.server.engine import die_with_parent
from tests.patience import PATIENCE_SECONDS, until

QUIET: Mapping[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def started(command: list[str]) -> subprocess.Popen[bytes]:
    """A program that says nothing; a test run that is killed leaves none behind."""
    return subprocess.Popen(command, preexec_fn=die_with_parent(), **QUIET)  # noqa: PLW1509 (two system calls)


def answers(url: str) -> bool:
    """Whether a server answers PING at `url` now."""
    with contextlib.suppress(redis.RedisError), _asks_once(url) as client:
        return bool(client.ping())
    return False


def _asks_once(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, retry=Retry(NoBackoff(), 0))


@contextlib.contextmanager
def running(*command: str, url: str) -> Iterator[subprocess.Popen[bytes]]:
    """The program while the block runs; it answers PING at `url` when the block begins."""
    server = started(list(command))
    try:
        until(lambda: answers(url) or server.poll() is not None, f"an answer of {command}")
        assert server.poll() is None, f"{command} has ended"
        yield server
    finally:
        server.kill()
        server.wait(timeout=PATIENCE_SECONDS)


def whole(client: redis.Redis) -> None:
    """Wait until the append-only file is written for the first time: until then a server does not obey SIGTERM."""

    def written() -> bool:
        persistence = client.info("persistence")
        return not persistence["aof_rewrite_in_progress"] and not persistence["aof_rewrite_scheduled"]

    until(written, "the append-only file")


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
