"""Hosts or agents are offline (docs/design/diagnosis.md#offline-hosts)."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count

LEAST_SHARE = 0.15
"""Smallest missing share of the usual runners; rows that are always offline count in neither."""
MOST_OF_IT = 0.5
"""So large a share of a pool is reported for any length of time."""
WHOLE = (0.9, 1.1)
"""Online plus offline runners as a share of the limit: then they are the whole pool, not leftover rows."""


def find(facts: Facts) -> Finding | None:
    """More runners are offline than usual, or most of a pool without other runners, and the share is relevant."""
    now = facts.now
    if not now.offline or now.online is None:
        return None
    usual = facts.usual("offline")
    more = now.offline - (usual or 0)
    total = now.online + now.offline
    share = now.offline / total
    longer = more < 1 and share >= MOST_OF_IT and _whole(total, now.limit)
    missed = share if longer else more / (now.online + max(more, 1))
    if (more < 1 and not longer) or missed < LEAST_SHARE:
        return None
    seen = [f"{now.offline} of {count(total, 'runner')} offline ({share:.0%})"]
    if longer:
        seen.append("they have been for as long as is known")
    elif usual is not None:
        seen.append(f"usually {usual:.0f}")
    if now.idle:
        return None
    sure = 0.8 if longer else min(0.95, 0.55 + missed)
    advice = "Bring the hosts back: restart the agents, or replace the machines; new ones do not repair these."
    missing = () if usual is not None else ("how many are usually offline",)
    return Finding(Cause.OFFLINE, sure, tuple(seen), Scaling.NO, advice, missing=missing)


def _whole(total: int, limit: int | None) -> bool:
    low, high = WHOLE
    return bool(limit) and low <= total / (limit or 1) <= high


RULE = Rule(Cause.OFFLINE, find, needs=("offline",))
