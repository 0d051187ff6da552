"""A real surge: more jobs than usual came, from many sources, and they are what waits."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement
from bot.diagnosis.too_few import taken

MORE = 1.3
PROVEN, BURST = 1.8, 2.5
"""So many times the usual arrivals are a surge even if the pool is at its limit: for long, and at once."""
FAR_BELOW, UNTOLD = 0.75, 0.35
"""Share of the limit that machines take, below which more may come; confidence where none may."""
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
    at_most = UNTOLD if _stands_still(facts) else AT_LIMIT if full and not proven else 1.0
    return Found(min(sure, at_most), tuple(seen))


def _stands_still(facts: Facts) -> bool:
    """Whether the pool has not grown for two boot times, far below its limit, and no launch is known."""
    now = facts.now
    if now.limit is None or now.creates or now.booting:
        return False
    sizes = [taken(s) for s in facts.recent(max(15.0, facts.rules.boot_time_seconds / 30)) if s.online is not None]
    return bool(sizes) and sizes[-1] < FAR_BELOW * now.limit and sizes[-1] <= 1.1 * sizes[0]


RULE = Rule(
    "surge",
    find,
    Scaling.HELPS,
    remedy="add_runners",
    needs=("busy", "idle"),
    rivals=("create_failures", "booting", "completions_per_minute"),
)
