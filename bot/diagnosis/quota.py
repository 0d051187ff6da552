"""A quota of the cloud account is used up: volumes, addresses, instances (docs/design/diagnosis.md#quota)."""

from bot.core.finding import Scaling
from bot.diagnosis.refusals import refusal_rule

RULE = refusal_rule("quota", Scaling.NO, remedy="raise_quota")
