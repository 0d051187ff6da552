"""The weeks before the installation come from the source's own history: once, bounded, and in nobody's way."""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.config import File
from bot.context.past import PAST_SECONDS
from bot.core.pool.backfill import DAY_SECONDS, LEFT, Backfill, DaysLeft, days_left, span_of
from bot.core.pool.history import KEPT_HOURS, PoolHistory, usual_ahead
from bot.core.pool.pool import Snapshot
from bot.core.record import Change
from bot.measuring.backfill import TURN_SECONDS
from bot.ports import Failure
from tests.builders import NOW, POOL
from tests.fakes import FakeClock, FakeMetrics
from tests.world import OTHER_POOL, World, spoken

TODAY = int(NOW // DAY_SECONDS)


class Archive(FakeMetrics):
    """A source that keeps its past, and counts what it is asked for of it."""

    def __init__(self, clock: FakeClock, days: int, **figures: Any) -> None:
        super().__init__(clock)
        self.days, self.figures = days, {"arrivals_per_minute": 5.0, **figures}
        self.spans: list[tuple[str, float, float, float]] = []

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        if until - since > PAST_SECONDS:
            self.spans.append((pool, since, until, step_seconds))
        self.script.asked("history")
        first, known = (TODAY - self.days) * DAY_SECONDS, {"queued": 3, "oldest_wait_seconds": 3600.0, **self.figures}
        times = (since + n * step_seconds for n in range(round((until - since) / step_seconds) + 1))
        return tuple(Snapshot(pool, at, **known) for at in times if at >= first)


async def started(days: int, *, pools: tuple[str, ...] = (POOL,), **tables: Any) -> tuple[World, Archive]:
    world = World(**tables)
    archive = Archive(world.clock, days)
    for name in (POOL, OTHER_POOL):
        archive.show(name, {"queued": 0, "oldest_wait_seconds": 0.0, "arrivals_per_minute": 5.0})
    world.metrics = archive
    world.context.metrics = dict.fromkeys(pools, archive)
    await world.store.commit(Change(wake=("chore:pools",)))
    await world.work()
    return world, archive


def past(world: World, name: str = POOL) -> PoolHistory:
    row = world.data.rows.get(f"past:{name}")
    return row.value if row and isinstance(row.value, PoolHistory) else PoolHistory(name)


async def test_six_weeks_are_filled_in_within_minutes_newest_day_first() -> None:
    world, archive = await started(60)
    await world.passes(43 * TURN_SECONDS, step=TURN_SECONDS)
    weeks = range(TODAY - 1, TODAY - 43, -7)
    assert [span[1:] for span in archive.spans] == [(*span_of(day, day - 6), 300.0) for day in weeks]
    cells = [cell for cell in past(world).cells if cell.hour < TODAY * 24]
    assert [cell.hour for cell in cells] == list(range(int(NOW // 3600) - KEPT_HOURS, TODAY * 24))
    assert {cell.covered_seconds for cell in cells} == {3600.0}
    assert {cell.arrivals.total for cell in cells} == {300.0}
    await world.passes(3600, step=60)
    assert len(archive.spans) == 6


async def test_what_past_weeks_foretell_is_known_to_the_next_look() -> None:
    """Nobody waits for the hour to change, and nobody for two weeks."""
    world, _ = await started(60)
    assert all(usual.weeks == 0 for usual in world.pool_record().ahead)
    await world.passes(20 * TURN_SECONDS, step=TURN_SECONDS)
    await world.passes(60, step=60)
    assert world.pool_record().hour is not None
    assert world.pool_record().ahead == usual_ahead(past(world), int(world.clock.now() // 3600))
    assert {usual.arrivals_per_minute for usual in world.pool_record().ahead} == {5.0}


async def test_the_last_day_ends_before_the_trouble() -> None:
    """Hours in which a flood comes do not become usual while the incident lasts."""
    world, archive = await started(3)
    await world.passes(4 * TURN_SECONDS, step=TURN_SECONDS)
    archive.show(POOL, {"queued": 90, "oldest_wait_seconds": 7000.0, "arrivals_per_minute": 50.0})
    await world.passes(2 * 3600, step=60)
    day = world.pool_record().day
    assert day is not None
    assert (day.arrivals_per_minute, day.most_per_minute) == (5.0, 5.0)


async def test_a_source_without_a_history_is_asked_for_a_week_and_left_alone() -> None:
    """One question; a day later one more, about the day that is over, only if an hour of it is lacking."""
    world, archive = await started(0)
    await world.passes(3600, step=30)
    assert len(archive.spans) == 1
    assert min(cell.hour for cell in past(world).cells) >= TODAY * 24
    await world.passes(2 * DAY_SECONDS, step=600)
    assert [span[1] for span in archive.spans[1:]] == [span_of(TODAY)[0]], (
        "before the installation nothing was measured"
    )


async def test_what_was_measured_is_neither_replaced_nor_counted_twice() -> None:
    world, archive = await started(0)
    await world.passes(2 * DAY_SECONDS, step=600)
    before = {cell.hour: cell for cell in past(world).cells}
    archive.figures["arrivals_per_minute"] = 50.0
    archive.days = 10
    row = world.data.rows[f"past:{POOL}"]
    hole = range((TODAY + 1) * 24 + 5, (TODAY + 1) * 24 + 9)
    row.value = PoolHistory(POOL, tuple(text for text in past(world).rows if int(text.partition(";")[0]) not in hole))
    await world.passes(DAY_SECONDS, step=600)
    after = {cell.hour: cell for cell in past(world).cells}
    assert {after[hour].arrivals.total for hour in hole} == {3000.0}
    assert {hour: after[hour] for hour in before if hour not in hole and hour // 24 == TODAY + 1} == {
        hour: cell for hour, cell in before.items() if hour not in hole and hour // 24 == TODAY + 1
    }


async def test_all_pools_of_an_installation_share_the_turns() -> None:
    world, archive = await started(60, pools=(POOL, OTHER_POOL))
    await world.passes(12 * TURN_SECONDS, step=1)
    assert len(archive.spans) == 12
    newest = [(name, until) for name, _, until, _ in archive.spans]
    two_weeks = {(name, (TODAY - 7 * week) * DAY_SECONDS) for name in (POOL, OTHER_POOL) for week in (0, 1)}
    assert set(newest[:4]) == two_weeks, "the last two weeks of every pool come before older ones of any"


async def test_a_pool_with_an_open_incident_waits_for_no_turn() -> None:
    world, archive = await started(60, pools=(POOL, OTHER_POOL))
    await world.fires(spoken(runner_label=OTHER_POOL))
    await world.passes(2 * TURN_SECONDS, step=1)
    mine = [until for name, _, until, _ in archive.spans if name == OTHER_POOL]
    assert mine == [(TODAY - 7 * week) * DAY_SECONDS for week in range(6)]


async def test_a_source_that_does_not_answer_for_a_week_is_asked_for_a_day() -> None:
    world, archive = await started(60)
    archive.script.fail("history", Failure.LATER)
    await world.passes(3 * TURN_SECONDS, step=1)
    days = [round((until - since) / DAY_SECONDS) for _, since, until, _ in archive.spans]
    assert days[:4] == [7, 7, 1, 1]


async def test_a_source_that_fails_is_asked_again_later_and_measured_all_the_same() -> None:
    """No loop: first for a day instead of a week, then after five minutes and ten; measurements go on each minute."""
    world, archive = await started(60)
    requests = len(archive.spans)
    archive.script.fail("history", Failure.LATER, times=None)
    before = archive.script.count("snapshot")
    await world.passes(1200, step=10)
    assert len(archive.spans) - requests == 4
    assert archive.script.count("snapshot") - before == 20
    archive.script.heal()
    await world.passes(2400, step=10)
    assert len({cell.hour // 24 for cell in past(world).cells}) == 43


async def test_the_day_that_a_process_died_over_is_asked_for_by_another() -> None:
    """Its claim runs out; nothing is lost, nothing is there twice."""
    world, archive = await started(60)
    world.clock.advance(TURN_SECONDS)
    assert [claim.kind for claim in await world.claims("fill")] == ["fill"]
    await world.passes(60, step=10)
    assert len(archive.spans) > 3
    hours = [cell.hour for cell in past(world).cells]
    assert len(hours) == len(set(hours))


async def test_an_hour_that_ends_while_a_day_is_filled_in_is_kept_too() -> None:
    """Both write the same record: whoever comes second reads it again, and no look is lost."""
    world, _ = await started(60)
    world.clock.advance(3600 - NOW % 3600 + 1)
    (look,) = await world.claims("pool")
    (fill,) = await world.claims("fill")
    real = world.store.commit
    waiting = [fill]

    async def late(change: Change) -> None:
        if waiting and any(put.value.id == POOL and isinstance(put.value, PoolHistory) for put in change.puts):
            await world.tell(waiting.pop())
        await real(change)

    world.store.commit = late  # type: ignore[method-assign]  # somebody else writes just before
    await world.tell(look)
    world.store.commit = real  # type: ignore[method-assign]  # as before
    hours = {cell.hour for cell in past(world).cells}
    assert int(NOW // 3600) in hours
    assert (TODAY - 2) * 24 in hours
    assert world.pool_record().tried_at == world.clock.now()


async def test_nothing_is_asked_when_it_is_switched_off() -> None:
    world, archive = await started(60, timing={"backfill": "0s"})
    await world.passes(600, step=60)
    assert archive.spans == []
    world.configure(timing={"backfill": "3d"})
    await world.passes(600, step=5)
    assert [span[1:3] for span in archive.spans] == [span_of(TODAY - 1, TODAY - 3)]
    world.configure(timing={"backfill": "5d"})
    await world.passes(600, step=5)
    assert [span[1:3] for span in archive.spans[1:]] == [span_of(TODAY - 4, TODAY - 5)]


async def test_a_pool_that_leaves_the_configuration_is_asked_for_no_longer() -> None:
    world, archive = await started(60)
    world.context.metrics = {}
    requests = len(archive.spans)
    await world.passes(600, step=5)
    assert len(archive.spans) == requests
    row = world.data.rows[f"fill:{POOL}"]
    assert isinstance(row.value, Backfill)
    assert row.expires < float("inf")


def test_more_than_a_pool_keeps_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValidationError, match='six weeks of hours; write "6w" or less'):
        File.model_validate({"timing": {"backfill": "7w"}})
    assert File.model_validate({"timing": {"backfill": "6w"}}).timing.backfill == KEPT_HOURS * 3600.0


async def test_how_much_is_left_is_known_to_every_process() -> None:
    world, _ = await started(60)
    await world.store.commit(Change(wake=("chore:pools",)))
    await world.work()
    assert days_left(*await world.store.find_many(LEFT)) == DaysLeft(35, 1)
    await world.passes(40 * TURN_SECONDS, step=TURN_SECONDS)
    await world.passes(600, step=60)
    assert days_left(*await world.store.find_many(LEFT)) is None
