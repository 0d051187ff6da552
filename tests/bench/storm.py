"""A storm of alert groups: `python -m tests.bench.storm`. Prints how long a group waits to be named in the channel.

Several real workers share a store and a Slack that enforces its limits, while the parents of older incidents want edits
all the time. Time is simulated, with a cost for every call, so that the figures are the same on every machine.
"""

import asyncio
import logging
import re
import statistics
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

from structlog.testing import capture_logs

from bot.core.record import Change, Claims
from bot.ports import Failure, Message, Posted, Unreachable
from handlers.worker import Worker
from tests.builders import POOL
from tests.fakes import FakeChat, FakeClock
from tests.fakes_store import FakeStore
from tests.virtual_time import LoopClock, run
from tests.world import World, spoken

OLD = 40
"""Older incidents, whose parents want an edit with every measurement."""
POST_SECONDS, POST_BURST = 1.0, 4
EDIT_SECONDS, EDIT_BURST = 1.2, 6
"""What this Slack accepts: a little more than Tailback's own pace."""
ANSWER_SECONDS = 0.15
COMMIT_SECONDS = 0.004
"""Of a processor, for each commit and what was drawn before it."""
ARRIVE_SECONDS = (2.0, 15.0)
"""All groups of a storm arrive within that time: while the digest is posted, and while it is edited."""
PATIENCE_SECONDS = 6.0
"""How long the channel is read after the last group."""
NAME = re.compile(r"storm-\d{3}")


@dataclass
class Limit:
    """One of Slack's limits."""

    seconds: float
    burst: int
    tat: float = 0.0

    def check(self, now: float) -> None:
        """Raise LATER when it is exceeded."""
        if self.tat - (self.burst - 1) * self.seconds > now:
            raise Unreachable("Slack", "ratelimited", failure=Failure.LATER, retry_after_seconds=1.0)
        self.tat = max(self.tat, now) + self.seconds


class LimitedChat(FakeChat):
    """Slack with its limits and its round trips; notes when each name was first to be read in the channel."""

    def __init__(self, clock: FakeClock) -> None:
        """Nothing named yet."""
        super().__init__(clock)
        self.posts, self.edits = Limit(POST_SECONDS, POST_BURST), Limit(EDIT_SECONDS, EDIT_BURST)
        self.named: dict[str, float] = {}
        self.refused = 0

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Posts, unless it is too much."""
        await self._asked(self.posts)
        posted = await super().post(channel, message, key=key, thread=thread, broadcast=broadcast)
        self._read(message)
        return posted

    async def update(self, channel: str, ts: str, message: Message, *, key: str = "") -> None:
        """Edits, unless it is too much."""
        await self._asked(self.edits)
        await super().update(channel, ts, message, key=key)
        self._read(message)

    async def _asked(self, limit: Limit) -> None:
        await asyncio.sleep(ANSWER_SECONDS)
        try:
            limit.check(self.clock.now())
        except Unreachable:
            self.refused += 1
            raise

    def _read(self, message: Message) -> None:
        for name in NAME.findall(str(message)):
            self.named.setdefault(name, self.clock.now())


class ProcessStore(FakeStore):
    """The store as one process uses it: its processor does one thing at a time."""

    def __init__(self, clock: FakeClock, world: World) -> None:
        """Shares the data of the world."""
        super().__init__(clock.now, clock.monotonic, data=world.data)
        self._processor = asyncio.Lock()

    async def commit(self, change: Change) -> None:
        """After the work that led to it."""
        async with self._processor:
            await asyncio.sleep(COMMIT_SECONDS)
        await super().commit(change)

    async def claim(self, most: int) -> Claims:
        """One round trip."""
        await asyncio.sleep(0.001)
        return await super().claim(most)


class StormWorld(World):
    """A world in the time of its loop."""

    clocks = LoopClock


@dataclass(frozen=True, slots=True)
class Storm:
    """What came of one storm; seconds from the accepted delivery to the name in the channel."""

    waits: Sequence[float]
    unnamed: int
    refused: int
    """How often Slack answered 429."""
    threads: int

    @property
    def worst(self) -> float:
        """Of all groups; infinity when one was never named."""
        return max(self.waits) if not self.unnamed else float("inf")


async def storm(groups: int, workers: int, arrive: float) -> Storm:
    """So many groups within `arrive` seconds, in a channel that is read all the time."""
    world = StormWorld(slack={"pace": "1s", "edit_pace": "1400ms"}, timing={"poll": "10s"})
    clock = world.clock
    chat = LimitedChat(clock)
    world.chat = world.context.chat = chat
    started = []
    for _ in range(workers):
        context = world.process(world.context.settings)
        context.store, context.chat = ProcessStore(clock, world), chat
        started.append(Worker(context))
    tasks = [asyncio.create_task(worker.run()) for worker in started]
    figures = asyncio.create_task(_changing(world))
    for number in range(OLD):
        await world.fires(spoken(fingerprint=f"o{number}"), group_key=f"old{number}")
    await asyncio.sleep(2 * OLD)
    accepted: dict[str, float] = {}
    for number in range(groups):
        name = f"storm-{number:03}"
        alert = replace(spoken(fingerprint=name), labels={"alertname": "Queue is long", "runner_label": name})
        await world.fires(alert, group_key=name, title=f"Queue of {name} is long")
        accepted[name] = clock.now()
        await asyncio.sleep(arrive / groups)
    await asyncio.sleep(PATIENCE_SECONDS)
    for worker in started:
        worker.stop()
    figures.cancel()
    with suppress(asyncio.CancelledError):
        await figures
    await asyncio.gather(*tasks)
    waits = [chat.named[name] - at for name, at in accepted.items() if name in chat.named]
    return Storm(waits, groups - len(waits), chat.refused, len(chat.parents()))


async def _changing(world: World) -> None:
    """The queue changes all the time, so every parent that measures it wants an edit."""
    queued = 14
    while True:
        queued = queued % 90 + 7
        world.queues(queued, pool=POOL)
        await asyncio.sleep(5)


def measured(groups: int, workers: int, arrive: float) -> Storm:
    """One storm, without its log."""
    with capture_logs():
        return run(storm(groups, workers, arrive))


def main() -> int:
    """Print a table; 1 when a group waited longer than 5 s."""
    logging.getLogger("apscheduler").setLevel(logging.CRITICAL + 1)  # its timers end with each loop
    print("groups  in s  workers  worst s  median s  429s  messages")
    worst = 0.0
    for groups, arrive, workers in product((60, 500), ARRIVE_SECONDS, (1, 3)):
        found = measured(groups, workers, arrive)
        worst = max(worst, found.worst)
        row = f"{groups:6}  {arrive:4.0f}  {workers:7}  {found.worst:7.2f}  {statistics.median(found.waits):8.2f}"
        print(f"{row}  {found.refused:4}  {found.threads:8}")
    return 1 if worst > 5 else 0


if __name__ == "__main__":
    sys.exit(main())
