"""Real servers of others, each in a folder of its own and on a free port of this machine."""

import contextlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from bot.adapters.redis.server.engine import die_with_parent
from tests.patience import PATIENCE_SECONDS, until
from tests.ports import free_port

NOBODY = "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n"
"""An Alertmanager that tells nobody."""


@contextmanager
def prometheus(folder: Path, configuration: str) -> Iterator[str]:
    """A Prometheus with its database in `folder`/data; gives its address once it is ready."""
    with _running(["prometheus", "--storage.tsdb.path", str(folder / "data")], folder, configuration) as url:
        yield url


@contextmanager
def victoria_metrics(folder: Path, configuration: str) -> Iterator[str]:
    """A VictoriaMetrics of one process, with its database in `folder`/data; gives its address once it is ready."""
    folder.mkdir(exist_ok=True)
    (folder / "config.yml").write_text(configuration, "utf-8")
    address = f"127.0.0.1:{free_port()}"
    given = [f"-storageDataPath={folder}/data", f"-promscrape.config={folder}/config.yml", "-search.latencyOffset=1s"]
    with _started(["victoria-metrics", *given, f"-httpListenAddr={address}"], folder, f"http://{address}/health"):
        yield f"http://{address}"


@contextmanager
def alertmanager(folder: Path, configuration: str = NOBODY, *more: str) -> Iterator[str]:
    """An Alertmanager; gives its address once it is ready. `folder`/config.yml may be changed."""
    command = ["prometheus-alertmanager", "--storage.path", str(folder / "data"), "--cluster.listen-address=", *more]
    with _running(command, folder, configuration) as url:
        yield url


@contextmanager
def _running(command: list[str], folder: Path, configuration: str) -> Iterator[str]:
    folder.mkdir(exist_ok=True)
    (folder / "config.yml").write_text(configuration, "utf-8")
    address = f"127.0.0.1:{free_port()}"
    with _started(
        [*command, f"--config.file={folder}/config.yml", f"--web.listen-address={address}"],
        folder,
        f"http://{address}/-/ready",
    ):
        yield f"http://{address}"


@contextmanager
def _started(command: list[str], folder: Path, ready: str) -> Iterator[None]:
    """A process that logs into `folder`; `ready` is the address that answers once it is."""
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 - two system calls; nothing outlives the tests
        )
    try:
        _ready(server, ready, folder / "log")
        yield
    finally:
        server.terminate()
        server.wait(PATIENCE_SECONDS)


def _ready(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    with httpx.Client(trust_env=False) as http:

        def ready() -> bool:
            assert server.poll() is None, log.read_text("utf-8")[-1000:]
            with contextlib.suppress(httpx.TransportError):
                return http.get(url).status_code == 200
            return False

        until(ready, lambda: f"{server.args!r} is ready: {log.read_text('utf-8')[-1000:]}")
