"""A quota of the cloud account is used up: volumes, addresses, instances (docs/design/diagnosis.md#quota)."""

from bot.core.finding import Cause, Rule, Scaling
from bot.diagnosis.refusals import refused

ADVICE = "Ask for a higher quota or free what is not used; scaling down elsewhere helps, scaling up does not."
RULE = Rule(Cause.QUOTA, refused(Cause.QUOTA, Scaling.NO, ADVICE), needs=("create_failures",))
