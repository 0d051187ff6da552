"""The shipped proxy configurations, run for real in front of a port of this machine."""

import contextlib
import os
import re
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.architecture.tree import ROOT
from tests.patience import PATIENCE_SECONDS, until
from tests.ports import free_port
from tests.processes import program

NGINX = ROOT / "deploy/proxy/nginx.conf"
CADDY = ROOT / "deploy/proxy/Caddyfile"
HOW_TO = ROOT / "docs/how-to/systemd.md"
OWN_BUFFERS = (2, 6, 4)
"""The first Caddy that knows `request_buffers`."""


def main_settings() -> dict[str, str]:
    """What the how-to sets in nginx's main file, because a file in conf.d cannot."""
    found = dict(re.findall(r"(worker_\w+) (\d+);", HOW_TO.read_text("utf-8")))
    assert set(found) == {"worker_connections", "worker_rlimit_nofile"}
    return found


def with_api(text: str) -> str:
    """A proxy's file with the block for the API open, as its comment says."""
    lines, opening = list[str](), False
    for line in text.splitlines(keepends=True):
        if opening and line.strip().startswith("# "):
            lines.append(line.replace("# ", "", 1))
            continue
        opening = "take the first # of each line away" in line
        lines.append(line)
    assert "".join(lines) != text
    return "".join(lines)


@contextmanager
def nginx(
    folder: Path, upstream: int, *, tls: bool = True, edited: Callable[[str], str] = str
) -> Iterator[httpx.Client]:
    """nginx with the snippet as it is, but for ports and the certificate; checked by `nginx -t`, then started.

    `edited`: what an operator changes in the snippet.
    """
    port, key, certificate = free_port(), folder / "key.pem", folder / "certificate.pem"
    snippet = edited(NGINX.read_text("utf-8")).replace(":8080", f":{upstream}")
    if tls:
        self_signed = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        program(*self_signed, "-subj", "/CN=tailback.example.com", "-keyout", key, "-out", certificate)
        snippet = snippet.replace("/etc/ssl/tailback/fullchain.pem", str(certificate))
        snippet = snippet.replace("/etc/ssl/tailback/privkey.pem", str(key))
        snippet = snippet.replace("listen 443", f"listen 127.0.0.1:{port}")
        verify: ssl.SSLContext | bool = ssl.create_default_context(cafile=str(certificate))
        assert isinstance(verify, ssl.SSLContext)
        verify.check_hostname = False
    else:
        verify = False
        snippet = re.sub(r"\n    ssl_.*", "", snippet).replace("443 ssl", f"127.0.0.1:{port}")
    (folder / "tailback.conf").write_text(snippet)
    paths = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    given = main_settings()
    head = "user root; " if os.geteuid() == 0 else ""
    head += f"daemon off; pid {folder}/pid; error_log {folder}/error.log; "
    head += f"worker_rlimit_nofile {given['worker_rlimit_nofile']}; "
    head += f"events {{ worker_connections {given['worker_connections']}; }} "
    (folder / "nginx.conf").write_text(f"{head} http {{ access_log off; {paths} include {folder}/tailback.conf; }}")
    command: list[str | Path] = ["nginx", "-c", folder / "nginx.conf", "-e", folder / "error.log"]
    program(*command, "-t")
    with _proxied(f"http{'s' if tls else ''}://127.0.0.1:{port}", verify, command) as client:
        yield client


def caddys(home: Path) -> dict[str, str]:
    """The environment of Caddy, which writes below its home."""
    return {"PATH": "/usr/bin:/bin", **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(home))}


def caddyfile() -> str:
    """The file as this machine's Caddy understands it: an older one has another word for buffers, as the file says."""
    version = re.findall(r"\d+", program("caddy", "version").out)[:3]
    text = CADDY.read_text("utf-8")
    old = tuple(map(int, version)) < OWN_BUFFERS
    return re.sub(r"request_buffers \S+", "buffer_requests", text) if old else text


@contextmanager
def caddy(folder: Path, upstream: int, *, edited: Callable[[str], str] = str) -> Iterator[httpx.Client]:
    """Caddy with the snippet as it is, but for ports, and without TLS, which would ask a public authority.

    `edited`: what an operator changes in the snippet.
    """
    port = free_port()
    text = edited(caddyfile()).replace("tailback.example.com {", f"http://127.0.0.1:{port} {{")
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{upstream}")
    text = text.replace("{\n\tservers", "{\n\tadmin off\n\tservers", 1)
    (folder / "Caddyfile").write_text(text)
    command: list[str | Path] = ["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"]
    with _proxied(f"http://127.0.0.1:{port}", False, command, caddys(folder)) as client:
        yield client


@contextmanager
def _proxied(
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
