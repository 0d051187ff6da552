"""A real surge: more jobs than usual came, from many sources, and they are what waits."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement
from bot.diagnosis.too_few import taken

MORE = 1.3
PROVEN, BURST = 1.8, 2.5
"""So many times the usual arrivals are a surge even if the pool is at its limit: for long, and at once."""
AT_LIMIT = 0.55
"""Confidence without such proof: the counters of the limit come first."""


def find(facts: Facts) -> Found | None:
    """More jobs than usual arrived since the trouble began, and without them the queue would be much shorter.

    A surge keeps all runners busy: in a pool that has shrunk, runners are missing.
    """
    now, usual = facts.now, facts.usual
    if usual.high is None or usual.arrivals is None or now.idle or not now.busy or facts.shrunk:
        return None
    known = [(s.at, s.arrivals_per_minute) for s in facts.series if s.arrivals_per_minute is not None]
    rates = [per_minute for at, per_minute in known if at >= usual.since]
    rate = sum(rates) / len(rates) if rates else now.arrivals_per_minute or 0.0
    most = max(rates, default=rate)
    share = facts.share(Factor.ARRIVALS)
    if share < 0.15 or (rate < MORE * usual.high + 0.1 and most < BURST * usual.high + 0.5):
        return None
    begin = next((at for at, _ in known if at >= usual.since), now.at)
    seen = [statement("arrived", per_minute=rate, usual=usual.arrivals, seconds=now.at - begin)]
    if most > 1.5 * rate:
        seen.append(statement("burst", per_minute=most))
    room = None if now.limit is None or now.online is None or now.booting is None else now.limit - taken(now)
    if room is not None and room > 0:
        seen.append(statement("all_busy", runners=now.busy, room=room))
    sure = 0.4 + 0.4 * share + 0.15 * (usual.weeks > 0)
    full = now.limit is not None and (now.online or 0) + (now.booting or 0) >= 0.93 * now.limit
    far_above = bool(usual.weeks or usual.most) and rate > PROVEN * usual.high
    over = now.arrivals_per_minute is not None and now.arrivals_per_minute <= usual.high
    proven = share > 0.8 and (far_above or (over and most > BURST * usual.high))  # the limit copes with the usual
    return Found(min(sure, AT_LIMIT) if full and not proven else sure, tuple(seen))


RULE = Rule(
    "surge",
    find,
    Scaling.HELPS,
    remedy="add_runners",
    needs=("busy", "idle"),
    rivals=("create_failures", "booting", "completions_per_minute"),
)
