"""Report: the longer view for the person who asks, over the pools and days that were named."""

import pytest

from bot.context.making import Making
from bot.core.pool.history import PoolHistory, finished
from bot.core.record import Change, Put, Stored
from bot.core.reporting.recurrence import Pattern
from bot.core.statement import statement
from bot.ports import Refused
from bot.reporting.collect import longer_view
from bot.views.words.proposals import change_words
from tests.builders import NOW, POOL
from tests.core.pool.hours import MONDAY, weeks
from tests.patience import PATIENCE_SECONDS
from tests.world import OTHER_POOL, World, refused, spoken, whisper


async def text(world: World, *words: str) -> str:
    answer = whisper(await world.types("report", *words))
    return f"{answer.text} {answer.blocks}"


async def measured(world: World, days: int, pool: str = POOL) -> None:
    """So many days of hours before now, with busy mornings; the clock stands at their end."""
    cells = weeks(days, lambda day, at: day % 7 < 5 and at in (9, 10))
    world.clock.advance(max(0.0, MONDAY + days * 86400 - world.clock.now()))
    past = finished(PoolHistory(pool), cells)
    await world.store.commit(Change(puts=(Put(Stored(past, 0), past, None),)))


async def test_without_incidents_it_says_so() -> None:
    report = await text(World())
    assert "7 days" in report
    assert "Measured: 0 of 2 pools." in report


async def test_open_and_closed_incidents_count_with_their_peaks(world: World) -> None:
    await world.opens(queued=14)
    await world.done(world.asks("resolve", surface="dialog"))
    world.clock.advance(3600)
    world.queues(30, wait=7200)
    await world.done(world.fires(spoken(starts_at=world.clock.now())))
    seen = await longer_view(world.store, world.context.settings.file, 7, world.clock.now())
    (pool,) = [one for one in seen.pools if one.pool == POOL]
    assert (seen.incidents, seen.open_now) == (2, 1)
    assert (pool.longest_wait_seconds, pool.most_queued) == (7200.0, 30)
    assert POOL in await text(world)


async def test_what_is_older_than_the_span_does_not_count(world: World) -> None:
    await world.opens()
    await world.asks("resolve", surface="dialog")
    world.clock.advance(8 * 86400)
    assert "linux.2xlarge" not in await text(world)
    assert "linux.2xlarge" in await text(world, "9")


async def test_the_hours_of_the_past_carry_a_proposal() -> None:
    priced = {"match": {"runner_label": POOL}, "scaler": {"kind": "http", "cost_per_runner_hour": 0.5}}
    world = World(pool={POOL: priced}, slack={"currency": "€"})
    await measured(world, 21)
    seen = await longer_view(world.store, world.context.settings.file, 14, world.clock.now(), POOL)
    assert (seen.pools[0].longest_wait_seconds, seen.incidents) == (3600.0, 0)
    assert seen.pools[0].patterns == (Pattern("weekdays", 9, 11, 15, 15),)
    raised, earlier = seen.proposals
    assert raised.change == statement("raise_limit", pool=POOL, limit=40, runners=47)
    assert statement("costs", more=7, per_hour=3.5, currency="€") in raised.evidence
    assert earlier.change.id == "alert_earlier"
    assert statement("no_alert", hours=20, of=20, target=900.0) in earlier.evidence
    assert change_words(raised) in await text(world, POOL, "14")


async def test_one_pool_is_told_of_alone() -> None:
    world = World(report={"target_wait": "2h"})
    await measured(world, 7)
    await measured(world, 7, OTHER_POOL)
    assert "no job waited longer than 2 h" in await text(world)
    world.configure(report={"target_wait": "15m"})
    assert "linux.gpu" in await text(world)
    assert "linux.gpu" not in await text(world, "7", POOL)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("linux.9xlarge",), "Known pools: linux.2xlarge"),
        (("0",), "1 to 42 days"),
        (("43",), "1 to 42 days"),
        (("99999999999999999999",), "Known pools"),
        (("7", "14"), "Too many words"),
        ((POOL, OTHER_POOL), "Too many words"),
    ],
)
async def test_what_cannot_be_meant_is_refused_with_what_can(words: tuple[str, ...], why: str) -> None:
    await refused(why, World().types("report", *words))


async def test_a_pool_whose_name_is_a_number_is_a_pool() -> None:
    world = World(pool={"14": {"match": {}}})
    assert "of the last 7 days" not in await text(world, "14", "3")
    assert "last 3 days" in await text(world, "14", "3")


async def test_it_takes_the_permission_to_look() -> None:
    world = World(permissions={"diagnose": []})
    with pytest.raises(Refused, match=r"permissions\.diagnose"):
        await world.types("report")
    assert world.clock.now() == NOW


async def test_a_report_that_takes_long_follows_privately(world: World) -> None:
    """A hundred pools were never answered: the work took longer than Slack waits."""
    world.context.making = Making(0.0)
    assert "is being made" in await text(world)
    world.context.making.patience_seconds = PATIENCE_SECONDS
    await world.passes(5, step=1)
    (whispered,) = [message.text for _, _, message, _ in world.chat.whispers]
    assert "7 days" in whispered
