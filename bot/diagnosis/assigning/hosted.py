"""A hosted label: the CI provider's own machines, which no autoscaler of ours controls."""

import re

from bot.core.finding import HIGH, Facts, Found, Rule, Scaling
from bot.core.statement import statement

HOSTED = re.compile(r"(ubuntu|windows|macos)-(latest|slim|\d+(\.\d+)?)(-(arm|intel|large|xlarge))?")
"""The provider's own labels (docs.github.com, "GitHub-hosted runners")."""
FLAT_SECONDS, WINDOW_MINUTES = 1200.0, 30.0
"""Origin: judgement; by chance the number of running jobs is the same for minutes only (slang#11142: 36 hours)."""


def find(facts: Facts) -> Found | None:
    """The label belongs to the provider; a constant number of running jobs suggests its quota."""
    if not HOSTED.fullmatch(facts.pool):
        return None
    seen = [statement("provider_label", pool=facts.pool)]
    samples = [(s.at, s.busy) for s in facts.recent(WINDOW_MINUTES) if s.busy is not None]
    seconds = samples[-1][0] - samples[0][0] if samples else 0.0
    if samples and seconds >= FLAT_SECONDS and len({number for _, number in samples}) == 1 and samples[-1][1]:
        seen.append(statement("running_flat", jobs=samples[-1][1], seconds=seconds))
    return Found(HIGH, tuple(seen))


RULES = (Rule("hosted", find, Scaling.NO, remedy="check_account_cap", in_vain=True),)
