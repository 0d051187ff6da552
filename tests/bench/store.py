"""Measures the store: `python -m tests.bench.store` prints rates and CPU per call next to bare SETs in the same run."""

import asyncio
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog

from bot.adapters.records import Codecs
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.engine import find_engine
from bot.adapters.redis.store import RedisStore
from bot.core.alert import Alert, Delivery, Links, Status
from bot.core.incident.incident import Incident, Thread, opened
from bot.core.incident.pools import Named
from bot.core.record import Change, Claim, Put, Stored
from tests.redis_servers import running

CALLS = 2_000
AT_ONCE = 16
CLOCKS = Clocks(time.time, time.monotonic)


def incident(number: int) -> Incident:
    """A fresh incident of three alerts with eight labels each, as Grafana sends them: about 5 kB as JSON."""
    labels = {f"label_{n}": "a value of usual length" for n in range(8)}
    alerts = tuple(
        Alert(
            f"{n:016x}", Status.FIRING, "Queue is long", labels, {"summary": "x" * 120}, 1.7e9, links=Links("https://r")
        )
        for n in range(3)
    )
    delivery = Delivery("grafana", "ci", f"{{}}:{number}", "Queue is long", alerts)
    return opened(f"inc{number}", delivery, time.time(), Thread("C1"), Named(("p",), ("p",)))


async def measured(name: str, work: Callable[[int], Awaitable[object]], calls: int = CALLS) -> float:
    """Run `work` `calls` times, AT_ONCE at a time; prints and returns calls per second."""

    async def share(first: int) -> None:
        for number in range(first, calls, AT_ONCE):
            await work(number)

    cpu, began = time.process_time(), time.perf_counter()
    await asyncio.gather(*(share(first) for first in range(AT_ONCE)))
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"{name:<34}{calls / wall:>9,.0f}/s{cpu / calls * 1e6:>9.0f} us CPU", end="")
    return calls / wall


async def main(url: str) -> None:
    store = RedisStore(connect(url), CLOCKS, lease_seconds=60)
    client = connect(url).requests
    incidents = [incident(number) for number in range(CALLS)]
    document = Codecs.build().encode(incidents[0])
    bare = await measured(f"bare SET of {len(document):,} bytes", lambda n: client.execute_command("SET", n, document))
    print("   1.00")

    async def row(name: str, work: Callable[[int], Awaitable[object]], calls: int = CALLS, each: int = 1) -> None:
        rate = await measured(name, work, calls)
        print(f"{rate * each / bare:>7.2f} per {'call' if each == 1 else 'record'}")

    async def open_one(number: int) -> None:
        made = incidents[number]
        await store.commit(
            Change(
                puts=(Put(Stored(made, 0), made, time.time()),),
                point={f"open:{made.group.key}": (made.id, None)},
                join=(("open", made.id),),
                once=(f"delivery:{number}",),
                once_value=made.id,
            )
        )

    claims: list[Claim] = []

    async def claim(_: int) -> None:
        claims.extend((await store.claim(20)).claims)

    async def settle(number: int) -> None:
        held = claims[number].held
        assert held is not None
        await store.commit(Change(puts=(Put(held, held.value, time.time() + 30),)))

    await row("open_under (nothing there)", lambda n: store.open_under(f"open:{n}", f"delivery:{n}", f"like:{n}"))
    await row("commit that opens an incident", open_one)
    await row(
        "open_under (incident there)",
        lambda n: store.open_under(f"open:{incidents[n].group.key}", f"d:{n}", f"like:{n}"),
    )
    await row("claim of 20 incidents", claim, CALLS // 20, 20)
    await row("commit that releases a claim", settle)
    await row("acquire_slot", lambda n: store.acquire_slot(f"C{n}", "i", 1.0, 1, urgent=False))
    await store.aclose()
    await client.aclose()


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory(prefix="tb-bench-") as place:
        socket = Path(place, "s")
        engine = find_engine()
        print(f"{engine.name}, append-only file on, {AT_ONCE} at once")
        with running(*engine.flags(Path(place), socket, durable=True), url=f"unix://{socket}"):
            asyncio.run(main(f"unix://{socket}"))
