"""The machine image that is configured cannot be found (causes.md I1)."""

from bot.core.finding import Cause, Rule, Scaling
from bot.diagnosis.refusals import refused

ADVICE = "Point the pool at an image that exists."
RULE = Rule(Cause.IMAGE, refused(Cause.IMAGE, Scaling.NO, ADVICE), needs=("create_failures",))
