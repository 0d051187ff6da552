"""A Linux host: the systemd unit, and nginx or Caddy in front of Tailback."""

import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from starlette.responses import Response

from bot.config import Environment
from bot.settings import HttpTable
from handlers.cli import WRONG_SETTINGS
from handlers.worker import QUIET_SECONDS
from tests.answering import Asked, answering_aside
from tests.deploy import proxies
from tests.deploy.dockerfile import UNIT, unit_settings
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port
from tests.processes import program

MOST_EXPOSED = 1.5
"""Of 10, by `systemd-analyze security`; 1.2 when this was written. The network and other services' sockets remain."""
LARGEST = 4 * HttpTable().max_body_bytes
HUGE = {"nginx": {413}, "caddy": {413, 502}}
"""What each answers beyond that, by itself: far above what Tailback takes, and told by nobody."""
PUBLIC = (
    "/alerts/grafana",
    "/alerts/grafana/",
    "/alerts/alertmanager",
    "/alerts/sns",
    "/alerts/event",
    "/github",
    "/slack/events",
)
PROGRAMS = ("/api/v1/pools?limit=1", "/api/v1/pools/team%2Flinux/diagnosis", "/mcp")
PRIVATE = ("/metrics", "/healthz", "/readyz", "/", "/alerts/", "/alerts/grafana/x", "/slack", "/github/x")


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that is there; nothing else is changed."""
    program = shutil.which("true")
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace("ExecStart=/usr/local/bin/tailback", f"ExecStart={program}"))
    return copy


@pytest.mark.needs("systemd-analyze")
def test_systemd_accepts_the_unit(unit: Path) -> None:
    """Without a word about an unknown setting or a value that is ignored."""
    assert program("systemd-analyze", "verify", unit).err == ""


@pytest.mark.needs("systemd-analyze")
def test_the_unit_exposes_little(unit: Path) -> None:
    """By systemd's own measure, from 0 to 10."""
    program("systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED * 10:.0f}", unit)


def test_the_unit_bounds_what_tailback_uses_and_stops_it_in_order() -> None:
    """Only Tailback gets SIGTERM: it drains, then ends its own Redis. Killed together, Redis would be gone first."""
    given = {name: values[-1] for name, values in unit_settings().items()}
    assert (given["DynamicUser"], given["ProtectSystem"], given["KillMode"]) == ("yes", "strict", "mixed")
    assert int(given["TimeoutStopSec"].removesuffix("s")) > 30
    assert int(given["LimitNOFILE"]) >= 10_032, "the embedded server wants 10,000 clients and 32 more"
    assert {"MemoryMax", "MemoryHigh", "TasksMax"} <= set(given)


def test_the_unit_restarts_what_hangs_and_not_what_is_misconfigured() -> None:
    """systemd waits for READY=1, expects WATCHDOG=1, and leaves a process alone that ended with wrong settings."""
    given = {name: values[-1] for name, values in unit_settings().items()}
    assert (given["Type"], given["WatchdogSec"], given["Restart"]) == ("notify", "2min", "on-failure")
    assert given["RestartPreventExitStatus"] == str(WRONG_SETTINGS)
    assert 4 * QUIET_SECONDS < 120, "a worker that finds nothing looks often enough"
    assert given["LimitCORE"] == "0"


def test_the_unit_keeps_the_data_where_it_may_write() -> None:
    """The variables are Tailback's own, and the data folder lies in the only place that the service may write to."""
    variables = dict(value.split("=", 1) for value in unit_settings()["Environment"])
    assert set(variables) <= {name.upper() for name in Environment.model_fields} | {"HOME"}
    (state,) = unit_settings()["StateDirectory"]
    assert variables["TAILBACK_DATA"].startswith(f"/var/lib/{state}/")
    assert variables["HOME"] == f"/var/lib/{state}", "without a home, slack_sdk cannot be imported"
    assert unit_settings()["EnvironmentFile"] == ["/etc/tailback/env"]


@pytest.fixture
def heard() -> list[str]:
    """The path of each request that came through, before its body; then its sender, by the proxy's word."""
    return []


@pytest.fixture
def upstream(heard: list[str]) -> Iterator[int]:
    """The port of what stands for Tailback: 200 for whatever reaches it, with the size of the body."""

    def answer(asked: Asked) -> Response:
        heard.append({name.lower(): value for name, value in asked.headers.items()}.get("x-forwarded-for", ""))
        return Response(str(len(asked.body)))

    with answering_aside(answer, heard.append) as port:
        yield port


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.needs(name)) for name in ("nginx", "caddy")])
def proxy(request: pytest.FixtureRequest, tmp_path: Path, upstream: int) -> Iterator[tuple[str, httpx.Client]]:
    """Each shipped proxy by its name."""
    start = {"nginx": proxies.nginx, "caddy": proxies.caddy}[request.param]
    with start(tmp_path, upstream) as client:
        yield request.param, client


