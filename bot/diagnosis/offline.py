"""Hosts or their agents are gone: registered, but offline (causes.md O1, O2)."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count

LEAST_SHARE = 0.15


def find(facts: Facts) -> Finding | None:
    """More runners are offline than is usual, and they are a part of the pool that counts."""
    now = facts.now
    if not now.offline or now.online is None:
        return None
    usual = facts.usual("offline")
    more = now.offline - (usual or 0)
    total = now.online + now.offline
    share = now.offline / total
    if more < 1 or share < LEAST_SHARE:
        return None
    seen = [f"{now.offline} of {count(total, 'runner')} offline ({share:.0%})"]
    if usual is not None and usual != now.offline:
        seen.append(f"usually {usual:.0f}")
    if now.idle:
        return None
    sure = min(0.95, 0.55 + share)
    advice = "Bring the hosts back: restart the agents, or replace the machines; new ones do not repair these."
    missing = () if usual is not None else ("how many are usually offline",)
    return Finding(Cause.OFFLINE, sure, tuple(seen), Scaling.NO, advice, missing=missing)


RULE = Rule(Cause.OFFLINE, find, needs=("offline",))
