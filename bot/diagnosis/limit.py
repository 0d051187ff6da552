"""The pool is at its limit with real work (docs/design/diagnosis.md#the-limit)."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

NEARLY = 0.93
"""When runners end with their job, a slot is empty for some seconds before the next runner is created."""
STILL = 0.75
"""Required share in the latest sample: if half of the runners left just now, another cause has begun."""


def find(facts: Facts) -> Found | None:
    """Online and booting runners have been at the limit for ten minutes, and none is idle."""
    now = facts.now
    if not now.limit or now.online is None or now.idle or now.busy == 0:
        return None
    looks = [s for s in facts.recent(10) if s.limit and s.online is not None]
    shares = [((s.online or 0) + (s.booting or 0)) / (s.limit or 1) for s in looks]
    if sum(shares) < NEARLY * len(shares):
        return None
    have = now.online + (now.booting or 0)
    if have < min(STILL * now.limit, now.limit - 2):
        return None
    seen = [statement("all_busy_at_limit", busy=now.busy, runners=have, limit=now.limit)]
    usual = facts.usual("limit")
    if usual is not None and usual > now.limit:
        seen.append(statement("limit_was", limit=usual))
    if len(looks) > 2:
        full = sum(share >= NEARLY for share in shares)
        seen.append(statement("often_at_limit", samples=full, of=len(looks)))
    return Found(0.8, tuple(seen))


RULE = Rule(
    "limit",
    find,
    Scaling.HELPS,
    remedy="raise_limit",
    needs=("limit", "busy", "idle"),
    outranks=("surge",),
    shows="limit",
)
