"""What some work costs: CPU, Redis, calls, and the longest time in which nothing else of the process could run."""

import asyncio
import asyncio.events
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

import redis


@dataclass
class Cost:
    """The sums of a measurement; each is zero where nothing of the kind was counted."""

    cpu: float = 0.0
    """Seconds of CPU of this process, without the stand-ins."""
    kb: float = 0.0
    """What Redis sent, in thousands of bytes."""
    commands: float = 0.0
    """Commands that Redis ran, those of its scripts too."""
    calls: float = 0.0
    """Calls of a metrics source."""
    stop: float = 0.0
    """Milliseconds of CPU of the longest callback: nothing else of the loop runs meanwhile."""
    more: dict[str, float] = field(default_factory=dict)
    """Further figures by name."""

    def figures(self) -> Mapping[str, float]:
        """All of them by name."""
        own = {one.name: float(getattr(self, one.name)) for one in fields(self) if one.name != "more"}
        return {**own, **self.more}


class Callbacks:
    """Times each callback of the loops of this thread, by its CPU; installed once and for good."""

    longest = 0.0
    installed = False

    @classmethod
    def watch(cls) -> None:
        """Begin, unless that was done."""
        if cls.installed:
            return
        cls.installed, plain = True, asyncio.events.Handle._run

        def timed(handle: asyncio.events.Handle) -> None:
            begun = time.thread_time()
            plain(handle)
            cls.longest = max(cls.longest, time.thread_time() - begun)

        asyncio.events.Handle._run = timed  # type: ignore[method-assign]  # the loop has no hook for it


@contextmanager
def counted(
    url: str, calls: Callable[[], float] = lambda: 0.0, elsewhere: Callable[[], float] = lambda: 0.0
) -> Iterator[Cost]:
    """The cost of the block; `elsewhere` gives the CPU of the stand-ins in this process."""
    client = redis.Redis.from_url(url)
    Callbacks.watch()
    found = Cost()
    before, sent, ran = calls(), *_redis(client)
    Callbacks.longest, begun, others = 0.0, time.process_time(), elsewhere()
    try:
        yield found
    finally:
        found.cpu = time.process_time() - begun - (elsewhere() - others)
        found.stop = Callbacks.longest * 1000
        sent_now, ran_now = _redis(client)
        found.kb, found.commands, found.calls = (sent_now - sent) / 1000, ran_now - ran, calls() - before
        client.close()


def _redis(client: redis.Redis) -> tuple[float, float]:
    """(bytes sent, commands run) so far."""
    told = client.info("everything")
    ran = sum(one["calls"] for name, one in told.items() if name.startswith("cmdstat_") and name != "cmdstat_info")
    return float(told["total_net_output_bytes"]), float(ran)


def exponent(small: float, large: float, times: float) -> float | None:
    """By which power a figure grows, when its cause grows so many times; None where it was next to nothing."""
    return math.log(large / small) / math.log(times) if small > 0 and large > 0 and times > 1 else None
