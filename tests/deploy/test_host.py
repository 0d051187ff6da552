"""A Linux host: the systemd unit, and nginx or Caddy in front of Tailback."""

import contextlib
import os
import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.responses import Response

from bot.config import Environment
from bot.settings import HttpTable
from handlers.cli import WRONG_SETTINGS
from handlers.tools.demo_workspace import free_port
from handlers.worker import QUIET_SECONDS
from tests.answering import answering_aside
from tests.architecture.tree import ROOT
from tests.deploy.dockerfile import UNIT, unit_settings
from tests.patience import PATIENCE_SECONDS, until
from tests.processes import program

NGINX = ROOT / "deploy/proxy/nginx.conf"
CADDY = ROOT / "deploy/proxy/Caddyfile"
MOST_EXPOSED = 1.5
"""Of 10, by `systemd-analyze security`; 1.2 when this was written. The network and other services' sockets remain."""
LARGEST = 2 * HttpTable().max_body_bytes
PUBLIC = (
    "/alerts/grafana",
    "/alerts/grafana/",
    "/alerts/alertmanager",
    "/alerts/sns",
    "/alerts/event",
    "/github",
    "/slack/events",
)
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
def upstream() -> Iterator[int]:
    """The port of what stands for Tailback: 200 for whatever reaches it, with the size of the body."""
    with answering_aside(lambda asked: Response(str(len(asked.body)))) as port:
        yield port


@pytest.fixture
def nginx(tmp_path: Path, upstream: int) -> Iterator[httpx.Client]:
    """nginx with the snippet as it is, but for ports and the certificate; checked by `nginx -t`, then started."""
    port, key, certificate = free_port(), tmp_path / "key.pem", tmp_path / "certificate.pem"
    self_signed = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    program(*self_signed, "-subj", "/CN=tailback.example.com", "-keyout", key, "-out", certificate)
    snippet = (
        NGINX.read_text("utf-8").replace("listen 443", f"listen 127.0.0.1:{port}").replace(":8080", f":{upstream}")
    )
    snippet = snippet.replace("/etc/ssl/tailback/fullchain.pem", str(certificate))
    snippet = snippet.replace("/etc/ssl/tailback/privkey.pem", str(key))
    (tmp_path / "tailback.conf").write_text(snippet)
    paths = "".join(f"{name}_temp_path {tmp_path};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    head = (
        "user root; " if os.geteuid() == 0 else ""
    ) + f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; events {{}}"
    (tmp_path / "nginx.conf").write_text(f"{head} http {{ access_log off; {paths} include {tmp_path}/tailback.conf; }}")
    command: list[str | Path] = ["nginx", "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log"]
    program(*command, "-t")
    verify = ssl.create_default_context(cafile=str(certificate))
    verify.check_hostname = False
    yield from proxied(f"https://127.0.0.1:{port}", verify, command)


def caddys(home: Path) -> dict[str, str]:
    """The environment of Caddy, which writes below its home."""
    return {"PATH": "/usr/bin:/bin", **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(home))}


@pytest.fixture
def caddy(tmp_path: Path, upstream: int) -> Iterator[httpx.Client]:
    """Caddy with the snippet as it is, but for ports, and without TLS, which would ask a public authority."""
    port = free_port()
    text = CADDY.read_text("utf-8").replace("tailback.example.com {", f"http://127.0.0.1:{port} {{")
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{upstream}").replace(
        "{\n\tservers", "{\n\tadmin off\n\tservers", 1
    )
    (tmp_path / "Caddyfile").write_text(text)
    command: list[str | Path] = ["caddy", "run", "--adapter", "caddyfile", "--config", tmp_path / "Caddyfile"]
    yield from proxied(f"http://127.0.0.1:{port}", False, command, caddys(tmp_path))


def proxied(
    url: str, verify: ssl.SSLContext | bool, command: list[str | Path], env: dict[str, str] | None = None
) -> Iterator[httpx.Client]:
    """A client of a proxy that runs until the end."""
    server = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=url, verify=verify, trust_env=False) as client:

            def answers() -> bool:
                with contextlib.suppress(httpx.ConnectError):
                    client.get("/")
                    return True
                return False

            until(answers, f"somebody listens at {url}")
            yield client
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        pytest.param("nginx", 413, marks=pytest.mark.needs("nginx")),
        pytest.param("caddy", 502, marks=pytest.mark.needs("caddy")),
    ],
)
def test_a_proxy_lets_through_what_is_meant_for_the_world(
    name: str, answer: int, request: pytest.FixtureRequest
) -> None:
    """Bodies above Tailback's own limit, which it answers itself, on its public paths; nothing huge or internal."""
    client: httpx.Client = request.getfixturevalue(name)
    small = {path: client.post(path, content=b"{}").status_code for path in PUBLIC}
    assert small == dict.fromkeys(PUBLIC, 200)
    assert {path: client.get(path).status_code for path in PRIVATE} == dict.fromkeys(PRIVATE, 404)
    passed = client.post("/alerts/grafana", content=bytes(LARGEST))
    assert (passed.status_code, passed.text) == (200, str(LARGEST))
    assert client.post("/alerts/grafana", content=bytes(LARGEST + 1)).status_code == answer


@pytest.mark.needs("caddy")
def test_caddy_accepts_the_file_as_it_is(tmp_path: Path) -> None:
    program("caddy", "validate", "--adapter", "caddyfile", "--config", CADDY, env=caddys(tmp_path))
    program("caddy", "fmt", "--diff", CADDY, env=caddys(tmp_path))


def test_no_proxy_answers_an_alert_with_a_code_that_makes_senders_drop_it() -> None:
    """Alertmanager drops what gets a 4xx: a limit answers 503, never nginx's default of 429 or 503 by chance."""
    text = NGINX.read_text("utf-8")
    assert {"limit_req_status 503;", "limit_conn_status 503;"} <= set(map(str.strip, text.splitlines()))
    assert re.findall(r"\b429;", text) == []
