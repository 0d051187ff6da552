"""What is said of the runners that were asked for, once it is known whether they came."""

from typing import Any

import pytest

from bot.core.incident.details.requests import RunnersCame, RunnersChecked
from bot.views.words.scaling import checked_words
from tests.builders import POOL


@pytest.mark.parametrize(
    ("came", "figures", "words"),
    [
        (
            RunnersCame.VERIFIED,
            {"more": 14, "online": 24, "busy": 22, "was_queued": 120, "queued": 90},
            f"14 of 14 extra runners came; 24 of 24 online in {POOL}, 22 of them busy. "
            "The queue went from 120 to 90 jobs.",
        ),
        (
            RunnersCame.VERIFIED,
            {"more": 14, "online": 24, "busy": 22, "queued": 90},
            f"14 of 14 extra runners came; 24 of 24 online in {POOL}, 22 of them busy.",
        ),
        (
            RunnersCame.NO_EFFECT,
            {"online": 10, "busy": 10, "create_failures": 12, "limit": 20, "booting": 3, "offline": 1},
            f"Scaling {POOL} to 24: no effect after 6 min. Only 10 runners online "
            "(12 failed launch requests in 15 min, limit 20, 3 still booting and 1 offline), all busy.",
        ),
        (
            RunnersCame.NO_EFFECT,
            {"online": 10, "busy": 10, "delivered": 10, "trouble": "InsufficientInstanceCapacity"},
            f"Scaling {POOL} to 24: no effect after 6 min. Only 10 runners online "
            "(the autoscaler counts 10 and the autoscaler reports: InsufficientInstanceCapacity), all busy.",
        ),
        (
            RunnersCame.PARTLY,
            {"more": 6, "online": 16, "busy": 16},
            f"Scaling {POOL} to 24: partly. 6 of 14 more runners online after 6 min, 16 in all, all busy.",
        ),
        (
            RunnersCame.UNSEEN,
            {},
            f"Scaling {POOL} to 24: not verified. The number of online runners is unknown after 6 min.",
        ),
    ],
)
def test_what_came_is_said_with_its_figures(came: RunnersCame, figures: dict[str, Any], words: str) -> None:
    assert checked_words(RunnersChecked(came, POOL, 24, 360.0, increase=14, **figures)) == words
