"""The cloud throttles its API (docs/design/diagnosis.md#error-codes)."""

from bot.core.finding import Scaling
from bot.diagnosis.refusals import refusal_rule

RULE = refusal_rule("throttled_cloud", Scaling.HARMFUL, remedy="call_less")
