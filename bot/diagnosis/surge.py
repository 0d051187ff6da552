"""A real surge: more jobs than usual from many sources, and all runners are working."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count

MORE = 1.4


def find(facts: Facts) -> Finding | None:
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
    seen = [f"{rate:.1f} jobs arrive a minute, usually {usual:.1f}"]
    if burst and most > 1.5 * rate:
        ago = max(1, round((now.at - at) * facts.speed / 60))
        seen.append(f"{most:.1f} a minute were seen {ago} min ago")
    sure = min(0.75, 0.5 + 0.1 * (max(rate, most) / max(usual, 0.1) - 1))
    taken = (now.online or 0) + (now.booting or 0) + (now.offline or 0) + (now.failed or 0)
    room = None if now.limit is None or now.online is None or now.booting is None else now.limit - taken
    if room is not None and room > 0:
        seen.append(f"all {count(now.busy, 'online runner')} busy, {room} more allowed")
        sure += 0.1
    advice = "Add runners where the forecast is longer than they take to boot; cancel superseded runs."
    return Finding(Cause.SURGE, min(sure, 0.85), tuple(seen), Scaling.HELPS, advice)


RULE = Rule(Cause.SURGE, find, needs=("busy", "idle", "arrivals_per_minute"))
