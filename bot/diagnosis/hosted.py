"""A hosted label: the CI provider's own machines, which no scaler of ours reaches (causes.md G4, G7)."""

import re

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count

HOSTED = re.compile(r"(ubuntu|windows|macos)-(latest|\d+(\.\d+)?)(-(arm|intel|large|xlarge|slim))?")
"""The provider's own labels (docs.github.com, "GitHub-hosted runners")."""


def find(facts: Facts) -> Finding | None:
    """The label is one of the provider's; a flat number of running jobs points at its cap."""
    if not HOSTED.fullmatch(facts.pool):
        return None
    seen = [f"{facts.pool} is a label of the CI provider's own machines"]
    busy = [s.busy for s in facts.recent(30) if s.busy is not None]
    if len(busy) >= 5 and min(busy) == max(busy) > 0:
        seen.append(f"exactly {count(busy[-1], 'job')} run, for half an hour: that looks like the account's cap")
    advice = "Look at the provider's status page and at the account's concurrency cap; move urgent jobs to own runners."
    return Finding(Cause.HOSTED, 0.9, tuple(seen), Scaling.NO, advice)


RULE = Rule(Cause.HOSTED, find)
