"""A stop in the middle of a read of any kind: it ends before the connections close, and nothing is logged of it."""

import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest

from bot.adapters.http.background import collected
from bot.adapters.metrics.several import Several
from bot.adapters.prometheus.together import Rounds
from bot.adapters.slack.history import Past, SharedReads
from bot.adapters.source import Listed, Listing
from bot.context.past import PastReader
from bot.core.pool.pool import Snapshot
from bot.ports import Unreachable
from tests.adapters.back_end import BackEnd
from tests.architecture.tree import ROOT

OTHERS = {
    "bot/adapters/http/background.py": "here they begin",
    "bot/adapters/http/bulkhead.py": "ended by its own aclose",
    "bot/adapters/redis": "ended by the store's aclose",
    "bot/adapters/scalers/command.py": "readers of a program, awaited with it",
}
"""Where else adapters begin tasks, and why that is safe."""


class Source:
    """A source that answers nothing before the stop, and then fails as a closed connection does."""

    def __init__(self) -> None:
        self.begun, self.stopped = asyncio.Event(), asyncio.Event()

    async def _fails(self) -> None:
        self.begun.set()
        try:
            await self.stopped.wait()
        except asyncio.CancelledError:
            raise Unreachable("Prometheus", "the connection was closed") from None

    async def snapshot(self, pool: str) -> Snapshot:
        await self._fails()
        return Snapshot(pool, 0.0)

    async def history(self, *_: object) -> tuple[Snapshot, ...]:
        await self._fails()
        return ()

    async def listed(self, at: float) -> Listed[int]:
        await self._fails()
        return Listed(1, at)

    async def past(self, _: str, since: float) -> Past:
        await self._fails()
        return Past((), since, whole=True)

    async def woken(self) -> None:
        """Nobody waits."""


def rounds(source: Source) -> Awaitable[object]:
    class Waiting(Rounds):
        async def _answered(self, *_: object) -> None:
            await source.snapshot("p")

    return Waiting(BackEnd().wire().http("Prometheus", "http://p.test")).ask({}, {})


READS: dict[str, Callable[[Source], Awaitable[object]]] = {
    "listing": lambda source: Listing(source.listed, lambda: 0.0, patience_seconds=0.0).get(),
    "several": lambda source: Several({"a": source}, 0.0).snapshot("p"),
    "past": lambda source: PastReader().read(source, "p", 0.0, source.woken),
    "shared history": lambda source: SharedReads(source.past).past("C1", 0.0),
    "rounds": rounds,
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
async def test_a_stop_in_the_middle_of_a_read_leaves_nothing_behind(
    read: Callable[[Source], Awaitable[object]],
) -> None:
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    before, source = asyncio.all_tasks(), Source()
    with collected() as background:
        waiting = asyncio.ensure_future(read(source))
        await source.begun.wait()
        waiting.cancel()
        await asyncio.wait({waiting})
        await background.close()
    if not waiting.cancelled():
        waiting.exception()
    ended = asyncio.all_tasks() - before
    for task in ended:  # those of `bot.context`, which its own close ends
        task.cancel()
    await asyncio.gather(*ended, return_exceptions=True)
    del waiting, ended
    gc.collect()
    await asyncio.sleep(0)
    assert complaints == []


def test_adapters_begin_reads_in_one_way() -> None:
    """Else a stop forgets one."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "bot/adapters").rglob("*.py")
        if "ensure_future(" in (text := path.read_text("utf-8")) or "create_task(" in text
    }
    assert {path for path in found if not path.startswith(tuple(OTHERS))} == set()
