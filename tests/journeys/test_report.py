"""The longer view in a whole installation: `/queue report` for one person."""

import time
from dataclasses import replace
from pathlib import Path

from bot.core.pool.history import PoolHistory, finished
from bot.core.record import Change, Conflict, Put, Stored
from bot.ports import Store
from tests.core.pool.hours import FIRST, weeks
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import product, surroundings
from tests.patience import eventually


def last_hours(days: int) -> PoolHistory:
    """Full mornings on each day up to now; the hours of the builder, moved to the present."""
    cells = weeks(days, lambda day, at: at in (9, 10))
    moved = int(time.time() // 3600) - FIRST - len(cells)
    return finished(PoolHistory(LINUX), tuple(replace(cell, hour=cell.hour + moved) for cell in cells))


async def kept(store: Store, past: PoolHistory) -> None:
    """What the pool's record holds, as if it had been measured."""

    async def put() -> bool:
        held = await store.get(PoolHistory, LINUX)
        try:
            await store.commit(Change(puts=(Put(held or Stored(past, 0), past, None),)))
        except Conflict:  # the product has measured meanwhile
            return False
        return True

    await eventually(put, "the record")


async def test_a_person_asks_for_the_longer_view(tmp_path: Path, redis_url: str) -> None:
    """Ephemeral and complete: waits, window, proposal; words that cannot be meant are refused; nothing is posted."""
    setup = Setup()
    async with surroundings(tmp_path, setup) as world, product(world, setup, redis_url) as runtime:
        await kept(runtime.context.store, last_hours(28))
        await world.slack.slash("/queue", "report")
        told = await world.slack.ephemeral(containing="Incidents of the last 7 days")
        assert "recurs on 28 of 28 days" in told.text
        assert f"Raise the limit of {LINUX} from 40 to" in told.text
        assert "19 of 20 jobs that started had waited at most" in told.text
        await world.slack.slash("/queue", f"report {LINUX} 14", user="U0BEN")
        assert LINUX in (await world.slack.ephemeral("U0BEN", "Incidents of the last 14 days")).text
        await world.slack.slash("/queue", "report 400")
        await world.slack.ephemeral(containing="A report covers 1 to 42 days")
        assert world.stored() == []
