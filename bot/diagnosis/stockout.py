"""The cloud has no capacity of this machine type (docs/design/diagnosis.md#no-capacity)."""

from bot.core.finding import Cause, Rule, Scaling
from bot.diagnosis.refusals import refused

ADVICE = "Wait, or let a person choose another machine type, zone or region; resend the requests that were refused."
RULE = Rule(Cause.STOCKOUT, refused(Cause.STOCKOUT, Scaling.NO, ADVICE), needs=("create_failures",))
