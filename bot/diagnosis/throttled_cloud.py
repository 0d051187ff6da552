"""The cloud throttles its API (docs/design/diagnosis.md#error-codes)."""

from bot.core.finding import Cause, Rule, Scaling
from bot.diagnosis.refusals import refused

ADVICE = "Call less often: every further request lengthens the throttle. It recovers when the calls stop."
RULE = Rule(Cause.THROTTLED, refused(Cause.THROTTLED, Scaling.HARMFUL, ADVICE), needs=("create_failures",))
