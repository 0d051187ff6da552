"""The longer view in a whole installation: `/queue report` for one person, and the weekly post in the channel."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.core.durations import DAYS
from bot.core.incident.incident import Thread
from bot.core.pool.history import PoolHistory, finished
from bot.core.record import Change, Conflict, Put, Stored
from bot.ports import Store
from tests.builders import CHANNEL, closed, named
from tests.core.pool.hours import FIRST, weeks
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, product, surroundings
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
        report = await world.slack.ephemeral(containing="in the last 7 days")
        assert "recurs on 28 of 28 days" in report.text
        assert f"Raise the limit of {LINUX} from 40 to" in report.text
        assert "19 of 20 jobs that started had waited at most" in report.text
        await world.slack.slash("/queue", f"report {LINUX} 14", user="U0BEN")
        assert LINUX in (await world.slack.ephemeral("U0BEN", "in the last 14 days")).text
        await world.slack.slash("/queue", "report 400")
        await world.slack.ephemeral(containing="A report covers 1 to 42 days")
        assert world.stored() == []


def weekly(world: World) -> list[str]:
    texts = [str(call.args["text"]) for call in world.roots()]
    return [text for text in texts if "in the last 7 days" in text]


async def test_the_weekly_post_comes_once(tmp_path: Path, redis_url: str) -> None:
    """The report was due within the last hour: it is posted when Tailback starts, and not again after a restart."""
    setup, now = Setup(weekly=""), datetime.fromtimestamp(time.time(), UTC)
    async with surroundings(tmp_path, setup) as world:
        text, table = world.config.read_text("utf-8"), f'\n[report]\nday = "{DAYS[now.weekday()]}"\nhour = {now.hour}\n'
        world.config.write_text(f"{text}{table}enabled = false\n", "utf-8")
        async with product(world, setup, redis_url) as runtime:
            await happened(runtime.context.store, time.time() - 86400)
            assert weekly(world) == []
        world.config.write_text(f"{text}{table}", "utf-8")
        async with product(world, setup, redis_url):
            await world.eventually(lambda: bool(weekly(world)), "a weekly post")
        async with product(world, setup, redis_url) as runtime:
            await runtime.context.store.commit(Change(wake=("chore:weekly", f"weekly:{CHANNEL}")))
            await world.until_ready()
            await world.slack.slash("/queue", "report")
            await world.slack.ephemeral(containing="in the last 7 days")
        (post,) = weekly(world)
        assert f"*{LINUX}*: 1 incident, open for 1 h, 1 drained" in post


async def happened(store: Store, at: float) -> None:
    made = closed(id="i0123456789abcdef", opened_at=at, at=at + 3600, pools=named(LINUX))
    made = replace(made, thread=Thread(CHANNEL, "1800000000.000100", "drawn"))
    put = Put(Stored(made, 0), made, None, keep_seconds=86400.0)
    await store.commit(Change(puts=(put,), join=(("ended", made.id),)))
