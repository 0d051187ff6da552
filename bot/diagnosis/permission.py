"""The cloud refuses because a permission is missing (docs/design/diagnosis.md#permission)."""

from bot.core.finding import Scaling
from bot.diagnosis.refusals import refusal_rule

RULE = refusal_rule("permission", Scaling.NO, remedy="check_policies")
