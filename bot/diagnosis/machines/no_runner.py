"""No runner at all, now or before: the label, the image or the autoscaler is wrong."""

from bot.core.finding import LOW, Facts, Found, Rule, Scaling
from bot.core.machines.room import limit_of
from bot.core.statement import statement

TELLING = ("creates", "create_failures", "registered")
"""Machines created: the image. Refused: the cloud. Neither: the label or the autoscaler."""


def find(facts: Facts) -> Found | None:
    """Nothing is online and nothing boots, while jobs wait; machines that stay away are `too_few`."""
    now = facts.now
    if now.booting or now.limit == 0 or limit_of(facts, now):
        return None
    if now.creates or now.create_failures:
        return None
    unknown = tuple(name for name in TELLING if getattr(now, name) is None)
    return Found(LOW, (statement("no_runner_now", queued=now.queued),), unknown)


RULES = (Rule("no_runner", find, Scaling.UNKNOWN, remedy="check_autoscaler", needs=("busy",)),)
