"""The worker: woken at once, never stopped by one bad record, and ended without dropping what it has in hand."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.record import Claim
from bot.incidents.thread import PLAIN_AFTER
from bot.ports import Failure, Posted, Unreachable
from handlers import worker as module
from handlers.cancellation import ended
from handlers.worker import Worker
from tests.patience import PATIENCE_SECONDS
from tests.world import World, spoken

pytestmark = pytest.mark.usefixtures("quiet")


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


@pytest.mark.parametrize("before", [True, False])
async def test_a_commit_wakes_the_worker_at_once(world: World, no_ticks: None, before: bool) -> None:
    """And what was due before the start is done at the start."""
    world.queues(14)
    if before:
        await world.fires()
    async with working(world):
        await until(lambda: world.data.listeners)
        if not before:
            await world.fires()
        await until(lambda: len(world.chat.parents()) == 1)


async def test_one_record_that_raises_does_not_stop_the_others(world: World) -> None:
    """Twenty incidents, one of them poison: the others get their threads, the worker goes on."""
    world.queues(14)
    await world.fires()
    (poison,) = poisoned(world)
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
    """Its attempts are counted even when the story had written before it raised.

    No list of what fires is read: one that lacks the alert would be noted, and each note makes the next attempt due.
    """
    world.alertmanager.script.fail("groups", Failure.LATER)
    world.queues(14)
    await world.fires()
    due = f"inc:{world.incident.id}"
    poison, pauses = poisoned(world), []
    for _ in range(PLAIN_AFTER + 2):
        async with working(world):
            await until(rests_since(world, world.incident.trouble.attempts))
            pauses.append(world.data.due[due] - world.clock.now())
        world.clock.advance(30 + pauses[-1])
    assert world.incident.thread.plain
    assert pauses == sorted(pauses)
    poison.clear()
    world.clock.advance(60)
    async with working(world):
        await until(lambda: len(world.chat.parents()) == 1)


async def test_stopping_finishes_what_was_begun_and_claims_nothing_more(world: World) -> None:
    """SIGTERM while Slack is slow: the message is posted and recorded, the rest waits for another process."""
    post, gate = world.chat.post, asyncio.Event()

    async def gated(*args: Any, **parts: Any) -> Posted:
        posted = await post(*args, **parts)
        await gate.wait()
        return posted

    world.chat.post = gated  # type: ignore[method-assign]  # the fake's own, whose answers wait
    world.queues(14)
    await world.fires()
    worker = Worker(world.context)
    task = asyncio.create_task(worker.run())
    await until(lambda: world.chat.script.count("post") == 1)
    first = world.incident.id
    worker.stop()
    await world.fires(spoken("z9"), group_key="another")
    assert not task.done()
    gate.set()
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


def poisoned(world: World) -> list[str]:
    """Posting for these incidents always raises something that nobody expects; at first the one of the world."""
    post, poison = world.chat.post, [world.incident.id]

    async def raises(channel: str, message: Message, *, key: str, **parts: Any) -> Posted:
        if key.partition(".")[0] in poison:
            raise ValueError(key)
        return await post(channel, message, key=key, **parts)

    world.chat.post = raises  # type: ignore[method-assign]  # the fake's own, behind a fault
    return poison


async def test_a_task_that_swallows_the_first_cancellation_ends_all_the_same() -> None:
    """Seen with a Redis client that was cancelled while it connected: the process did not stop on SIGTERM."""
    heard = 0

    async def stubborn() -> None:
        nonlocal heard
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                heard += 1
                if heard > 1:
                    raise

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await ended(task)
    assert task.cancelled()
    assert heard == 2


async def test_what_a_task_raised_is_not_hidden() -> None:
    """Ending is no way to lose an error."""

    async def broken() -> None:
        raise ValueError("the reason")

    task = asyncio.create_task(broken())
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="the reason"):
        await ended(task)
