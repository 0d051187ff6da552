"""Verifies a scale-up: requested runners against registered and busy ones, and the queue."""

from bot.core.incident.details.scaling import RunnersCame, RunnersChecked
from bot.core.pool.pool import Snapshot
from bot.core.scaling.lease import Lease

BOOTS = 2
"""Boot times after which missing runners are reported."""


def verdict(lease: Lease, pool: str, sample: Snapshot | None, after: float, boot: float) -> RunnersChecked | None:
    """The outcome of a lease, `after` seconds since the scaler accepted its target; None while it is too early.

    `sample` is the pool since then, None if it was not measured; `boot` is a runner's boot time in seconds.
    """
    early = after < BOOTS * boot
    if sample is None or sample.online is None:
        return None if early else RunnersChecked(RunnersCame.UNSEEN, pool, lease.target, after)
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
        pool,
        lease.target,
        after,
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
    )
