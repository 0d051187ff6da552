"""A redis-server of its own that a journey can stop and start again; it keeps its data on disk, as it should."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE_SECONDS, until
from tests.redis_servers import answers, started


@dataclass(slots=True)
class RedisSwitch:
    """Off until `on`."""

    folder: Path
    child: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For REDIS_URL."""
        return f"unix://{self.folder}/s"

    def on(self) -> None:
        """Start it and wait until it has read its data."""
        durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        self.child = started(
            ["redis-server", "--port", "0", "--unixsocket", f"{self.folder}/s", "--dir", str(self.folder), *durable]
        )
        until(lambda: answers(self.url), "redis-server answers")

    def off(self) -> None:
        """Stop it the ordinary way."""
        if self.child is not None:
            self.child.send_signal(signal.SIGTERM)
            self.child.wait(timeout=PATIENCE_SECONDS)
            self.child = None


@contextmanager
def redis_switch() -> Iterator[RedisSwitch]:
    """On when the block begins; gone with its data when it ends."""
    made = RedisSwitch(Path(tempfile.mkdtemp(prefix="tb-redis-")))
    try:
        made.on()
        yield made
    finally:
        made.off()
        shutil.rmtree(made.folder, ignore_errors=True)
