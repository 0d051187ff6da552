"""Launch requests fail without an error code, or with unknown ones."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count, listed
from bot.diagnosis.refusals import family


def find(facts: Facts) -> Finding | None:
    """Failures that no other rule of this kind explains."""
    now = facts.now
    strange = [c for c in now.create_failures_by_code if family(c.name) is Cause.REFUSED]
    explained = bool(now.create_failures_by_code) and not strange
    if not now.create_failures or explained or (now.creates or 0) > 3 * now.create_failures:
        return None
    seen = [f"{count(now.create_failures, 'attempt')} to create a runner failed in the last 15 min"]
    if strange:
        seen.append(f"with the codes {listed(c.name for c in strange)}")
    sure = 0.8 if now.creates is not None and now.creates < 0.25 * now.create_failures else 0.6
    advice = "Read the autoscaler's log for the error code; more requests meet the same refusal."
    missing = () if strange else ("create_failures_by_code",)
    return Finding(Cause.REFUSED, sure, tuple(seen), Scaling.NO, advice, missing=missing)


RULE = Rule(Cause.REFUSED, find, needs=("create_failures",))
