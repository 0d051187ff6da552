"""The configured machine image does not exist (docs/design/diagnosis.md#missing-images)."""

from bot.core.finding import Scaling
from bot.diagnosis.refusals import refusal_rule

RULE = refusal_rule("image", Scaling.NO, remedy="point_at_image")
