"""Start-up time and memory of each process: `python -m tests.bench 1 processes`.

The baseline of all is a small bot (`tests.bench.small_bot`).
"""

import asyncio
import resource
import sys
from pathlib import Path

from bot.adapters.redis.server.embedded import EmbeddedRedis
from bot.playground.serving import serving
from tests.bench.intake import TOML, small_bot
from tests.bench.product import product, resident_mb
from tests.bench.stub import SlackStub
from tests.bench.table import Row
from tests.processes import program

MOST_MB = {"run": 120, "web": 90, "worker": 90}


async def measured(folder: Path) -> list[Row]:
    """One run."""
    redis = EmbeddedRedis(folder / "redis")
    async with serving(SlackStub().app) as slack:
        url = await redis.start()
        async with small_bot(slack, url) as (_, pid):
            base = resident_mb(pid)
        rows = []
        for command, most in MOST_MB.items():
            variables = {} if command == "run" else {"REDIS_URL": url}
            async with product(folder / command, slack, TOML, command, **variables) as running:
                await asyncio.sleep(1)
                ready, memory = running.ready_seconds, resident_mb(running.pid)
            rows += [
                Row(f"{command}: ready after, s", (ready,), (), "1.5 s"),
                Row(f"{command}: memory, MB", (memory,), (base,), f"at most {most} MB"),
            ]
        await redis.stop()
    return [*rows, Row("--help: CPU time, s", (help_seconds(),), (), "0.3 s")]


def help_seconds() -> float:
    """The CPU time of `tailback --help`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program(sys.executable, "-m", "handlers", "--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
