"""A real surge: more jobs than usual came, from many sources, and they are what waits."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement

MORE = 1.3
PROVEN = 1.8
"""So many times the arrivals of the same hour in past weeks are a surge even if the pool is at its limit."""
AT_LIMIT = 0.55
"""Confidence without such proof: the counters of the limit come first."""


def find(facts: Facts) -> Found | None:
    """More jobs than usual arrived since the trouble began, and without them the queue would be much shorter.

    A surge keeps all runners busy: in a pool that has shrunk, runners are missing.
    """
    now, usual = facts.now, facts.usual
    if usual.high is None or usual.arrivals is None or now.idle or not now.busy or facts.shrunk:
        return None
    rates = [s.arrivals_per_minute for s in facts.series if s.at >= usual.since and s.arrivals_per_minute is not None]
    rate = sum(rates) / len(rates) if rates else now.arrivals_per_minute or 0.0
    most = max(rates, default=rate)
    share = facts.share(Factor.ARRIVALS)
    if share < 0.15 or (rate < MORE * usual.high + 0.1 and most < 2.5 * usual.high + 0.5):
        return None
    seen = [statement("arrivals", per_minute=rate, usual=usual.arrivals)]
    if most > 1.5 * rate:
        seen.append(statement("burst", per_minute=most))
    taken = (now.online or 0) + (now.booting or 0) + (now.offline or 0) + (now.failed or 0)
    room = None if now.limit is None or now.online is None or now.booting is None else now.limit - taken
    if room is not None and room > 0:
        seen.append(statement("all_busy", runners=now.busy, room=room))
    sure = 0.4 + 0.4 * share + 0.15 * (usual.weeks > 0)
    full = now.limit is not None and (now.online or 0) + (now.booting or 0) >= 0.93 * now.limit
    proven = usual.weeks > 0 and rate > PROVEN * usual.arrivals and share > 0.8
    return Found(min(sure, AT_LIMIT) if full and not proven else sure, tuple(seen))


RULE = Rule(
    "surge",
    find,
    Scaling.HELPS,
    remedy="add_runners",
    needs=("busy", "idle"),
    rivals=("create_failures", "booting", "completions_per_minute"),
)
