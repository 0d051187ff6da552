"""What is said about the limit that a scale request meets."""

import pytest

from bot.core.scaling.limits import LimitHit, LimitReason
from bot.views.words.scaling import limit_words

GROUP = "MaxSize of Auto Scaling group ci"


@pytest.mark.parametrize(
    ("hit", "words"),
    [
        (LimitHit(LimitReason.SIZE_UNKNOWN), "The target cannot be set: the pool's current size is unknown."),
        (LimitHit(LimitReason.NOT_ABOVE, 10, 10, least=11, most=20), "The pool already has that size: the target 10 "
         "is not above the current 10 runners. You can ask for 11 to 20."),
        (LimitHit(LimitReason.NOT_ABOVE, -5, 1, least=2, most=11),
         "The target -5 is not above the current 1 runner. You can ask for 2 to 11."),
        (LimitHit(LimitReason.NOT_ABOVE, 24, 41, least=42, most=40, full=True),
         "The target 24 is not above the current 41 runners. It cannot be raised further."),
        (LimitHit(LimitReason.COOLDOWN, 12, 10, wait_seconds=600.0),
         "The pool was just scaled. You can scale it again in 10 min."),
        (LimitHit(LimitReason.ABOVE_MAXIMUM, 41, 39, 40, least=40, most=40),
         "The target 41 is above the pool's maximum of 40 runners. The pool has 39 runners. Only 40 is possible."),
        (LimitHit(LimitReason.ABOVE_MAXIMUM, 24, 10, 20, least=11, most=20, limited_by=GROUP),
         f"The target 24 is above the pool's maximum: it is limited to 20 runners by {GROUP}. "
         "The pool has 10 runners. You can ask for 11 to 20."),
        (LimitHit(LimitReason.ABOVE_STEP, 23, 10, 20, step=10, least=11, most=20),
         "At most 10 more at once. The pool has 10 runners. You can ask for 11 to 20."),
        (LimitHit(LimitReason.BELOW_MINIMUM, 3, 0, 5, least=5, most=10),
         "This pool's autoscaler takes no target below 5 runners. You can ask for 5 to 10."),
        (LimitHit(LimitReason.BELOW_MINIMUM, 3, 0, 5, least=5, most=2),
         "This pool's autoscaler takes no target below 5 runners. No allowed step leads to a valid target."),
        (LimitHit(LimitReason.TOO_EXPENSIVE, limit=20, extra=11, cost_per_hour=5.5, max_cost_per_hour=5.0),
         "11 extra runners would cost $5.50 an hour. The maximum is $5.00 (`max_cost_per_hour`), "
         "which allows 20 runners."),
    ],
)  # fmt: skip
def test_the_limit_is_said_with_what_is_possible(hit: LimitHit, words: str) -> None:
    """The reason first, then what can be asked for."""
    assert limit_words(hit, "$") == words
