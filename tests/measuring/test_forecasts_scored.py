"""Cause, forecast and what more runners would do, through the whole product: seen, said, and compared in the end."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast.scoring import held_share, not_scored
from bot.core.incident.closing import scored_later
from bot.core.incident.details.events import Diagnosed
from bot.core.pool.outlook import Calibration, Forecast, LeftOut, PooledCalibration, Score, Verdict
from bot.core.record import Change, Put, Stored
from bot.core.requests.interaction import Surface
from bot.reporting.collect import longer_view
from bot.views.report.report import plain
from bot.views.words.causes import cause_name
from bot.views.words.forecasts import left_out_words
from handlers.tools.records import exported
from tests.builders import FULL, POOL
from tests.world import World, spoken, whisper


async def full(queued: int = 60, world: World | None = None, **tables: Any) -> World:
    world = world or World(**tables)
    world.queues(queued, **FULL)
    await world.done(world.fires())
    for minute in range(1, 4):
        world.queues(queued - 2 * minute, **FULL)
        await world.passes(60, step=30)
    return world


async def test_the_parent_names_the_likely_cause_and_the_forecast() -> None:
    world = await full()
    blocks = str(world.parent.message.blocks)
    assert f"{cause_name('limit')} (" in blocks
    assert "*Forecast:* " in blocks


async def test_the_line_costs_few_edits() -> None:
    """Twenty samples of a queue that shrinks as foretold: the coarse steps change a few times only."""
    world = await full()
    before = world.parent.edits
    for minute in range(10):
        world.queues(54 - 2 * minute, wait=3600.0, **FULL)
        await world.passes(60, step=30)
    assert world.parent.edits - before <= 16


async def test_every_forecast_is_compared_with_the_truth_at_the_end() -> None:
    """The farewell says how many intervals held; the pool keeps the scores for the next time."""
    world = await full()
    kept = len(world.pool_record().forecasts)
    assert kept >= 1
    await world.fires(spoken(firing=False))
    for minute in range(27):
        world.queues(max(0, 54 - 2 * minute), **FULL)
        await world.passes(60, step=30)
    world.queues(0, **{**FULL, "busy": 20})
    await world.passes(180, step=30)
    assert world.incident.closed
    assert len(world.incident.pools.scores) >= kept
    assert not any(score.left_out for score in world.incident.pools.scores)
    assert world.pool_record().scores == world.incident.pools.scores
    assert world.pool_record().forecasts == ()


async def by_hand(**tables: Any) -> World:
    world = await full(**tables)
    await world.done(world.asks("resolve", surface="dialog"))
    assert world.incident.closed
    return world


async def drains(world: World) -> None:
    for minute in range(28):
        world.queues(max(0, 54 - 2 * minute), **FULL)
        await world.passes(60, step=30)


async def report_of(world: World) -> str:
    return " ".join(
        plain(await longer_view(world.store, world.context.settings.file, 7, world.clock.now(), POOL)).split()
    )


async def test_an_incident_closed_by_hand_is_scored_when_its_queue_drains_later() -> None:
    """The watch goes on measuring: pool, report and export know the truth; the thread is left alone and shut."""
    world = await by_hand()
    assert not_scored(world.incident.pools.scores)[LeftOut.WAITING] >= 1
    await world.passes(660, step=60)  # until nobody can take it back
    replies, edits = world.replies, world.parent.edits
    before = world.incident
    await drains(world)
    held, scored = held_share(world.pool_record().scores)
    assert scored >= 1
    assert not world.pool_record().forecasts
    assert f"{held} of {scored} forecast" in await report_of(world)
    assert "not scored" not in await report_of(world)
    whole = scored_later(world.incident, {POOL: world.pool_record()})
    assert not not_scored(whole.pools.scores)
    text = await exported(world.store, world.context.settings.file, world.incident.id, "markdown", 0.0)
    assert f"Forecasts: {held} of {scored} correct" in text
    assert (world.replies, world.parent.edits, world.incident) == (replies, edits, before)


async def test_nothing_more_is_foretold_of_it_while_nobody_waits_for_the_answer() -> None:
    world = await by_hand()
    waiting = world.pool_record().forecasts
    await world.passes(600, step=30)
    assert world.pool_record().forecasts == waiting
    assert world.pool_record().outlook is None


async def test_where_nobody_measures_on_what_was_foretold_counts_as_not_scored() -> None:
    """Without `timing.watch` the end is not seen: that is told, and nothing is made up."""
    world = await by_hand(timing={"watch": "0s"})
    await drains(world)
    assert held_share(world.pool_record().scores) == (0, 0)
    missing = not_scored(world.pool_record().scores)
    assert missing[LeftOut.UNSEEN] >= 1
    report = await report_of(world)
    assert "no forecast was scored" in report
    assert left_out_words(missing) in report


async def scales(world: World) -> None:
    values = {"target": "24", "pool": POOL}
    await world.confirms(await world.asks("scale_up", surface=Surface.DIALOG, step="scale_up", values=values))
    await world.work()


async def test_what_was_foretold_before_somebody_scaled_is_counted_as_left_out() -> None:
    """It said what would come of itself; the farewell says how many, and only what came later is compared."""
    world = await full()
    before = sum(made.verdict.bounded for made in world.pool_record().forecasts)
    assert before >= 1
    await scales(world)
    await drains(world)
    await world.fires(spoken(firing=False))
    await world.passes(180, step=30)
    assert world.incident.closed
    assert not_scored(world.incident.pools.scores)[LeftOut.SCALED] == before


async def test_a_request_in_shadow_mode_leaves_no_forecast_out() -> None:
    """Nothing was scaled, so what was foretold is held against what came."""
    world = await full(actions={"shadow": True})
    await scales(world)
    await world.passes(60, step=30)
    assert not world.pool_record().scores
    assert world.pool_record().forecasts


@pytest.mark.parametrize("whose", ["its own", "all pools'"])
async def test_past_errors_widen_what_is_foretold_next(whose: str) -> None:
    """Eight intervals of the pool that were three times too short, or what other pools have taught."""
    world = await full()
    plain = world.pool_record().outlook
    wrong = Forecast(world.clock.now() - 9000, Verdict.INTERVAL, 60, 700.0, 1000.0, 1400.0, pool=POOL)
    if whose == "its own":
        row = world.data.rows[f"pool:{POOL}"]
        scores = tuple(Score(replace(wrong, at=wrong.at + 99 * n), 3000.0, held=False) for n in range(8))
        world.data.rows[f"pool:{POOL}"] = replace(row, value=replace(world.pool_record(), scores=scores))
    else:
        taught = PooledCalibration("all", Calibration(1.0, 3.0, 9))
        await world.store.commit(Change(puts=(Put(Stored(taught, 0), taught, None),)))
    await world.passes(30, step=30)
    wide = world.pool_record().outlook
    assert plain is not None
    assert wide is not None
    assert plain.high_seconds
    assert wide.high_seconds is None or wide.high_seconds > 1.5 * plain.high_seconds


async def test_all_pools_learn_from_each_drain() -> None:
    world = await by_hand()
    assert "calibration:all" not in world.data.rows
    await drains(world)
    taught = world.data.rows["calibration:all"].value
    assert isinstance(taught, PooledCalibration)
    assert taught.known.scored == held_share(world.pool_record().scores)[1] > 0
    assert taught.known.low != 1.0
    await world.passes(600, step=30)
    assert world.data.rows["calibration:all"].value == taught


async def test_an_unknown_cause_is_said_as_such(world: World) -> None:
    await world.opens(queued=14)
    await world.done(world.asks("diagnose"))
    (details,) = world.details(Diagnosed)
    assert [[one.top for one in group] for group in details.groups] == [[None]]
    assert "Likely cause" not in world.parent.message.text


@pytest.mark.parametrize(("maximum", "effect"), [(40, "no faster"), (80, "done in")])
async def test_the_question_before_scaling_shows_the_table(maximum: int, effect: str) -> None:
    """All 40 runners are there: beyond that the maximum of the scaler decides."""
    world = World()
    known = world.context.pool_scalers[POOL]
    world.context.pool_scalers = {POOL: replace(known, policy=replace(known.policy, maximum=maximum))}
    await full(world=world)
    answer = await world.asks("scale_up", surface=Surface.DIALOG, values={"pool": POOL, "target": "20"})
    shown = str(answer.view)
    assert "20 (+10)" in shown
    assert effect in shown


async def test_scale_with_a_pool_alone_gives_the_table_to_the_person() -> None:
    """`/queue scale POOL`: what each choice would do, and nothing is asked of the scaler."""
    world = await full()
    text = whisper(await world.types("scale_up", POOL)).text
    assert "What more would do:" in text
    assert "Added +5 · Drained " in text
    assert world.scaler.script.count("set") == 0
