"""From a signal as its source gives it to the sentence in the thread."""

from dataclasses import replace
from typing import Any

from bot.adapters.signals.ask import Number
from bot.core.pool.pool import Snapshot
from bot.core.signals.signal import Signal
from tests.builders import POOL
from tests.reports.fleet import Fleet


async def thread_words(made: Signal, number: Number, name: str) -> str:
    """The machines were well for an hour; then they are as the source shows them, and jobs take twice as long.

    The answer of Diagnose; `name` is that of the source.
    """
    few = max(1, round(number.value))  # so few of them work that these are a clear part
    fleet = Fleet()
    now, bad = fleet.clock.now(), replace(made, source=name, value=number.value, of=number.of, at=0.0)
    usual: dict[str, Any] = {
        "queued": 0,
        "oldest_wait_seconds": 0.0,
        "busy": few,
        "idle": 0,
        "limit": few,
        "arrivals_per_minute": 2.0,
    }
    fine = {**usual, "completions_per_minute": 2.0, "signals": (replace(bad, value=0.0),)}
    worse = {**usual, "queued": 40, "completions_per_minute": 0.8, "signals": (bad,)}
    source = fleet.knows(name, **{**worse, "oldest_wait_seconds": 2400.0})
    quiet = (Snapshot(POOL, now - ago, **fine) for ago in range(9600, 2400, -60))
    since = (Snapshot(POOL, now - ago, **{**worse, "oldest_wait_seconds": 2400.0 - ago}) for ago in range(2400, 0, -60))
    source.past[POOL] = (*quiet, *since)
    await fleet.fires()
    await fleet.passes(3)
    return await fleet.diagnosis()
