"""Starts the real product as a process of its own, for benchmarks: embedded durable Redis, one address, one token."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from handlers.tools.demo import free_port

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "bench-token"


@asynccontextmanager
async def product(folder: Path, slack: str, toml: str, **variables: str) -> AsyncIterator[str]:
    """Run `tailback run` with `toml` against the Slack at `slack`; gives its address, ends it with SIGTERM.

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
        "LOG_LEVEL": "WARNING",
        **variables,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "handlers", "run", env=environment, cwd=ROOT, stdout=sys.stderr
    )
    address = f"http://127.0.0.1:{port}"
    try:
        await _ready(address, process)
        yield address
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        await process.wait()


def _furnish(folder: Path, toml: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tailback.toml").write_text(toml, "utf-8")


async def _ready(address: str, process: asyncio.subprocess.Process) -> None:
    async with httpx.AsyncClient() as client:
        for _ in range(200):
            if process.returncode is not None:
                raise RuntimeError(f"the product ended with {process.returncode}")
            with contextlib.suppress(httpx.TransportError):
                if (await client.get(f"{address}/readyz")).status_code == 200:
                    return
            await asyncio.sleep(0.05)
    raise RuntimeError("the product was not ready within 10 s")
