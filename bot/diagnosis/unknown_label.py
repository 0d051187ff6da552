"""No runner carries the label: it is misspelt or was removed (docs/design/diagnosis.md#unknown-labels)."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count

ADVICE = "Correct the label in the workflow or restore the pool, then rerun the whole workflow."


def find(facts: Facts) -> Finding | None:
    """The alert names an unknown label, or the pool may have no runner, or was never seen with one."""
    if facts.pool in facts.around.unknown_labels:
        seen = f"the alert names {facts.pool}, which is not among the configured pools"
        return Finding(Cause.UNKNOWN_LABEL, 0.7, (seen,), Scaling.NO, ADVICE)
    now = facts.now
    if not facts.waits or now.idle or now.booting or now.online is None or now.offline:
        return None
    nobody = now.online == 0
    if now.limit == 0:
        booting = "it is unknown whether one boots" if now.booting is None else "none is booting"
        seen = f"the pool may have 0 runners, {count(now.online, 'is', 'are')} online, and {booting}"
        return Finding(Cause.UNKNOWN_LABEL, 0.95 if nobody else 0.8, (seen,), Scaling.NO, ADVICE)
    quiet = now.creates == 0 and not now.create_failures
    if not quiet or any(sample.online != 0 for sample in facts.series):
        return None
    known = now.create_failures is not None
    refused = "0 refused" if known else "refusals unknown"
    seen = f"0 runners online, 0 created and {refused} in 15 min, while {count(now.queued, 'job')} wait"
    missing = () if known else ("create_failures",)
    return Finding(Cause.UNKNOWN_LABEL, 0.7 if known else 0.55, (seen,), Scaling.NO, ADVICE, missing=missing)


RULE = Rule(Cause.UNKNOWN_LABEL, find, always=True)
