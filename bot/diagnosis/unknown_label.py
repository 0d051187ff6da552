"""A label that no runner carries: misspelt, or no longer in the configuration (causes.md T1)."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count

ADVICE = "Correct the label in the workflow or restore the pool, then rerun the whole workflow."


def find(facts: Facts) -> Finding | None:
    """The alert names a label that nobody knows, or the pool may have no runner and has none."""
    if facts.pool in facts.around.unknown_labels:
        seen = f"the alert names {facts.pool}, which is not among the configured pools"
        return Finding(Cause.UNKNOWN_LABEL, 0.7, (seen,), Scaling.NO, ADVICE)
    now = facts.now
    if not facts.waits or now.idle or now.booting or now.online is None or now.offline:
        return None
    nobody = now.online == 0
    if now.limit == 0:
        seen = f"the pool may have 0 runners, {count(now.online, 'is', 'are')} online, and none is booting"
        return Finding(Cause.UNKNOWN_LABEL, 0.95 if nobody else 0.8, (seen,), Scaling.NO, ADVICE)
    quiet = now.creates == 0 and not now.create_failures
    if not nobody or not quiet:
        return None
    seen = f"0 runners online, 0 created and 0 refused in 15 min, while {count(now.queued, 'job')} wait"
    return Finding(Cause.UNKNOWN_LABEL, 0.7, (seen,), Scaling.NO, ADVICE)


RULE = Rule(Cause.UNKNOWN_LABEL, find, always=True)
