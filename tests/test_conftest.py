"""What tests may ask for: a component that is missing is said plainly, and every test gets an empty Redis."""

import asyncio
import gc
import os
import re
import socket
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import redis

from bot.playground.serving import serving
from tests.answering import Listeners
from tests.architecture.tree import ROOT
from tests.conftest import COMPONENTS, missing
from tests.patience import LONG
from tests.ports import HIGHEST, LOWEST, free_port, share

NEEDY = """
import pytest

@pytest.mark.needs({component!r})
def test_needy():
    assert True
"""


@pytest.mark.parametrize(
    ("component", "environment", "outcome"),
    [
        ("prometheus", {}, "SKIPPED [1] {file}: needs prometheus: install the Debian package prometheus"),
        ("prometheus", {"CI": "true"}, "needs prometheus: install the Debian package prometheus\n"),
        ("grafana", {}, "nobody knows the component 'grafana': known are alertmanager, amtool"),
    ],
)
def test_a_missing_component_skips_and_in_ci_fails(
    tmp_path: Path, component: str, environment: dict[str, str], outcome: str
) -> None:
    """Nobody needs all components on a laptop, and nothing goes untested in CI; a typing error is never a skip."""
    file = tmp_path / "test_needy.py"
    file.write_text(NEEDY.format(component=component))
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.conftest",
        "-c",
        ROOT / "pyproject.toml",
        "-rs",
        file,
    ]
    environment = {"PATH": str(tmp_path), **environment}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert outcome.rsplit("{file}", maxsplit=1)[-1] in result.stdout
    assert (result.returncode == 0) == ("SKIPPED" in outcome), result.stdout


@pytest.mark.skipif(not os.environ.get("CI"), reason="only CI must have everything")
@pytest.mark.parametrize("component", sorted(COMPONENTS))
def test_ci_has_every_component(component: str) -> None:
    """`.ci/run` installs all that the tests start."""
    assert missing(component) is None


@pytest.mark.parametrize("round_number", [1, 2])
def test_every_test_gets_an_empty_real_redis(redis_url: str, round_number: int) -> None:
    """What one test leaves behind, the next does not see; nothing is forbidden there."""
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        assert client.config_get("appendonly") == {"appendonly": "yes"}
        client.set("left behind", round_number)
        assert client.config_set("maxmemory", 0)


@pytest.mark.parametrize("workers", ["0", "1"] if LONG else ["1"])
def test_too_few_lines_reached_fail_the_run(workers: str) -> None:
    """What a worker of its own has reached counts as well."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.measured", "-n", workers, "tests/core/test_audit_chain.py"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    share = re.search(r"The tests reach ([0-9.]+) % of the lines and branches; 97.0 % are needed.", result.stdout)
    assert share
    assert 10 < float(share[1]) < 30
    assert not re.search(r"^bot/core/audit_chain\.py .* 1-\d+$", result.stdout, re.M), "by the worker"
    assert " passed" in result.stdout
    assert result.returncode == pytest.ExitCode.TESTS_FAILED


async def no_answer(*_: object) -> None:
    """A server that is only connected to."""


@asynccontextmanager
async def a_listener() -> AsyncIterator[str]:
    async with Listeners() as listeners:
        yield f":{await listeners.listen(no_answer)}"


@pytest.mark.parametrize("server", [a_listener, partial(serving, no_answer)])
@pytest.mark.parametrize("turns", range(4))
def test_a_server_leaves_no_socket_of_who_comes_while_it_closes(
    server: Callable[[], AbstractAsyncContextManager[str]], turns: int
) -> None:
    """Python would blame the test in which it collects the garbage."""

    async def closes() -> None:
        async with server() as address:
            await asyncio.sleep(0.01)  # until the server rests
            coming = asyncio.create_task(comes(int(address.rpartition(":")[2])))
        await coming

    async def comes(port: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        client.connect_ex(("127.0.0.1", port))

    with socket.socket() as client, warnings.catch_warnings(record=True, action="always") as left:
        client.setblocking(False)
        asyncio.run(closes())
        gc.collect()
    assert [str(one.message) for one in left] == []


def test_no_port_is_given_twice() -> None:
    """Two servers of one test would wait for each other's, and a server that is killed would not get its own back."""
    given = [port for worker in range(4) for port in share(f"gw{worker}", 4)]
    assert sorted(given) == list(range(LOWEST, HIGHEST))
    assert len({free_port() for _ in range(99)}) == 99
