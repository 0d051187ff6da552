"""The cloud itself fails launch requests (docs/design/diagnosis.md#cloud-outage)."""

from bot.core.finding import Scaling
from bot.diagnosis.refusals import refusal_rule

RULE = refusal_rule("cloud_down", Scaling.NO, remedy="wait_for_cloud")
