"""Makes labelled troubles from a seed: five pools in which one known thing, or two, or nothing, goes wrong."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.playground.fleet import faults
from bot.playground.fleet.faults import FleetFault, FleetFaultKind
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import Burst, PoolSpec, Rate
from bot.playground.fleet.usual_pools import GPU, LINUX, LINUX_LARGE, MACOS, WINDOWS

MINUTE = 60.0
BEFORE_SECONDS = 5 * 3600.0
USUAL = (LINUX, LINUX_LARGE, GPU, MACOS, WINDOWS)
CODES = {
    "stockout": ("InsufficientInstanceCapacity", "ZONE_RESOURCE_POOL_EXHAUSTED", "SkuNotAvailable"),
    "quota": ("VolumeLimitExceeded", "VcpuLimitExceeded", "QuotaExceeded"),
    "permission": ("UnauthorizedOperation", "AccessDenied"),
    "image": ("InvalidAMIID.NotFound", "no image found"),
    "throttled_cloud": ("RequestLimitExceeded", "Throttling"),
    "cloud_down": ("InternalError", "ServiceUnavailable"),
    "refused": ("Client.WeirdThing",),
}


@dataclass(frozen=True)
class Trouble:
    """A labelled story: what is really at work, and where it can be seen; no cause means that all is well."""

    name: str
    seed: int
    causes: tuple[str, ...]
    pool: str
    pools: tuple[PoolSpec, ...]
    faults: tuple[FleetFault, ...] = ()
    hidden: frozenset[str] = frozenset()

    def fleet(self) -> SimulatedFleet:
        """The fleet, five simulated hours before."""
        return SimulatedFleet(self.pools, self.faults, self.seed, -BEFORE_SECONDS)


Made = tuple[PoolSpec, tuple[FleetFault, ...]]


def _work(spec: PoolSpec) -> float:
    """Runners that are busy on an ordinary day."""
    return spec.arrivals_per_minute * sum(s.share * s.median_minutes for s in spec.sources)


def _pressed(spec: PoolSpec, dice: random.Random) -> PoolSpec:
    """More work than the pool has runners for: some trouble only shows when the pool must grow."""
    least = max(2, round(_work(spec) * 0.8))
    more = Rate(0.0, spec.arrivals_per_minute * dice.uniform(2.0, 3.0))
    return replace(spec, rates=(more,), spare=1, minimum=least, ceiling=max(spec.ceiling, spec.limit))


def _refused(cause: str) -> Callable[[PoolSpec, random.Random], Made]:
    def made(spec: PoolSpec, dice: random.Random) -> Made:
        share = dice.uniform(0.9, 0.98) if cause == "throttled_cloud" else 1.0
        roomy = replace(spec, ephemeral=dice.random() < 0.5, limit=round(_work(spec) * 3) + 10, spare=1)
        fault = FleetFault(
            FleetFaultKind.CREATES_REFUSED, -20 * MINUTE, pool=spec.name, amount=share, code=dice.choice(CODES[cause])
        )
        return _pressed(roomy, dice), (fault,)

    return made


def _provider(spec: PoolSpec, dice: random.Random) -> Made:
    return spec, (faults.provider_outage(0.0),)


def _offline(spec: PoolSpec, dice: random.Random) -> Made:
    own = replace(
        spec, limit=max(6, round(_work(spec) * 1.4)), minimum=max(6, round(_work(spec) * 1.4)), ephemeral=False
    )
    return own, (faults.hosts_offline(spec.name, round(own.limit * dice.uniform(0.5, 0.9)), 0.0),)


def _hung(spec: PoolSpec, dice: random.Random) -> Made:
    busier = replace(spec, limit=max(6, round(_work(spec) * dice.uniform(1.3, 1.6))))
    workflow = max(spec.sources, key=lambda s: s.share).workflow if dice.random() < 0.5 else ""
    return busier, (faults.jobs_hung(spec.name, dice.uniform(3, 6), 0.0, workflow=workflow),)


def _unregistered(spec: PoolSpec, dice: random.Random) -> Made:
    own = replace(spec, ephemeral=dice.random() < 0.6, limit=round(_work(spec) * 2.5) + 10)
    return _pressed(own, dice), (faults.never_registers(spec.name, 0.0),)


def _lost(spec: PoolSpec, dice: random.Random) -> Made:
    roomy = replace(spec, limit=round(_work(spec) * 3) + 10, ephemeral=False)
    return replace(_pressed(roomy, dice), spare=0), (faults.events_lost(spec.name, 1.0, 0.0),)


def _label(spec: PoolSpec, dice: random.Random) -> Made:
    return spec, (faults.label_gone(spec.name, 0.0),)


def _limit(spec: PoolSpec, dice: random.Random) -> Made:
    if dice.random() < 0.5:
        lower = max(1, round(_work(spec) * dice.uniform(0.4, 0.7)))
        return replace(spec, minimum=1), (faults.limit_lowered(spec.name, lower, 0.0),)
    tight = replace(spec, limit=max(2, round(_work(spec) * 1.15)), minimum=2, spare=2)
    return replace(tight, rates=(Rate(0.0, spec.arrivals_per_minute * dice.uniform(1.8, 2.5)),)), ()


def _flood(spec: PoolSpec, dice: random.Random) -> Made:
    workflow = dice.choice(["autorevert", "retry-bot", spec.sources[-1].workflow])
    rate = max(1.0, spec.arrivals_per_minute * dice.uniform(2, 4))
    slow = replace(spec, creates_per_minute=max(1.5, 1.3 * spec.arrivals_per_minute))
    return slow, (faults.flood(spec.name, rate, workflow, 0.0),)


def _surge(spec: PoolSpec, dice: random.Random) -> Made:
    spec = replace(spec, minimum=2, ephemeral=False)
    slow = replace(spec, limit=round(_work(spec) * 6) + 40, creates_per_minute=dice.uniform(0.2, 0.5), spare=2)
    slow = replace(slow, ceiling=slow.limit)
    rate = Rate(0.0, spec.arrivals_per_minute * dice.uniform(2.0, 3.0))
    return replace(slow, bursts=(Burst(0.0, round(_work(spec) * dice.uniform(1.5, 4)) + 20),), rates=(rate,)), ()


def _well(spec: PoolSpec, dice: random.Random) -> Made:
    return spec, ()


MAKERS: dict[str | None, Callable[[PoolSpec, random.Random], Made]] = {
    **{cause: _refused(cause) for cause in CODES},
    "provider": _provider,
    "offline": _offline,
    "hung": _hung,
    "unregistered": _unregistered,
    "lost_events": _lost,
    "unknown_label": _label,
    "limit": _limit,
    "flood": _flood,
    "surge": _surge,
    None: _well,
}
MIXED: tuple[tuple[str, str], ...] = (
    ("stockout", "hung"),
    ("offline", "flood"),
    ("limit", "hung"),
    ("unregistered", "flood"),
)


def trouble(cause: str | None, seed: int) -> Trouble:
    """One thing goes wrong in one pool, or nothing does."""
    dice = random.Random(f"trouble/{cause}/{seed}")
    spec = dice.choice(USUAL)
    spec = replace(spec, arrivals_per_minute=spec.arrivals_per_minute * dice.uniform(0.8, 1.4))
    own, troubles = MAKERS[cause](spec, dice)
    pools = tuple(own if usual.name == own.name else usual for usual in USUAL)
    return Trouble(cause or "healthy", seed, (cause,) if cause else (), own.name, pools, troubles)


def mixed(pair: tuple[str, str], seed: int) -> Trouble:
    """Two things go wrong in the same pool."""
    dice = random.Random(f"mixed/{pair}/{seed}")
    spec = dice.choice(USUAL)
    once, first = MAKERS[pair[0]](spec, dice)
    _, second = MAKERS[pair[1]](spec, dice)
    pools = tuple(once if usual.name == once.name else usual for usual in USUAL)
    name = " + ".join(pair)
    return Trouble(name, seed, pair, once.name, pools, (*first, *second))
