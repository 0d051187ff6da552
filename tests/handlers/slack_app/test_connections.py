"""Slack's greeting tells how many connections there are: more than ours are another Tailback's."""

import asyncio
import contextlib

import pytest

from bot.core.external import FOREIGN
from handlers.slack_app.connections import EXPIRES_SECONDS, RENEWED_SECONDS, Connections
from tests import virtual_time
from tests.world import World


def greeting(connections: object) -> dict[str, object]:
    return {"type": "hello", "num_connections": connections, "connection_info": {"app_id": "A1"}}


async def listening(world: World) -> tuple[Connections, asyncio.Task[None]]:
    made = Connections(world.context)
    task = asyncio.create_task(made.listen())
    await asyncio.sleep(0.01)
    return made, task


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(("connections", "foreign"), [(1, "0"), (2, "1"), (4, "3")])
async def test_a_process_that_starts_finds_a_second_tailback(world: World, connections: int, foreign: str) -> None:
    made, task = await listening(world)
    await made.heard(None, greeting(connections))
    assert await world.store.find(FOREIGN) == foreign
    await ended(task)


async def test_several_processes_of_ours_are_no_second_tailback(world: World) -> None:
    """One that was stopped does not count any more, and one that was killed not for long."""
    processes = [await listening(world) for _ in range(3)]
    await processes[2][0].heard(None, greeting(3))
    assert await world.store.find(FOREIGN) == "0"
    for _, task in processes:
        await ended(task)
    world.clock.advance(1)
    made, task = await listening(world)
    await made.heard(None, greeting(2))
    assert await world.store.find(FOREIGN) == "1"
    await ended(task)


async def test_a_connection_that_is_made_anew_may_be_counted_twice(world: World) -> None:
    """Slack asks for that every few hours, and the old one is closed after the new one stands."""
    made, task = await listening(world)
    for connections, foreign in ((1, "0"), (2, "0"), (3, "1"), (1, "0")):
        await made.heard(None, greeting(connections))
        assert await world.store.find(FOREIGN) == foreign
    await ended(task)


@pytest.mark.parametrize("message", [{"type": "events_api"}, greeting(None), greeting("many"), {"num_connections": 9}])
async def test_what_tells_no_number_changes_nothing(world: World, message: dict[str, object]) -> None:
    await Connections(world.context).heard(None, message)
    assert await world.store.find(FOREIGN) is None


def test_a_process_that_lives_counts_for_as_long() -> None:
    async def after(seconds: float) -> tuple[str, ...]:
        world = World()
        loop = asyncio.get_running_loop()
        began, start = loop.time(), world.clock.now()
        _, task = await listening(world)
        while loop.time() < began + seconds:
            await asyncio.sleep(RENEWED_SECONDS / 2)
            world.clock.advance(start + loop.time() - began - world.clock.now())
        found = await world.store.listed("listening")
        await ended(task)
        return found

    assert len(virtual_time.run(after(3 * EXPIRES_SECONDS))) == 1
