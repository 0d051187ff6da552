"""A real surge: more jobs than usual from many sources, and all runners are working."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

MORE = 1.4


def find(facts: Facts) -> Found | None:
    """Arrivals are far above usual, or were since the oldest job arrived, and every runner is busy."""
    now = facts.now
    usual = facts.usual("arrivals_per_minute", now.usual_arrivals_per_minute)
    if usual is None or now.idle or not now.busy:
        return None
    since = max(30.0, 20 + (now.oldest_wait_seconds or 0) / 60)
    rates = [(s.arrivals_per_minute, s.at) for s in facts.recent(since) if s.arrivals_per_minute is not None]
    most, at = max(rates, default=(0.0, now.at))
    rate = now.arrivals_per_minute or 0.0
    burst = most > 2.2 * usual + 0.3
    if rate < MORE * usual + 0.1 and not burst:
        return None
    seen = [statement("arrivals", per_minute=rate, usual=usual)]
    if burst and most > 1.5 * rate:
        ago = max(1, round((now.at - at) / 60))
        seen.append(statement("burst", per_minute=most, minutes_ago=ago))
    sure = min(0.75, 0.5 + 0.1 * (max(rate, most) / max(usual, 0.1) - 1))
    taken = (now.online or 0) + (now.booting or 0) + (now.offline or 0) + (now.failed or 0)
    room = None if now.limit is None or now.online is None or now.booting is None else now.limit - taken
    if room is not None and room > 0:
        seen.append(statement("all_busy", runners=now.busy, room=room))
        sure += 0.1
    return Found(min(sure, 0.85), tuple(seen))


RULE = Rule("surge", find, Scaling.HELPS, remedy="add_runners", needs=("busy", "idle", "arrivals_per_minute"))
