"""The configured machine image does not exist (docs/design/diagnosis.md#missing-images)."""

from bot.core.finding import Cause, Rule, Scaling
from bot.diagnosis.refusals import refused

ADVICE = "Point the pool at an image that exists."
RULE = Rule(Cause.IMAGE, refused(Cause.IMAGE, Scaling.NO, ADVICE), needs=("create_failures",))
