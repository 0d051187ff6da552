"""Hosts or agents are offline (docs/design/diagnosis.md#offline-hosts)."""

from bot.core.finding import NEVER, Facts, Found, Rule, Scaling
from bot.core.statement import statement

LEAST_SHARE = 0.15
"""Smallest missing share of the usual runners; rows that are always offline count in neither."""
LEAST_GONE = 0.25
"""The same where nobody counts offline runners."""
MOST_OF_IT = 0.5
"""So large a share of a pool is reported for any length of time."""
WHOLE = (0.9, 1.1)
"""Online plus offline runners as a share of the limit: then they are the whole pool, not leftover rows."""


def find(facts: Facts) -> Found | None:
    """More runners are offline than usual, or most of a pool without other runners, and the share is relevant."""
    now = facts.now
    if now.offline is None:
        return _gone(facts)
    if not now.offline or now.online is None:
        return None
    usual = facts.usual.offline
    more = now.offline - (usual or 0)
    total = now.online + now.offline
    share = now.offline / total
    whole = bool(now.limit) and WHOLE[0] <= total / (now.limit or 1) <= WHOLE[1]
    longer = more < 1 and share >= MOST_OF_IT and whole
    missed = share if longer else more / (now.online + max(more, 1))
    if (more < 1 and not longer) or missed < LEAST_SHARE or now.idle:
        return None
    seen = [statement("runners_offline", offline=now.offline, runners=total, share=share)]
    if longer:
        seen.append(statement("always_offline"))
    elif usual is not None:
        seen.append(statement("usually_offline", runners=usual))
    sure = 0.8 if longer else min(0.95, 0.55 + missed)
    return Found(sure, tuple(seen), () if usual is not None else ("usual_offline",))


def _gone(facts: Facts) -> Found | None:
    """Where nobody counts them: a pool that was always as large as its limit is smaller now, and nothing boots."""
    now = facts.now
    before = [s.online for s in facts.before(30) if s.at < facts.usual.since and s.online is not None]
    looks = facts.recent(10)
    if now.idle or not now.limit or len(before) < 10 or min(before) < WHOLE[0] * now.limit:
        return None
    if any(s.booting or s.online is None or s.online > (1 - LEAST_GONE) * now.limit for s in looks):
        return None
    seen = statement("runners_left", online=now.online, before=max(before))
    return Found(0.6, (seen,), ("offline",))


RULE = Rule(
    "offline",
    find,
    Scaling.NO,
    remedy="bring_hosts_back",
    needs=("busy", "idle"),
    one_of=("offline", "limit"),
    outranks=("surge", "limit"),
    shows="offline",
    in_vain=NEVER,
)
