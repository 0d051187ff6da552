"""No runner at all: the label, the image or the autoscaler is wrong, and one more figure would tell which."""

from bot.core.finding import MAY_NOT_COME, Facts, Found, Rule, Scaling
from bot.core.statement import statement

TELLING = ("creates", "create_failures", "registered")
"""Machines created: the image. Refused: the cloud. Neither: the label or the autoscaler."""


def find(facts: Facts) -> Found | None:
    """Nothing is online and nothing boots, while jobs wait."""
    now = facts.now
    if now.online != 0 or now.booting or not now.queued or now.offline or now.limit == 0:
        return None
    unknown = tuple(name for name in TELLING if getattr(now, name) is None)
    if now.creates or now.create_failures or now.registered or not unknown:
        return None
    return Found(0.45, (statement("no_runner_now", queued=now.queued),), unknown)


RULE = Rule(
    "no_runner",
    find,
    Scaling.UNKNOWN,
    remedy="check_autoscaler",
    needs=("busy", "idle"),
    rivals=TELLING,
    in_vain=MAY_NOT_COME,
)
