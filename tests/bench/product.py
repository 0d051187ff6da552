"""Starts the real product as a process of its own, for benchmarks: embedded durable Redis, one address, one token."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.architecture.tree import ROOT
from tests.ports import free_port

TOKEN = "bench-token"


@dataclass(frozen=True, slots=True)
class Running:
    """A process that is ready."""

    address: str
    pid: int
    ready_seconds: float
    """From its start to the first good answer of `/readyz`."""


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """The resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


@asynccontextmanager
async def product(
    folder: Path, slack: str, toml: str, command: str = "run", **variables: str
) -> AsyncIterator[Running]:
    """Run `tailback run` or another process with `toml` against the Slack at `slack`; ends it with SIGTERM.

    `variables` are set beside the usual ones.
    """
    _furnish(folder, toml)
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "SLACK_BOT_TOKEN": "xoxb-demo",
        "SLACK_SIGNING_SECRET": "demo-signing-secret",
        "SLACK_API_URL": f"{slack}/api/",
        "TAILBACK_DATA": str(folder / "data"),
        "TAILBACK_CONFIG": str(folder / "tailback.toml"),
        "TAILBACK_WEBHOOK_TOKEN": TOKEN,
        "PORT": str(port),
        "TAILBACK_WORKER_PORT": str(port),
        "LOG_LEVEL": "WARNING",
        **variables,
    }
    begun = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "handlers", command, env=environment, cwd=ROOT, stdout=sys.stderr
    )
    address = f"http://127.0.0.1:{port}"
    try:
        await _ready(address, process)
        yield Running(address, process.pid, time.monotonic() - begun)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        await process.wait()


def _furnish(folder: Path, toml: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tailback.toml").write_text(toml, "utf-8")


async def _ready(address: str, process: asyncio.subprocess.Process) -> None:
    async with httpx.AsyncClient() as client:
        for _ in range(500):
            if process.returncode is not None:
                raise RuntimeError(f"the product ended with {process.returncode}")
            with contextlib.suppress(httpx.TransportError):
                if (await client.get(f"{address}/readyz")).status_code == 200:
                    return
            await asyncio.sleep(0.02)
    raise RuntimeError("the product was not ready within 10 s")
