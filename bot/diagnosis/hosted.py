"""A hosted label: the CI provider's own machines, which no autoscaler of ours controls.

See docs/design/diagnosis.md#hosted-runners.
"""

import re

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count, duration

HOSTED = re.compile(r"(ubuntu|windows|macos)-(latest|slim|\d+(\.\d+)?)(-(arm|intel|large|xlarge))?")
"""The provider's own labels (docs.github.com, "GitHub-hosted runners")."""
FLAT_SECONDS = 1200.0
"""By chance, a number of running jobs stays the same for minutes, but not for this long."""


def find(facts: Facts) -> Finding | None:
    """The label belongs to the provider; a constant number of running jobs suggests its quota."""
    if not HOSTED.fullmatch(facts.pool):
        return None
    seen = [f"{facts.pool} is a label of the CI provider's own machines"]
    looks = [(s.at, s.busy) for s in facts.recent(30) if s.busy is not None]
    busy = [number for _, number in looks]
    if len(busy) >= 5 and min(busy) == max(busy) > 0:
        seconds = (looks[-1][0] - looks[0][0]) * facts.speed
        if seconds >= FLAT_SECONDS:
            still = f"exactly {count(busy[-1], 'job')} run, unchanged for {duration(seconds)}"
            seen.append(f"{still}: that looks like the account's cap")
    advice = "Look at the provider's status page and at the account's concurrency cap; move urgent jobs to own runners."
    return Finding(Cause.HOSTED, 0.9, tuple(seen), Scaling.NO, advice)


RULE = Rule(Cause.HOSTED, find)
