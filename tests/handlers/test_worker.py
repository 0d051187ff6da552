"""The worker: woken at once, never stopped by one bad record, and ended without dropping what it has in hand."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.record import Claim
from bot.incidents.thread import PLAIN_AFTER
from bot.ports import Failure, Posted, Unreachable
from handlers import worker as module
from handlers.worker import Worker
from tests.fakes import FakeChat
from tests.patience import PATIENCE_SECONDS
from tests.world import World, spoken


@asynccontextmanager
async def working(world: World) -> AsyncIterator[Worker]:
    """A worker that runs, and is stopped in the end."""
    worker = Worker(world.context)
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await asyncio.wait_for(task, PATIENCE_SECONDS)


async def until(true: Callable[[], object]) -> None:
    """Let everybody else run until something holds; bounded."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():  # noqa: ASYNC110 - the fakes set no event
            await asyncio.sleep(0.0005)


@pytest.fixture
def no_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ticker does not ring while a test waits, so that whatever happens has another reason."""
    monkeypatch.setattr(module, "TICK_SECONDS", 10 * PATIENCE_SECONDS)


async def test_a_commit_wakes_the_worker_at_once(world: World, no_ticks: None) -> None:
    world.queues(14)
    async with working(world):
        await until(lambda: world.data.listeners)
        await world.fires()
        await until(lambda: len(world.chat.parents()) == 1)


async def test_what_was_due_before_the_start_is_done_at_the_start(world: World, no_ticks: None) -> None:
    world.queues(14)
    await world.fires()
    async with working(world):
        await until(lambda: len(world.chat.parents()) == 1)


async def test_one_record_that_raises_does_not_stop_the_others(world: World) -> None:
    """Twenty incidents, one of them poison: the others get their threads, the worker goes on."""
    world.queues(14)
    await world.fires()
    poison = world.incident.id
    world.chat = world.context.chat = Poisoned(world.clock, poison)
    for number in range(19):
        await world.fires(group_key=f"g{number}")
    async with working(world):
        await until(lambda: len(world.chat.parents()) == 19)
        await world.fires(group_key="after")
        await until(lambda: len(world.chat.parents()) == 20)
    held = await world.store.get(Incident, poison)
    assert held is not None
    assert held.value.trouble.attempts >= 1
    assert "ValueError while this incident was worked on" in str(held.value.trouble.why)


def rests_since(world: World, before: int) -> Callable[[], bool]:
    """Whether more failed attempts are on record, and the incident waits for the next: nobody has claimed it."""
    due = f"inc:{world.incident.id}"
    row = world.data.rows[due]
    return lambda: (
        world.incident.trouble.attempts > before and not row.claimed_until and world.data.due[due] > world.clock.now()
    )


async def test_a_record_that_goes_on_raising_is_drawn_plainly_and_less_and_less_often(world: World) -> None:
    """Its attempts are counted even when the story had written before it raised."""
    world.queues(14)
    await world.fires()
    due = f"inc:{world.incident.id}"
    world.chat = world.context.chat = Poisoned(world.clock, world.incident.id)
    pauses = []
    for _ in range(PLAIN_AFTER + 2):
        async with working(world):
            await until(rests_since(world, world.incident.trouble.attempts))
            pauses.append(world.data.due[due] - world.clock.now())
        world.clock.advance(30 + pauses[-1])
    assert world.incident.thread.plain
    assert pauses == sorted(pauses)
    world.chat.poison = ""
    world.clock.advance(60)
    async with working(world):
        await until(lambda: len(world.chat.parents()) == 1)


async def test_stopping_finishes_what_was_begun_and_claims_nothing_more(world: World) -> None:
    """SIGTERM while Slack is slow: the message is posted and recorded, the rest waits for another process."""
    world.chat = world.context.chat = Gated(world.clock)
    world.queues(14)
    await world.fires()
    worker = Worker(world.context)
    task = asyncio.create_task(worker.run())
    await until(lambda: world.chat.script.count("post") == 1)
    first = world.incident.id
    worker.stop()
    await world.fires(spoken("z9"), group_key="another")
    assert not task.done()
    world.chat.gate.set()
    await asyncio.wait_for(task, PATIENCE_SECONDS)
    assert len(world.chat.parents()) == 1
    held = await world.store.get(Incident, first)
    assert held is not None
    assert held.value.thread.root == world.chat.parents()[0].ts
    assert world.data.rows[f"inc:{first}"].open_claim is None
    (other,) = world.data.sets["open"] - {first}
    assert world.data.due[f"inc:{other}"] <= world.clock.now()


async def test_a_worker_whose_work_takes_most_of_its_lease_takes_less_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a starved machine 96 at once would all end in vain, again and again; when work is quick, it takes more."""
    world = World()
    worker = Worker(world.context)
    claim = Claim("inc", "i1", fence=1, held=None, lease_ends=0.0)

    async def takes(seconds: float, kind: str = "inc") -> float:
        async def behavior(*_: object) -> None:
            world.clock.advance(seconds)

        monkeypatch.setattr(module, "BEHAVIORS", {kind: behavior})
        await worker._work(replace(claim, kind=kind))
        return worker._most

    assert await takes(1.0) == 96
    assert [await takes(6.0) for _ in range(6)] == [48, 24, 12, 6, 4, 4]
    assert await takes(1.0) == 4.25
    assert await takes(60.0, kind="chore") == 4.25
    assert [await takes(0.0) for _ in range(400)][-1] == 96


