"""Long answers are made once, and nobody is held up by them."""

import asyncio

import pytest

from bot.context.making import KEPT_SECONDS, Making
from bot.ports import Unreachable


class Work:
    """Makes an answer when it is told to."""

    def __init__(self) -> None:
        self.begun, self.go, self.now = 0, asyncio.Event(), 5.0
        self.making = Making(0.01)

    async def make(self) -> int:
        self.begun += 1
        await self.go.wait()
        return self.begun

    async def get(self) -> int | None:
        return await self.making.get("this", self.make, lambda: self.now)


async def test_who_comes_back_later_finds_the_answer_made_once() -> None:
    work = Work()
    assert [await work.get(), await work.get()] == [None, None]
    work.go.set()
    assert [await work.get(), await work.get()] == [1, 1]
    work.now += KEPT_SECONDS
    assert await work.get() == 2


async def test_what_was_ready_at_once_is_made_anew_for_the_next_one() -> None:
    work = Work()
    work.go.set()
    assert [await work.get(), await work.get()] == [1, 2]


async def test_a_failure_is_told_and_the_next_one_tries_again() -> None:
    async def fail() -> None:
        raise Unreachable("Redis", "no")

    making = Making()
    for _ in range(2):
        with pytest.raises(Unreachable):
            await making.get("this", fail, lambda: 0.0)


async def test_a_process_that_ends_leaves_nothing_behind() -> None:
    work = Work()
    await work.get()
    await work.making.close()
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
