"""A slow surge on the simulated fleet: the warning stands before the alert fires, and the thread says so."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.core.pool.history import PoolHistory, finished
from bot.core.pool.hour_stats import Amount, HourStats
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change, Put, Stored
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import PoolSpec, Rate
from bot.playground.fleet.usual_pools import GPU, LINUX_LARGE
from tests.bench.fleet_eye import Eye
from tests.builders import NOW
from tests.world import World, spoken

HOUR = 3600.0
ALERT_AFTER_SECONDS = 1800.0


@dataclass
class Source:
    """The simulated fleet as a metrics source; simulated second 0 is the moment NOW of the clock."""

    fleet: SimulatedFleet
    eyes: dict[str, Eye]

    async def snapshot(self, pool: str) -> Snapshot:
        sample = self.eyes[pool].look()
        return replace(sample, at=NOW + sample.at)

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """What was seen before, like the demo's Prometheus; a sample a minute."""
        seen = (replace(sample, at=NOW + sample.at) for sample in self.eyes[pool].series)
        return tuple(sample for sample in seen if since <= sample.at <= until)


class Days:
    """Tailback beside a simulated fleet whose alert rule asks for half an hour of waiting."""

    def __init__(self, *specs: PoolSpec, seed: int) -> None:
        self.fleet = SimulatedFleet(specs, (), seed, -2 * HOUR)
        self.fleet.advance(0.0)
        self.source = Source(self.fleet, {spec.name: Eye(self.fleet, spec.name) for spec in specs})
        pools: dict[str, Any] = {
            spec.name: {"match": {"runner_label": spec.name}, "warn_wait": "30m", "floor": spec.drained_at}
            for spec in specs
        }
        self.world = World(early={"enabled": True}, pool=pools)
        self.world.context.metrics = {spec.name: self.source for spec in specs}
        self.fired_at: dict[str, float] = {}

    async def begin(self) -> None:
        """Tailback starts, and knows two and a half even weeks."""
        hour = int(NOW // HOUR)
        for name, pool in self.fleet.pools.items():
            jobs = Amount(60 * pool.spec.arrivals_per_minute, HOUR)
            cells = tuple(HourStats(past, 60, HOUR, jobs) for past in range(hour - 420, hour))
            past = finished(PoolHistory(name), cells)
            await self.world.store.commit(Change(puts=(Put(Stored(PoolHistory(name), 0), past, None),)))
        await self.world.store.commit(Change(wake=("chore:pools",)))
        await self.world.work()

    async def minute(self) -> None:
        """One more minute; an alert fires where the oldest job has waited for too long."""
        self.world.clock.advance(60)
        self.fleet.advance(self.world.clock.now() - NOW)
        await self.world.work()
        for name, eye in self.source.eyes.items():
            if name not in self.fired_at and (eye.series[-1].oldest_wait_seconds or 0) > ALERT_AFTER_SECONDS:
                self.fired_at[name] = self.world.clock.now()
                await self.world.fires(spoken(runner_label=name), group_key=name)
        await self.world.work()

    def pool(self, name: str) -> Pool:
        found = self.world.data.rows[f"pool:{name}"].value
        assert isinstance(found, Pool)
        return found


@pytest.mark.parametrize("seed", [2, 3])
async def test_a_slow_surge_is_warned_of_before_its_alert_fires(seed: int) -> None:
    """Arrivals rise hour by hour; one message comes first, and the thread says how long before."""
    rising = tuple(Rate(HOUR * hour, 0.8 * (1 + 0.45 * hour)) for hour in range(1, 8))
    days = Days(replace(LINUX_LARGE, rates=rising), GPU, seed=seed)
    await days.begin()
    while not days.fired_at and days.world.clock.now() < NOW + 8 * HOUR:
        await days.minute()
    for _ in range(3):
        await days.minute()
    name, early = LINUX_LARGE.name, days.pool(LINUX_LARGE.name).early
    assert early.current is not None
    assert early.current.began_at <= days.fired_at[name] - 300, "at least five minutes before"
    assert (early.hits, early.missed) == (1, 0)
    warning, incident = days.world.chat.parents()
    assert "The alert arrived at" in warning.message.text
    texts = [reply.message.text for reply in days.world.chat.thread(incident.ts)]
    assert any("An early warning for" in text for text in texts)
    assert days.pool(GPU.name).early.current is None


async def test_a_healthy_day_passes_without_a_word() -> None:
    days = Days(LINUX_LARGE, GPU, seed=5)
    await days.begin()
    for _ in range(8 * 60):
        await days.minute()
    assert days.world.chat.parents() == []
    assert {name: days.pool(name).early.missed for name in (LINUX_LARGE.name, GPU.name)} == {
        LINUX_LARGE.name: 0,
        GPU.name: 0,
    }
    assert f"past:{GPU.name}" in days.world.data.rows
