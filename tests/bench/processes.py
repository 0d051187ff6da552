"""Start-up time and memory of each process: `python -m tests.bench 1 processes`.

The baseline of all is a small bot (`tests.bench.small_bot`).
"""

import asyncio
import os
import resource
import subprocess
import sys
from pathlib import Path

from bot.adapters.redis.server.embedded import EmbeddedRedis
from bot.playground.serving import serving
from handlers.tools.demo_workspace import free_port
from tests.bench.intake import TOML, small_bot
from tests.bench.product import ROOT, product, resident_mb
from tests.bench.stub import SlackStub
from tests.bench.table import Row

MOST_MB = {"run": 80, "web": 70, "worker": 70}


async def measured(folder: Path) -> list[Row]:
    """One run."""
    stub = SlackStub()
    redis = EmbeddedRedis(folder / "redis")
    async with serving(stub.app) as slack:
        url = await redis.start()
        process = await small_bot(free_port(), slack, url)
        base = resident_mb(process.pid)
        process.terminate()
        await process.wait()
        rows = []
        for command, most in MOST_MB.items():
            variables = {} if command == "run" else {"REDIS_URL": url}
            async with product(folder / command, slack, TOML, command, **variables) as running:
                await asyncio.sleep(1)
                ready, memory = running.ready_seconds, resident_mb(running.pid)
            rows += [
                Row(f"{command}: ready after, s", (ready,), (), "1 s"),
                Row(f"{command}: memory, MB", (memory,), (base,), f"at most {most} MB"),
            ]
        await redis.stop()
    return [*rows, Row("--help: CPU time, s", (help_seconds(),), (), "0.3 s")]


def help_seconds() -> float:
    """The CPU time of `tailback --help`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "handlers", "--help"],
        cwd=ROOT,
        env=dict(os.environ),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
