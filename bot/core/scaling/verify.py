"""Did it come? Runners that were asked for, against those that registered, work, and shorten the queue."""

from dataclasses import dataclass

from bot.core.incident.details.scaling import RunnersCame, RunnersChecked
from bot.core.pool.pool import Snapshot
from bot.core.scaling.lease import Lease

BOOTS = 2
"""Boot times after which what has not come is called out."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a pool after its scaler accepted a target; times in epoch seconds."""

    pool: str
    accepted_at: float
    boot_seconds: float
    now: float
    sample: Snapshot | None = None
    delivered: int | None = None
    """What the scaler itself counts, where it tells that apart from what is set."""
    trouble: str = ""
    """Why what is set does not come, in the scaler's own words."""


def deadline_seconds(boot_seconds: float) -> float:
    """How long runners may take before the thread is told what came."""
    return BOOTS * boot_seconds


def verdict(share: Lease, seen: Evidence) -> RunnersChecked | None:
    """What came of a share; None while it is too early to say."""
    sample = seen.sample if seen.sample is not None and seen.sample.at > seen.accepted_at else None
    taken = seen.now - seen.accepted_at
    early = taken < deadline_seconds(seen.boot_seconds)
    if sample is None or sample.online is None:
        return None if early else RunnersChecked(RunnersCame.UNSEEN, seen.pool, share.target, taken)
    online, wanted = sample.online, share.target - share.before
    more = online - (share.before if share.online is None else share.online)
    if more >= wanted or online >= share.target:
        came = RunnersCame.VERIFIED
    elif early:
        return None
    else:
        came = RunnersCame.NO_EFFECT if more <= 0 else RunnersCame.PARTLY
    return RunnersChecked(
        came,
        seen.pool,
        share.target,
        taken,
        wanted,
        more,
        online,
        sample.busy,
        sample.queued,
        share.queued,
        sample.create_failures,
        sample.limit,
        sample.booting,
        sample.offline,
        seen.delivered,
        seen.trouble,
    )
