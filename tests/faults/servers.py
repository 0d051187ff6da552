"""What an installation under fault stands on: a real redis-server that can be killed, and processes of the product."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import redis

from tests.patience import PATIENCE_SECONDS, eventually
from tests.ports import free_port
from tests.processes import Zygote
from tests.redis_servers import answers, started

ROOT = Path(__file__).parents[2]


class Killed:
    _child: subprocess.Popen[bytes] | None = None

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """`kill -9`, or the ordinary way with SIGTERM."""
        if self._child is not None:
            self._child.send_signal(number)
            self._child.wait(timeout=PATIENCE_SECONDS)
            self._child = None


class RedisServer(Killed):
    """redis-server on one port and one folder, by default with the append-only file synced each second."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder, self.port, self.more = folder, free_port(), more
        folder.mkdir(exist_ok=True)

    @property
    def running(self) -> bool:
        return self._child is not None

    @property
    def client(self) -> redis.Redis:
        """A client that goes round the wires, for the driver alone."""
        return redis.Redis(port=self.port, socket_timeout=PATIENCE_SECONDS)

    async def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        defaults = ["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]

        def ready() -> bool:
            if self._child is None or self._child.poll() is not None:  # a port may be taken for a moment
                self._child = started([*command, *defaults, *self.more])
            return answers(f"redis://127.0.0.1:{self.port}")

        await eventually(ready, "redis-server answers")


class Process:
    """One `tailback web` or `tailback worker`."""

    def __init__(self, name: str, zygote: Zygote, argv: list[str], env: Mapping[str, str], log: Path) -> None:
        self.name, self.log, self.env = name, log, dict(env)
        self.port: int = int(env.get("PORT", "0"))
        self.pid = 0
        self._zygote, self._argv, self._said_before = zygote, argv, 0

    def start(self) -> None:
        self._said_before = self.log.stat().st_size if self.log.exists() else 0
        self.pid = self._zygote.start(self._argv, self.env, self.log)

    def signal(self, number: signal.Signals) -> None:
        if self.pid and self._zygote.code(self.pid) is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """`kill -9`."""
        self.signal(signal.SIGKILL)
        self.pid = 0

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._zygote.code(self.pid)

    async def ended(self, within: float = PATIENCE_SECONDS) -> int:
        """Wait for its end; gives the exit code."""
        await eventually(lambda: self.code is not None, f"{self.name} has ended", within)
        code = self.code
        assert code is not None
        return code

    def output(self) -> str:
        """Its log, of all the times that it ran."""
        return self.log.read_text("utf-8") if self.log.exists() else ""

    def new_output(self) -> str:
        """Its log since it was started last."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(self._said_before)
            return log.read().decode("utf-8", "replace")
