"""Real servers of others, each in a folder of its own and on a free port of this machine: Prometheus, Alertmanager."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from bot.adapters.redis.engine import die_with_parent
from handlers.tools.demo_workspace import free_port

NOBODY = "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n"
"""An Alertmanager that tells nobody."""
READY_SECONDS = 60.0


@contextmanager
def prometheus(folder: Path, configuration: str) -> Iterator[str]:
    """A Prometheus with its database in `folder`/data; gives its address once it is ready, in 20 s at most."""
    with _running(["prometheus", "--storage.tsdb.path", str(folder / "data")], folder, configuration) as url:
        yield url


@contextmanager
def alertmanager(folder: Path, configuration: str = NOBODY) -> Iterator[str]:
    """An Alertmanager; gives its address once it is ready, in 20 s at most. `folder`/config.yml may be changed."""
    command = ["prometheus-alertmanager", "--storage.path", str(folder / "data"), "--cluster.listen-address="]
    with _running(command, folder, configuration) as url:
        yield url


@contextmanager
def _running(command: list[str], folder: Path, configuration: str) -> Iterator[str]:
    folder.mkdir(exist_ok=True)
    (folder / "config.yml").write_text(configuration, "utf-8")
    address = f"127.0.0.1:{free_port()}"
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [*command, f"--config.file={folder}/config.yml", f"--web.listen-address={address}"],
            stdout=log,
            stderr=log,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 - two system calls; nothing outlives the tests
        )
    try:
        _ready(server, f"http://{address}", folder / "log")
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait(10)


def _ready(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + READY_SECONDS
    with httpx.Client(trust_env=False) as http:
        while server.poll() is None and time.monotonic() < end:
            try:
                if http.get(f"{url}/-/ready").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
    raise AssertionError(f"{server.args!r} is not ready: {log.read_text('utf-8')[-1000:]}")
