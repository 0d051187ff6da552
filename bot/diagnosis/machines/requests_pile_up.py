"""The autoscaler's own requests wait, or are given up, while machines do not come.

github-aws-runners hides refused launches from 7.0 on: its function succeeds, and the request waits for another try
(docs/integrations/cloudwatch.md#traps).
"""

from bot.core.finding import HIGH, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.room import has_room
from bot.core.statement import statement

MINUTES, LEAST_SAMPLES = 10.0, 3
"""Origin: a request is gone once its machine is asked for; what is there in each of these samples is not served."""
WINDOW_MINUTES = 15.0
"""Origin: the window over which `creates` are counted (docs/reference/metrics.md)."""


def find(facts: Facts) -> Found | None:
    """Requests are old, or there all the time, or more are given up than before; and fewer machines came."""
    now, waiting, lost = facts.now, facts.now.requests or 0, _given_up(facts)
    full = now.limit is not None and not has_room(facts, now)
    if now.idle or full or now.create_failures_by_code or not (lost or (waiting and _stay(facts))):
        return None
    started = round(WINDOW_MINUTES * (now.starts_per_minute or 0.0))
    if max(now.creates or 0, now.booting or 0, started) >= max(waiting, lost):
        return None
    given_up = [statement("requests_given_up", requests=now.dead_requests)] if now.dead_requests else []
    wait = [statement("requests_wait", requests=waiting, seconds=now.oldest_request_seconds)] if waiting else []
    missing = tuple(name for name in ("creates", "limit") if getattr(now, name) is None)
    return Found(HIGH if now.creates == 0 and now.limit else MEDIUM, (*wait, *given_up), missing)


def _stay(facts: Facts) -> bool:
    """Whether requests wait longer than a job normally does, or in every sample of the last minutes."""
    samples = [s.requests for s in facts.recent(MINUTES) if s.requests is not None]
    always = len(samples) >= LEAST_SAMPLES and all(samples)
    return always or (facts.now.oldest_request_seconds or 0.0) > facts.normal_wait


def _given_up(facts: Facts) -> int:
    """How many requests were given up since the first sample; those of an earlier trouble may lie there for days."""
    counts = [s.dead_requests for s in facts.series if s.dead_requests is not None]
    return counts[-1] - min(counts) if counts and facts.now.dead_requests is not None else 0


RULES = (Rule("requests_pile_up", find, Scaling.NO, remedy="read_launch_log", one_of=("requests", "dead_requests")),)
