"""The autoscaler misses events of jobs, or gets them late, so it creates nothing.

See docs/design/diagnosis.md#lost-events.
"""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count, duration

ADVICE = "Resend the requests for the jobs that really wait, or raise the minimum; then look for the lost events."


def find(facts: Facts) -> Finding | None:
    """Room below the limit, no idle runners, waiting jobs, and hardly a launch request for two boot times."""
    now = facts.now
    if now.idle or now.online is None or now.create_failures or not now.queued:
        return None
    dead = (now.offline or 0) + (now.failed or 0)
    room = None if now.limit is None else now.limit - now.online - (now.booting or 0) - dead
    if room is not None and room < max(1, 0.05 * (now.limit or 0)):
        return None
    minutes = max(10.0, 2 * facts.rules.boot_time_seconds / 60)
    looks = [s for s in facts.recent(minutes) if s.booting is not None]
    asked = sum((s.booting or 0) > 0 for s in looks)
    if len(looks) < 3 or asked > 0.2 * len(looks):
        return None
    if any((s.queued or 0) <= (s.idle or 0) for s in looks):
        return None
    wait = duration(now.oldest_wait_seconds)
    seen = [f"{count(now.queued, 'job')} wait, the oldest for {wait}, and no runner is booting"]
    if room is not None:
        seen.append(f"{count(room, 'more runner')} would be allowed")
    if now.creates is not None:
        refused = "refusals unknown" if now.create_failures is None else "0 refused"
        seen.append(f"{count(now.creates, 'machine')} created and {refused} in 15 min")
    before = sum((s.create_failures or 0) > 0 for s in facts.before(minutes))
    if before:
        seen.append("creates were refused before, and then no longer asked for")
    sure = 0.85 if now.creates == 0 else 0.7 if now.creates is not None else 0.5
    sure -= 0.1 if now.create_failures is None else 0.0
    sure = min(sure, 0.45) if room is None else sure
    missing = tuple(name for name in ("limit", "creates", "create_failures") if getattr(now, name) is None)
    return Finding(Cause.LOST_EVENTS, sure, tuple(seen), Scaling.HELPS, ADVICE, missing=missing)


RULE = Rule(Cause.LOST_EVENTS, find, needs=("idle", "booting"))
