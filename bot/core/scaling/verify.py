"""Did it come? Runners that were asked for, against those that registered, work, and shorten the queue."""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.pool.pool import Snapshot
from bot.core.scaling.lease import Lease
from bot.core.words import count, how_long, listed

BOOTS = 2
"""Boot times after which what has not come is called out."""


class RunnersCame(StrEnum):
    """What became of a request for runners that the scaler accepted."""

    VERIFIED = "verified"
    PARTLY = "partly"
    NO_EFFECT = "no effect"
    UNSEEN = "unseen"
    """The number of online runners is unknown, which is not zero."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The word, and the sentence that says it with its figures."""

    came: RunnersCame
    words: str


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
    speed: float = 1.0
    """Seconds of the fleet in one second of the clock; see `how_long`."""


def deadline_seconds(boot_seconds: float) -> float:
    """How long runners may take before the thread is told what came."""
    return BOOTS * boot_seconds


def verdict(share: Lease, seen: Evidence) -> Verification | None:
    """What came of a share; None while it is too early to say."""
    sample = seen.sample if seen.sample is not None and seen.sample.at > seen.accepted_at else None
    online = sample.online if sample else None
    head, taken = f"Scaling {seen.pool} to {share.target:,}", seen.now - seen.accepted_at
    after = how_long(taken, seen.speed)
    if sample is None or online is None:
        if taken < deadline_seconds(seen.boot_seconds):
            return None
        unknown = f"how many runners are online is unknown after {after}"
        return Verification(RunnersCame.UNSEEN, f"{head}: cannot be verified; {unknown}.")
    wanted, got = share.target - share.before, online - (share.before if share.online is None else share.online)
    rest = f"{_busy(sample)}{_queue(share, sample)}"
    if got >= wanted or online >= share.target:
        more = count(max(got, 0), "more runner")
        return Verification(RunnersCame.VERIFIED, f"{head}: verified. {more} online, {online:,} in all, {rest}")
    if taken < deadline_seconds(seen.boot_seconds):
        return None
    why = _reasons(share, sample, seen)
    if got <= 0:
        only = f"the scaler accepted {share.target:,}, but only {count(online, 'runner')} online{why}"
        return Verification(RunnersCame.NO_EFFECT, f"{head}: no effect. After {after} {only}, {rest}")
    few = f"{got:,} of {count(wanted, 'more runner')} online after {after}, {online:,} in all"
    return Verification(RunnersCame.PARTLY, f"{head}: partly. {few}{why}, {rest}")


def _busy(sample: Snapshot) -> str:
    return f"{sample.busy or 0:,} of them busy."


def _queue(share: Lease, sample: Snapshot) -> str:
    if share.queued is None or sample.queued is None:
        return ""
    return f" The queue went from {share.queued:,} to {count(sample.queued, 'job')}."


def _reasons(share: Lease, sample: Snapshot, seen: Evidence) -> str:
    delivered = seen.delivered
    known = [
        count(sample.create_failures, "failed create") if sample.create_failures else "",
        f"limit {sample.limit:,}" if sample.limit is not None and sample.limit < share.target else "",
        f"{sample.booting:,} still booting" if sample.booting else "",
        f"{sample.offline:,} offline" if sample.offline else "",
        f"the scaler itself counts {delivered:,}" if delivered is not None and delivered < share.target else "",
        f"it says: {seen.trouble}" if seen.trouble else "",
    ]
    found = [one for one in known if one]
    return f" ({listed(found)})" if found else ""
