"""A look at the pools in sentences: what the causes' evidence gave already is not said again."""

from typing import Any

import pytest

from bot.core.incident.details.events import Diagnosed, QueueingPool
from bot.core.pool.pool import Contradiction, Counted
from bot.core.pool.retention import Origin
from bot.views.words.diagnosis import constraints, survey_lines
from tests.builders import POOL, sample

ONE_CODE = (Counted("InsufficientInstanceCapacity", 9),)


@pytest.mark.parametrize(
    ("figures", "told", "said"),
    [
        ({"idle": 4}, "idle", "4 idle runners while jobs wait: capacity is not the problem."),
        ({"busy": 20, "idle": 0, "limit": 20}, "limit", "the limit of 20 runners is reached, and all are busy."),
        ({"offline": 3}, "offline", "3 runners offline."),
        ({"create_failures": 9}, "create_failures", "9 launch requests failed in the last 15 min."),
        (
            {"create_failures": 9, "create_failures_by_code": ONE_CODE},
            "create_failures_by_code",
            "9 launch requests failed in the last 15 min.",
        ),
    ],
)
def test_a_figure_is_said_once(figures: dict[str, Any], told: str, said: str) -> None:
    seen = sample(30, **figures)
    assert constraints(seen, QueueingPool(POOL, 180.0)) == [said]
    assert constraints(seen, QueueingPool(POOL, 180.0, (told,))) == []
    assert constraints(seen, QueueingPool(POOL, 180.0, ("something else",))) == [said]


def test_failed_creates_beyond_the_reason_that_was_told_are_still_counted() -> None:
    seen = sample(30, create_failures=12, create_failures_by_code=ONE_CODE)
    assert constraints(seen, QueueingPool(POOL, 180.0, ("create_failures_by_code",))) == [
        "12 launch requests failed in the last 15 min."
    ]


def test_rates_have_their_window_and_no_verdict() -> None:
    """Whether it grows is said of the queue: rates of a few minutes contradict it in every burst."""
    seen = sample(30, arrivals_per_minute=0.3, starts_per_minute=0.5)
    first, *_ = survey_lines(Diagnosed((POOL,), queueing=(QueueingPool(POOL, 180.0),)), [seen])
    assert first.endswith("In the last minutes 0.3 jobs arrived and 0.5 started per minute.")


def test_what_was_told_of_one_pool_is_still_said_of_another() -> None:
    found = Diagnosed(("a", "b"), queueing=(QueueingPool("a", 180.0, ("offline",)), QueueingPool("b", 180.0)))
    lines = survey_lines(found, [sample(30, pool=name, offline=3) for name in ("a", "b")])
    assert "b: 3 runners offline." in lines
    assert "a: 3 runners offline." not in lines


def test_sources_that_contradict_each_other_are_named_with_their_figures_and_ages() -> None:
    told = (Counted("github", 41), Counted("prometheus", 25))
    origins = (Origin("github", 1000.0, ("queued",)), Origin("prometheus", 1120.0, ("limit", "busy")))
    seen = sample(41, contradictions=(Contradiction("queued", told),), origins=origins)
    lines = survey_lines(Diagnosed((POOL,), queueing=(QueueingPool(POOL, 180.0),)), [seen])
    assert f"{POOL}: the sources disagree about queued: github 41, prometheus 25. Tailback uses the first." in lines
    assert f"{POOL}: queued from github (2 min older); limit and busy from prometheus." in lines
