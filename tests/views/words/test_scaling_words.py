"""What is said of a scale request: the limit that it meets, whether its runners came, and their return."""

from typing import Any

import pytest

from bot.core.incident.details.requests import ReturnReason, ReturnResult, RunnersCame, RunnersChecked, RunnersReturned
from bot.core.scaling.limits import LimitHit, LimitReason
from bot.views.words.scaling import checked_words, limit_words, returned_lines
from tests.builders import POOL

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


@pytest.mark.parametrize(
    ("came", "figures", "words"),
    [
        (RunnersCame.VERIFIED, {"more": 14, "online": 24, "busy": 22, "was_queued": 120, "queued": 90},
         f"14 of 14 extra runners came; 24 of 24 online in {POOL}, 22 of them busy. "
         "The queue went from 120 to 90 jobs."),
        (RunnersCame.VERIFIED, {"more": 14, "online": 24, "busy": 22, "queued": 90},
         f"14 of 14 extra runners came; 24 of 24 online in {POOL}, 22 of them busy."),
        (RunnersCame.NO_EFFECT,
         {"online": 10, "busy": 10, "create_failures": 12, "limit": 20, "booting": 3, "offline": 1},
         f"Scaling {POOL} to 24: no effect after 6 min. Only 10 runners online "
         "(12 failed runner launches in 15 min, limit 20, 3 still booting and 1 offline), all busy."),
        (RunnersCame.NO_EFFECT, {"online": 10, "busy": 10, "delivered": 10, "trouble": "InsufficientInstanceCapacity"},
         f"Scaling {POOL} to 24: no effect after 6 min. Only 10 runners online "
         "(the autoscaler counts 10 and the autoscaler reports: InsufficientInstanceCapacity), all busy."),
        (RunnersCame.PARTLY, {"more": 6, "online": 16, "busy": 16},
         f"Scaling {POOL} to 24: partly. 6 of 14 more runners online after 6 min, 16 in all, all busy."),
        (RunnersCame.UNSEEN, {},
         f"Scaling {POOL} to 24: not verified. The number of online runners is unknown after 6 min."),
    ],
)  # fmt: skip
def test_what_came_is_said_with_its_figures(came: RunnersCame, figures: dict[str, Any], words: str) -> None:
    assert checked_words(RunnersChecked(came, POOL, 24, 360.0, increase=14, **figures)) == words


@pytest.mark.parametrize(
    ("waiting", "normal", "expected"),
    [
        (3, True, "3 jobs waiting now, as many as is normal here."),
        (69, False, "69 jobs waiting now."),
        (None, False, None),
        (0, True, None),
    ],
)
def test_as_many_as_is_normal_needs_that_number(waiting: int | None, normal: bool, expected: str | None) -> None:
    """Whatever the reason of the return."""
    details = RunnersReturned(
        ReturnResult.RETURNED, POOL, 15, 10, why=ReturnReason.DRAINED, waiting=waiting, normal=normal
    )
    assert [line for line in returned_lines(details) if "waiting" in line] == ([expected] if expected else [])
