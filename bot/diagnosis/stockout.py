"""The cloud has no capacity of this machine type (docs/design/diagnosis.md#no-capacity)."""

from bot.core.finding import Scaling
from bot.diagnosis.refusals import refusal_rule

RULE = refusal_rule("stockout", Scaling.NO, remedy="wait_or_change_type")
