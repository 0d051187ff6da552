"""One answer for many pools: how often a source is asked, and what its failures come to."""

import asyncio

import pytest

from bot.adapters.source import Listed, Listing, tried
from bot.ports import Failure, Unreachable


class Source:
    """Counts how often it is asked; fails while it has a problem."""

    def __init__(self) -> None:
        self.at, self.times, self.good_seconds = 100.0, 0, 0.0
        self.problem: Unreachable | None = None
        self.listing = Listing(self.ask, lambda: self.at, 20.0)

    async def ask(self, now: float) -> Listed[int]:
        self.times += 1
        await asyncio.sleep(0)
        if self.problem is not None:
            raise self.problem
        return Listed(self.times, now, self.good_seconds)


async def test_many_pools_at_once_ask_once() -> None:
    source = Source()
    found = await asyncio.gather(*(source.listing.get() for _ in range(20)))
    assert {one.value for one in found} == {1}
    assert source.times == 1


@pytest.mark.parametrize(
    ("good_seconds", "reads"),
    [(0.0, [(119.9, 1), (120.0, 2)]), (60.0, [(159.0, 1), (160.0, 2)]), (0.0, [(50.0, 2)])],
    ids=["a new period", "left alone longer", "a clock that was set back"],
)
async def test_it_is_asked_again_after_its_period(good_seconds: float, reads: list[tuple[float, int]]) -> None:
    """The time is that of the answer."""
    source = Source()
    source.good_seconds = good_seconds
    await source.listing.get()
    for at, times in reads:
        source.at = at
        assert await source.listing.get() == Listed(times, 100.0 if times == 1 else at, good_seconds)


async def test_a_failure_is_shared_for_its_period_and_for_as_long_as_the_source_asks() -> None:
    """Twenty pools do not wait twenty times for a dead source, nor knock at one that answers 429."""
    source = Source()
    source.problem = Unreachable("CI", "limits the rate of requests", failure=Failure.LATER, retry_after_seconds=50.0)
    for _ in range(3):
        with pytest.raises(Unreachable, match="limits the rate"):
            await source.listing.get()
    assert source.times == 1
    source.problem, source.at = None, 149.0
    assert isinstance(await tried(source.listing), Unreachable)
    source.at = 150.0
    assert await tried(source.listing) == Listed(2, 150.0)
