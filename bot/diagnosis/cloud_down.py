"""The cloud itself fails launch requests (docs/design/diagnosis.md#cloud-outage)."""

from bot.core.finding import Cause, Rule, Scaling
from bot.diagnosis.refusals import refused

ADVICE = "Look at the cloud's status page and wait; expect a catch-up of requests afterwards."
RULE = Rule(Cause.CLOUD_DOWN, refused(Cause.CLOUD_DOWN, Scaling.NO, ADVICE), needs=("create_failures",))