def test_a_proxy_lets_through_what_is_meant_for_the_world(proxy: tuple[str, httpx.Client]) -> None:
    """Bodies far above Tailback's own limit, which it answers itself, on its public paths; nothing huge or internal."""
    name, client = proxy
    small = {path: client.post(path, content=b"{}").status_code for path in PUBLIC}
    assert small == dict.fromkeys(PUBLIC, 200)
    closed = (*PRIVATE, *PROGRAMS)
    assert {path: client.get(path).status_code for path in closed} == dict.fromkeys(closed, 404)
    passed = client.post("/alerts/grafana", content=bytes(LARGEST))
    assert (passed.status_code, passed.text) == (200, str(LARGEST))
    assert client.post("/alerts/grafana", content=bytes(LARGEST + 1)).status_code in HUGE[name]


def test_a_proxy_takes_a_body_whole_before_tailback_hears_of_it(
    proxy: tuple[str, httpx.Client], heard: list[str]
) -> None:
    """So that a sender who is slow costs Tailback nothing; and it tells who sends, whatever the sender says of that."""
    _, client = proxy
    heard.clear()
    began, end = threading.Event(), threading.Event()

    def slowly() -> Iterator[bytes]:
        yield b"{"
        began.set()
        end.wait(PATIENCE_SECONDS)
        yield b"}"

    with ThreadPoolExecutor(1) as aside:
        headers = {"X-Forwarded-For": "203.0.113.7", "Content-Length": "2"}
        slow = aside.submit(lambda: client.post("/github", content=slowly(), headers=headers))
        began.wait(PATIENCE_SECONDS)
        assert client.post("/alerts/sns", content=b"{}").status_code == 200
        assert heard == ["/alerts/sns", "127.0.0.1"], "the slow one has not been heard of"
        end.set()
        assert slow.result().status_code == 200
    assert heard[2:] == ["/github", "127.0.0.1"]


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("nginx", "caddy")])
def test_a_proxy_passes_the_api_on_once_its_block_is_open(
    name: str, tmp_path: Path, upstream: int, heard: list[str]
) -> None:
    """Names of pools stay encoded, large bodies do not pass, and nothing else is opened."""
    start = {"nginx": proxies.nginx, "caddy": proxies.caddy}[name]
    with start(tmp_path, upstream, edited=proxies.with_api) as client:
        heard.clear()
        for path in PROGRAMS:
            assert client.get(path).status_code == 200, path
        assert heard[::2] == list(PROGRAMS)
        assert client.post("/mcp", content=b"{}").status_code == 200
        assert client.post("/mcp", content=bytes(100_000)).status_code in HUGE[name]
        assert {path: client.get(path).status_code for path in PRIVATE} == dict.fromkeys(PRIVATE, 404)
        assert client.get("/mcp/more").status_code == 404


class _Restarted(BaseHTTPRequestHandler):
    """What stands for a Tailback that has come back: it takes whatever is posted."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def listening(port: int) -> Iterator[None]:
    with ThreadingHTTPServer(("127.0.0.1", port), _Restarted) as server, ThreadPoolExecutor(1) as pool:
        pool.submit(server.serve_forever, 0.05)
        try:
            yield
        finally:
            server.shutdown()


@pytest.mark.needs("caddy")
def test_behind_caddy_an_alert_waits_while_the_only_process_restarts(tmp_path: Path) -> None:
    """Grafana and GitHub send once: a 502 in those seconds would be an alert that nobody ever sees.

    One sender: Caddy 2.6 loses the body of some when several wait at once.
    """
    port = free_port()
    with proxies.caddy(tmp_path, port) as client, ThreadPoolExecutor(1) as sender:
        sent = sender.submit(client.post, "/alerts/grafana", content=b"{}", timeout=20)
        assert not wait([sent], timeout=1).done, "answered while nobody listened"
        with listening(port):
            assert sent.result().status_code == 200


@pytest.mark.needs("nginx")
def test_behind_nginx_the_second_process_takes_what_the_first_one_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every request, from the first on: a server that failed is neither asked twice for one request nor left out."""
    away, port = free_port(), free_port()
    two = (tmp_path / "two.conf", "# server 127.0.0.1:8081", f"server 127.0.0.1:{port}")
    two[0].write_text(proxies.NGINX.read_text("utf-8").replace(*two[1:]))
    monkeypatch.setattr(proxies, "NGINX", two[0])
    with listening(port), proxies.nginx(tmp_path, away, tls=False) as client:
        assert {client.post("/alerts/grafana", content=b"{}").status_code for _ in range(40)} == {200}


@pytest.mark.needs("caddy")
def test_caddy_accepts_the_file_as_it_is(tmp_path: Path) -> None:
    """A Caddy that is older than its buffers has them under another name, as the file says."""
    (tmp_path / "Caddyfile").write_text(proxies.caddyfile())
    env = proxies.caddys(tmp_path)
    program("caddy", "validate", "--adapter", "caddyfile", "--config", tmp_path / "Caddyfile", env=env)
    program("caddy", "fmt", "--diff", proxies.CADDY, env=env)


def test_no_proxy_answers_an_alert_with_a_code_that_makes_senders_drop_it() -> None:
    """Alertmanager drops what gets a 4xx: a limit answers 503, never nginx's default of 429 or 503 by chance."""
    text = proxies.NGINX.read_text("utf-8")
    assert {"limit_req_status 503;", "limit_conn_status 503;"} <= set(map(str.strip, text.splitlines()))
    assert re.findall(r"\b429;", text) == []
