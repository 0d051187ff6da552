"""Verifies a scale-up: requested runners against registered and busy ones, and the queue."""

from dataclasses import dataclass

from bot.core.incident.details.scaling import RunnersCame, RunnersChecked
from bot.core.pool.pool import Snapshot
from bot.core.scaling.lease import Lease

BOOTS = 2
"""Boot times after which missing runners are reported."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A pool's data after its scaler accepted a target; times in epoch seconds."""

    pool: str
    accepted_at: float
    boot_seconds: float
    now: float
    sample: Snapshot | None = None
    delivered: int | None = None
    """The scaler's own count of runners, if it differs from the configured size."""
    trouble: str = ""
    """Why the configured runners do not come, in the scaler's words."""


def deadline_seconds(boot_seconds: float) -> float:
    """How long runners may take before the thread reports."""
    return BOOTS * boot_seconds


def verdict(lease: Lease, seen: Evidence) -> RunnersChecked | None:
    """The outcome of a lease; None while it is too early."""
    sample = seen.sample if seen.sample is not None and seen.sample.at > seen.accepted_at else None
    taken = seen.now - seen.accepted_at
    early = taken < deadline_seconds(seen.boot_seconds)
    if sample is None or sample.online is None:
        return None if early else RunnersChecked(RunnersCame.UNSEEN, seen.pool, lease.target, taken)
    online, wanted = sample.online, lease.target - lease.before
    more = online - (lease.before if lease.online is None else lease.online)
    if more >= wanted or online >= lease.target:
        came = RunnersCame.VERIFIED
    elif early:
        return None
    else:
        came = RunnersCame.NO_EFFECT if more <= 0 else RunnersCame.PARTLY
    return RunnersChecked(
        came,
        seen.pool,
        lease.target,
        taken,
        wanted,
        more,
        online,
        sample.busy,
        sample.queued,
        lease.queued,
        sample.create_failures,
        sample.limit,
        sample.booting,
        sample.offline,
        seen.delivered,
        seen.trouble,
    )
