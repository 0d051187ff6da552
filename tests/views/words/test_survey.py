"""A look at the pools in sentences: what the causes' evidence gave already is not said again."""

from typing import Any

import pytest

from bot.core.incident.details.diagnosis import Diagnosed, QueueingPool
from bot.core.pool.pool import Counted
from bot.views.words.survey import constraints, survey_lines
from tests.builders import POOL, sample

ONE_CODE = (Counted("InsufficientInstanceCapacity", 9),)


@pytest.mark.parametrize(
    ("figures", "told", "said"),
    [
        ({"idle": 4}, "idle", "4 idle runners while jobs wait: capacity is not what is missing."),
        (
            {"busy": 20, "idle": 0, "limit": 20},
            "limit",
            "the limit of 20 runners is reached and all of them are busy.",
        ),
        ({"offline": 3}, "offline", "3 runners offline."),
        ({"create_failures": 9}, "create_failures", "9 attempts to create a runner failed in the last 15 min."),
        (
            {"create_failures": 9, "create_failures_by_code": ONE_CODE},
            "create_failures_by_code",
            "9 attempts to create a runner failed in the last 15 min.",
        ),
    ],
)
def test_a_figure_is_said_once(figures: dict[str, Any], told: str, said: str) -> None:
    """What holds the pool is a sentence, unless the evidence of a cause gave that very figure."""
    seen = sample(30, **figures)
    assert constraints(seen, QueueingPool(POOL, 180.0)) == [said]
    assert constraints(seen, QueueingPool(POOL, 180.0, (told,))) == []
    assert constraints(seen, QueueingPool(POOL, 180.0, ("something else",))) == [said]


def test_failed_creates_beyond_the_reason_that_was_told_are_still_counted() -> None:
    """Nine of twelve for lack of machines: the other three are not lost."""
    seen = sample(30, create_failures=12, create_failures_by_code=ONE_CODE)
    assert constraints(seen, QueueingPool(POOL, 180.0, ("create_failures_by_code",))) == [
        "12 attempts to create a runner failed in the last 15 min."
    ]


def test_what_was_told_of_one_pool_is_still_said_of_another() -> None:
    """The figures are each pool's own."""
    found = Diagnosed(("a", "b"), queueing=(QueueingPool("a", 180.0, ("offline",)), QueueingPool("b", 180.0)))
    lines = survey_lines(found, [sample(30, pool=name, offline=3) for name in ("a", "b")])
    assert "b: 3 runners offline." in lines
    assert "a: 3 runners offline." not in lines
