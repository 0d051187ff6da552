"""What every test may ask for: a real component by `needs`, and a real, empty Redis by `redis_url`."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import pytest_asyncio
import redis
from hypothesis import HealthCheck, settings

from bot.adapters.redis.server.engine import find_engine
from tests.invariants import WATCHED
from tests.patience import WHOLE_TEST_SECONDS
from tests.processes import Zygote
from tests.redis_servers import running

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from tests.handlers.terminal import Terminal
    from tests.world import World

COMPONENTS = {
    "alertmanager": (("prometheus-alertmanager",), "prometheus-alertmanager"),
    "amtool": (("amtool",), "prometheus-alertmanager"),
    "caddy": (("caddy",), "caddy"),
    "chromedriver": (("chromedriver",), "chromium-driver"),
    "chromium": (("chromium",), "chromium"),
    "hadolint": (("hadolint",), ""),
    "helm": (("helm",), ""),
    "jq": (("jq",), "jq"),
    "kubernetes-validate": (("kubernetes-validate",), ""),
    "nginx": (("nginx",), "nginx-light"),
    "prometheus": (("prometheus",), "prometheus"),
    "redis-sentinel": (("redis-sentinel",), "redis-sentinel"),
    "redis-server": (("redis-server",), "redis-server"),
    "sphinx-build": (("sphinx-build",), ""),
    "systemd-analyze": (("systemd-analyze",), "systemd"),
    "victoria-metrics": (("victoria-metrics",), "victoria-metrics"),
}
"""Component: (its programs, the Debian package that brings them; empty: .ci/run installs it from a lock)."""

LONGEST = {
    "test_care_invariants.py",
    "test_docs_site.py",
    "test_every_moment_on_the_fleet.py",
    "test_many.py",
    "test_report_page.py",
    "test_soak.py",
    "test_stories.py",
    "test_story.py",
    "test_tours.py",
    "test_walkthroughs.py",
}
"""The files with tests of ten seconds and more."""

if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]
    """httpcore imports it at each request: else pytest looks through all folders for what is not there."""
gc.disable()  # until all tests are collected: nothing becomes garbage before that
settings.register_profile("tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("tests"), max_examples=25)  # the first of the same examples
settings.load_profile("tests")  # no property depends on the speed of the machine, or on chance


def missing(component: str) -> str | None:
    """Why `component` cannot be used here, as one line with the remedy; None when it is installed."""
    if component not in COMPONENTS:
        return (
            f"nobody knows the component {component!r}: known are {', '.join(sorted(COMPONENTS))} (tests/conftest.py)"
        )
    programs, package = COMPONENTS[component]
    if all(shutil.which(program) for program in programs):
        return None
    return f"needs {component}: install " + (f"the Debian package {package}" if package else "it as .ci/run does")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that no worker is alone with it at the end."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """The garbage collector need not look through all modules and tests again and again."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test that hangs fails here, with the line it hangs at, and the others go on."""

    def hangs(*_: object) -> None:
        raise TimeoutError(f"{item.nodeid} has not ended after {WHOLE_TEST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(WHOLE_TEST_SECONDS)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose component is not installed; in CI, where all must be, fails it."""
    for component in [name for marker in item.iter_markers("needs") for name in marker.args]:
        reason = missing(component)
        if reason is None:
            continue
        if os.environ.get("CI") or component not in COMPONENTS:
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


@pytest.fixture(autouse=True)
def promises() -> Iterator[None]:
    """After every test: never above the limit nor lowered, handed back some day, one effect per click, audit first.

    And of the threads in Slack: one for each incident, each reply once and in order.
    """
    WATCHED.clear()
    yield
    found = [sentence for broken in WATCHED for sentence in broken()]
    WATCHED.clear()
    assert found == []


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Starts product processes within milliseconds, one for each xdist worker."""
    made = Zygote()
    yield made
    made.close()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The URL of a real Valkey or Redis server with its append-only file on, one for each xdist worker.

    Unlike the product's own embedded server it allows every command, so that tests can break things.
    """
    place = Path(tempfile.mkdtemp(prefix="tb-test-"))
    url = f"unix://{place}/redis.sock"
    try:
        with running(*find_engine().flags(place, place / "redis.sock", durable=True, restricted=False), url=url):
            yield url
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """The URL of a real server with nothing in it: no keys, no scripts."""
    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
        client.script_flush()
    return redis_server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator["Browser"]:
    """One headless Chromium for each xdist worker: its start costs more than most of the tests."""
    from tests.journeys.visitor import opened_browser  # noqa: PLC0415 - only for tests that ask for it

    async with opened_browser() as made:
        yield made


@pytest.fixture
def terminal(tmp_path: Path, zygote: Zygote) -> "Terminal":
    from tests.handlers import terminal  # noqa: PLC0415 - only for tests that ask for it

    return terminal.Terminal(tmp_path, zygote)


@pytest.fixture
def made_up_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials by the usual variables, which boto3's chain finds before those of this machine."""
    from tests.adapters.scalers.aws_api import MADE_UP  # noqa: PLC0415 - only for tests that ask for it

    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in MADE_UP.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def moto_server() -> Iterator[str]:
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - only for tests that ask for it

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def moto_url(moto_server: str) -> str:
    """An AWS without anything in it."""
    httpx.post(f"{moto_server}/moto-api/reset")
    return moto_server


@pytest.fixture
def world() -> "World":
    from tests import world as fakes  # noqa: PLC0415 - only for tests that ask for it

    return fakes.World()
