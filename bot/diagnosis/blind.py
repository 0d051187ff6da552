"""The metrics source is blind: it gives no figures, or only old ones. Unknown is not empty."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling


def find(facts: Facts) -> Finding | None:
    """The latest sample failed, is stale, or lacks the queue length."""
    now = facts.now
    why = facts.trouble
    if why is None and facts.series and now.queued is None:
        why = next(
            (reason for reason in now.missing if reason.startswith("queued")), "the length of the queue is unknown"
        )
    if why is None and facts.old:
        why = "the newest figures are old"
    if why is None:
        return None
    advice = "Repair the metric source first; `tailback check` says what it answers."
    return Finding(Cause.BLIND, 0.8, (f"{facts.pool}: {why}",), Scaling.UNKNOWN, advice)


RULE = Rule(Cause.BLIND, find, always=True)
