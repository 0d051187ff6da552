"""The cloud refuses because a permission is missing (docs/design/diagnosis.md#permission)."""

from bot.core.finding import Cause, Rule, Scaling
from bot.diagnosis.refusals import refused

ADVICE = "Look at what changed in the account's policies and in the autoscaler's role; shift traffic meanwhile."
RULE = Rule(Cause.PERMISSION, refused(Cause.PERMISSION, Scaling.NO, ADVICE), needs=("create_failures",))
