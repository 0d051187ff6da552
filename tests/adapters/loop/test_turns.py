"""Long work lets others have their turn."""

import asyncio
import time

from bot.adapters.loop.turns import TURN_SECONDS, Turns, in_turns


def busy(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


async def others(seen: list[int]) -> None:
    """What comes from outside meanwhile."""
    while True:
        seen.append(1)
        await asyncio.sleep(0)


async def test_a_long_walk_is_interrupted_after_each_turn() -> None:
    seen = list[int]()
    beside = asyncio.create_task(others(seen))
    async for _ in in_turns(range(4)):
        busy(TURN_SECONDS)
    beside.cancel()
    assert len(seen) >= 3


async def test_many_tasks_that_are_ready_at_once_do_not_run_all_before_others() -> None:
    seen, turns = list[int](), Turns()
    beside = asyncio.create_task(others(seen))
    for _ in range(4):
        await turns.take(lambda: busy(TURN_SECONDS))
    beside.cancel()
    assert len(seen) >= 3


async def test_a_turn_gives_what_the_work_gives() -> None:
    assert await Turns().take(lambda: 7) == 7
