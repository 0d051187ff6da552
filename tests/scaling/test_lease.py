"""A lease is looked after: what came is told once, with Undo; quietly, with or without an incident."""

from dataclasses import replace

import pytest

from bot.core.incident.details.requests import (
    LeaseNoted,
    LeaseTerms,
    ReturnBlock,
    RunnersCame,
    RunnersChecked,
    ScaleAccepted,
)
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change, Put
from bot.core.scaling.lease import PoolLeases
from bot.ports import Failure
from tests.builders import POOL
from tests.fakes import FakeMetrics
from tests.scaling.care import CareWorld


def came(world: CareWorld) -> list[RunnersCame]:
    """What the thread was told of the runners that were asked for."""
    return [checked.came for checked in world.details(RunnersChecked)]


async def asked(**figures: int) -> CareWorld:
    """The scaler accepted 24; the pool had 10 online."""
    world = await CareWorld.opened(10)
    world.runners(10, **figures)
    await world.scaled()
    return world


async def test_accepted_is_not_done() -> None:
    world = await asked()
    (details,) = world.details(ScaleAccepted)
    assert (details.pool, details.before, details.target, details.pending) == (POOL, 10, 24, "")
    assert (details.checked_within_seconds, details.lease) == (360.0, LeaseTerms(7200.0, 600.0))
    assert came(world) == []


async def test_runners_that_came_are_told_at_once_and_once() -> None:
    world = await asked()
    world.runners(24, busy=22)
    await world.passes(600)
    (came,) = world.details(RunnersChecked)
    assert (came.came, came.pool, came.online, came.target, came.busy) == (RunnersCame.VERIFIED, POOL, 24, 24, 22)
    assert ("Undo", world.offering("hand_back").about) in world.buttons()
    assert "extra runners came" in str(world.parent.message.blocks)


async def test_a_scaler_that_accepts_and_delivers_nothing_is_called_out_in_time() -> None:
    world = await asked(create_failures=12, limit=20)
    world.runners(10, create_failures=12, limit=20)
    await world.passes(350)
    assert came(world) == []
    await world.passes(40)
    (details,) = world.details(RunnersChecked)
    assert (details.came, details.online, details.create_failures, details.limit) == (RunnersCame.NO_EFFECT, 10, 12, 20)
    await world.done(world.presses("hand_back"))
    assert world.scaler.current == 10


@pytest.mark.parametrize(("silent", "found"), [("scaler", RunnersCame.NO_EFFECT), ("metrics", RunnersCame.UNSEEN)])
async def test_a_back_end_that_does_not_answer_does_not_stop_the_verdict(silent: str, found: RunnersCame) -> None:
    world = await asked()
    getattr(world, silent).script.fail("*", Failure.UNKNOWN, times=None)
    await world.passes(400)
    assert came(world) == [found]


class Late(FakeMetrics):
    """Gives what the other source gave some minutes ago."""

    def __init__(self, source: FakeMetrics, late_seconds: float) -> None:
        super().__init__(source.clock)
        self.source, self.late, self.taken = source, late_seconds, list[Snapshot]()

    async def snapshot(self, pool: str) -> Snapshot:
        self.taken.append(await self.source.snapshot(pool))
        return next((one for one in reversed(self.taken) if one.at <= self.clock.now() - self.late), self.taken[0])


@pytest.mark.parametrize("late", [60.0, 240.0])
async def test_late_figures_prove_no_lack_of_effect(late: float) -> None:
    """Runners that came after 3 min are in figures of 7 min, and the thread tells when to expect them."""
    world = await CareWorld.opened(10)
    world.runners(10)
    world.context.metrics = {POOL: Late(world.metrics, late)}
    await world.passes(900)
    await world.scaled()
    assert [one.checked_within_seconds for one in world.details(ScaleAccepted)] == [360.0 + late]
    await world.passes(180)
    world.runners(24, busy=24)
    await world.passes(700)
    assert [(one.came, one.online) for one in world.details(RunnersChecked)] == [(RunnersCame.VERIFIED, 24)]


@pytest.mark.parametrize("usual_age", [0.0, 300.0, 600.0])
@pytest.mark.parametrize("after", [120.0, 600.0])
async def test_one_empty_sample_before_a_source_stopped_returns_no_runners(usual_age: float, after: float) -> None:
    """The queue must have been empty for `drained`, by what was measured."""
    world = await asked()
    world.policy(drained_seconds=after)
    world.runners(24, busy=22)
    await world.passes(70)
    held = await world.store.get(Pool, POOL)
    assert held is not None
    await world.store.commit(Change(puts=(Put(held, replace(held.value, usual_age=usual_age), world.clock.now()),)))
    world.metrics.show(POOL, Snapshot(POOL, world.clock.now(), queued=0, oldest_wait_seconds=0.0, busy=0, idle=24))
    await world.passes(1800)
    assert world.scaler.current == 24


async def test_runners_that_were_seen_before_the_request_verify_nothing() -> None:
    world = await CareWorld.opened()
    world.runners(24)
    await world.passes(30)
    await world.scaled()
    assert came(world) == []
    await world.passes(60)
    assert came(world) == [RunnersCame.VERIFIED]


async def test_a_lease_that_was_only_woken_is_forgotten() -> None:
    world = CareWorld()
    await world.store.commit(Change(wake=(f"lease:{POOL}",)))
    await world.work()
    assert world.lease == PoolLeases(POOL)
    assert world.due("lease") is None


async def test_a_pool_whose_scaler_is_gone_says_so_once() -> None:
    world = await asked()
    world.runners(24)
    await world.passes(60)
    world.context.pool_scalers = {}
    await world.passes(7500, step=300)
    assert [noted.why for noted in world.details(LeaseNoted)].count(ReturnBlock.NO_SCALER) == 1


async def test_a_crash_between_two_steps_tells_nothing_twice() -> None:
    world = await asked()
    world.runners(24)
    world.clock.advance(31)
    (lost,) = await world.claims("lease")
    await world.passes(11, step=11)
    before = len(world.replies)
    assert lost.held is not None
    await world.passes(60)
    assert len(world.replies) == before
    assert came(world) == [RunnersCame.VERIFIED]
