"""A hosted label: the CI provider's own machines, which no autoscaler of ours controls.

See docs/design/diagnosis.md#hosted-runners.
"""

import re

from bot.core.finding import NOT_FOR_THESE, Facts, Found, Rule, Scaling
from bot.core.statement import statement

HOSTED = re.compile(r"(ubuntu|windows|macos)-(latest|slim|\d+(\.\d+)?)(-(arm|intel|large|xlarge))?")
"""The provider's own labels (docs.github.com, "GitHub-hosted runners")."""
FLAT_SECONDS = 1200.0
"""By chance, a number of running jobs stays the same for minutes, but not for this long."""


def find(facts: Facts) -> Found | None:
    """The label belongs to the provider; a constant number of running jobs suggests its quota."""
    if not HOSTED.fullmatch(facts.pool):
        return None
    seen = [statement("provider_label", pool=facts.pool)]
    looks = [(s.at, s.busy) for s in facts.recent(30) if s.busy is not None]
    busy = [number for _, number in looks]
    seconds = looks[-1][0] - looks[0][0] if looks else 0.0
    if len(busy) >= 5 and min(busy) == max(busy) > 0 and seconds >= FLAT_SECONDS:
        seen.append(statement("running_flat", jobs=busy[-1], seconds=seconds))
    return Found(0.9, tuple(seen))


RULE = Rule("hosted", find, Scaling.NO, remedy="check_account_cap", in_vain=NOT_FOR_THESE)
