"""The pool is at its limit with real work (docs/design/diagnosis.md#the-limit)."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count

NEARLY = 0.93
"""When runners end with their job, a slot is empty for some seconds before the next runner is created."""
STILL = 0.75
"""Required share in the latest sample: if half of the runners left just now, another cause has begun."""


def find(facts: Facts) -> Finding | None:
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
    seen = [f"{now.busy} busy of {count(have, 'runner')}, limit {now.limit}, none idle"]
    usual = facts.usual("limit")
    if usual is not None and usual > now.limit:
        seen.append(f"the limit was {usual:.0f} before")
    if len(looks) > 2:
        full = sum(share >= NEARLY for share in shares)
        seen.append(f"at the limit in {full} of the last {len(looks)} looks")
    advice = "Raise the limit within what is allowed, or wait where the forecast says that it clears."
    return Finding(Cause.LIMIT, 0.8, tuple(seen), Scaling.HELPS, advice)


RULE = Rule(Cause.LIMIT, find, needs=("limit", "busy", "idle"))
