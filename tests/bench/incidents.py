"""Makes queue incidents from a seed: a pool with its own character, and something that fills its queue."""

import random
from dataclasses import dataclass, replace

from bot.playground.fleet import faults
from bot.playground.fleet.faults import FleetFault
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import Burst, PoolSpec, Rate
from bot.playground.fleet.usual_pools import GPU, LINUX, LINUX_LARGE, MACOS, WINDOWS
from tests.bench.rhythm import week

MINUTE = 60.0
BEFORE_SECONDS = 5 * 3600.0
KINDS = ("burst", "rate", "burst and rate", "limit", "offline", "stockout", "hung")


@dataclass(frozen=True)
class Story:
    """One incident that is about to happen at about second 0."""

    seed: int
    kind: str
    spec: PoolSpec
    faults: tuple[FleetFault, ...]

    def fleet(self) -> SimulatedFleet:
        """The fleet, five simulated hours before."""
        return SimulatedFleet((self.spec,), self.faults, self.seed, -BEFORE_SECONDS)


def rhythmic(seed: int, kind: str | None = None) -> Story:
    """The incident of a seed in a pool whose arrivals have a week's rhythm, at some hour of that week.

    Second 0 stays the begin of the trouble: the week is turned, so that the story happens at any hour of it.
    """
    plain = story(seed, kind)
    dice = random.Random(f"rhythm/{seed}")
    hours = week(dice)
    turn = dice.randrange(len(hours))
    return replace(plain, spec=replace(plain.spec, rhythm=hours[turn:] + hours[:turn]))


def story(seed: int, kind: str | None = None) -> Story:
    """The incident of a seed; the same seed gives the same one."""
    dice = random.Random(f"incident/{seed}")
    kind = kind or KINDS[seed % len(KINDS)]
    spec = _character(dice)
    usual = spec.arrivals_per_minute
    minutes = sum(s.share * s.median_minutes for s in spec.sources)
    work = usual * minutes
    burst = Burst(dice.uniform(0, 10) * MINUTE, round(work * dice.uniform(1.5, 5)))
    again = Burst(dice.uniform(30, 120) * MINUTE, round(work * dice.uniform(0.3, 1.5)))
    bursts = (burst, again) if dice.random() < 0.25 else (burst,)
    high, later = dice.uniform(1.2, 2.2) * usual, dice.uniform(0.7, 1.3) * usual
    rates = (Rate(0.0, high), Rate(dice.uniform(30, 240) * MINUTE, later))
    troubles: tuple[FleetFault, ...] = ()
    until = dice.uniform(40, 200) * MINUTE
    if kind == "burst":
        spec = replace(spec, bursts=bursts)
    elif kind == "rate":
        spec = replace(spec, rates=rates, limit=max(spec.minimum, round(work * dice.uniform(1.05, 1.3))))
    elif kind == "burst and rate":
        spec = replace(spec, bursts=bursts, rates=rates)
    elif kind == "limit":
        spec = replace(spec, bursts=bursts, limit=max(spec.minimum, round(work * dice.uniform(1.1, 1.5))))
    elif kind == "offline":
        spec = replace(spec, bursts=bursts)
        troubles = (faults.hosts_offline(spec.name, round(spec.limit * dice.uniform(0.2, 0.5)), 0.0, until),)
    elif kind == "stockout":
        spec = replace(spec, bursts=bursts)
        troubles = (faults.stockout(spec.name, -30 * MINUTE, until),)
    else:
        troubles = (faults.jobs_hung(spec.name, dice.uniform(1.5, 3), 0.0, until),)
        spec = replace(spec, limit=max(spec.minimum, round(work * 1.3)))
    return Story(seed, kind, spec, troubles)


def _character(dice: random.Random) -> PoolSpec:
    spec = dice.choice([LINUX, LINUX_LARGE, GPU, MACOS, WINDOWS])
    longer = dice.uniform(0.6, 1.6)
    sources = tuple(
        replace(s, median_minutes=s.median_minutes * longer, spread=dice.uniform(0.2, 0.6)) for s in spec.sources
    )
    usual = spec.arrivals_per_minute * dice.uniform(0.7, 1.6)
    work = usual * sum(s.share * s.median_minutes for s in sources)
    limit = max(8, round(work * dice.uniform(1.3, 2.5)))
    return replace(
        spec,
        arrivals_per_minute=usual,
        sources=sources,
        minimum=min(limit, max(spec.minimum, round(work * 0.5))),
        limit=limit,
        ceiling=limit + 60,
        boot_seconds=dice.choice([60.0, 120.0, 180.0, 300.0, 480.0]),
        creates_per_minute=dice.uniform(1.5, 6.0),
        spare=dice.randint(0, 8),
        ephemeral=dice.random() < 0.4,
    )
