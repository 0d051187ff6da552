"""No runner at all, and no limit is known: the label, the image or the autoscaler is wrong."""

from bot.core.finding import LOW, Facts, Found, Rule, Scaling
from bot.core.statement import statement

TELLING = ("creates", "create_failures", "registered")
"""Machines created: the image. Refused: the cloud. Neither: the label or the autoscaler."""


def find(facts: Facts) -> Found | None:
    """Nothing is online and nothing boots, while jobs wait."""
    now = facts.now
    if now.busy or now.idle or now.booting or now.offline or now.limit is not None:
        return None
    if now.creates or now.create_failures:
        return None
    unknown = tuple(name for name in TELLING if getattr(now, name) is None)
    return Found(LOW, (statement("no_runner_now", queued=now.queued),), unknown)


RULES = (Rule("no_runner", find, Scaling.UNKNOWN, remedy="check_autoscaler", needs=("busy",)),)