async def test_a_store_that_is_down_is_waited_for(world: World) -> None:
    """The worker says why, and goes on when the store is back."""
    world.queues(14)
    world.data.broken = Unreachable("Redis", "connection refused", failure=Failure.UNCONNECTED)
    async with working(world) as worker:
        await until(lambda: bool(world.context.health.redis))
        world.data.broken = None
        await world.fires()
        worker._wake_up.set()
        await until(lambda: len(world.chat.parents()) == 1)
        assert not world.context.health.redis


async def test_a_claim_that_raises_something_unforeseen_does_not_end_the_worker(world: World) -> None:
    """It is logged, and the next bell is heard."""
    world.queues(14)
    claim = world.store.claim

    async def broken(most: int) -> object:
        world.store.claim = claim  # type: ignore[method-assign]  # only once
        raise ValueError(most)

    world.store.claim = broken  # type: ignore[method-assign, assignment]  # the fake's own, that raises once
    async with working(world):
        await until(lambda: world.store.claim == claim)
        await world.fires()
        await until(lambda: len(world.chat.parents()) == 1)


async def test_a_record_that_is_due_soon_is_done_when_it_is_due() -> None:
    """By the loop's clock, whatever the wall clock says."""
    world = World(timing={"first_look": "50ms"})
    world.metrics.script.fail("*", times=None)
    async with working(world):
        await world.fires()
        await until(lambda: (world.due() or 0) > 0)
        world.clock.advance(0.05)
        await until(lambda: len(world.chat.parents()) == 1)


async def test_the_ticker_reads_the_configuration(world: World) -> None:
    """Once a second, by the function that it was given."""
    ticks: list[int] = []

    async def tick() -> None:
        ticks.append(1)

    worker = Worker(world.context, tick)
    await worker._on_tick()
    assert ticks == [1]


class Poisoned(FakeChat):
    """Posting for one incident always raises something that nobody expects."""

    def __init__(self, clock: object, poison: str) -> None:
        """`poison`: the incident."""
        super().__init__(clock)  # type: ignore[arg-type]  # handed on as it came
        self.poison = poison

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Posts, or raises."""
        if key.partition(".")[0] == self.poison:
            self.script.calls.append("post")
            raise ValueError(key)
        return await super().post(channel, message, key=key, thread=thread, broadcast=broadcast)


class Gated(FakeChat):
    """Its answers wait behind a gate."""

    def __init__(self, clock: object) -> None:
        """Closed at first."""
        super().__init__(clock)  # type: ignore[arg-type]  # handed on as it came
        self.gate = asyncio.Event()

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Posts, and answers when the gate opens."""
        posted = await super().post(channel, message, key=key, thread=thread, broadcast=broadcast)
        await self.gate.wait()
        return posted


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Tracebacks are kept and not drawn: drawing one takes longer than all of a test."""
    with capture_logs():
        yield
