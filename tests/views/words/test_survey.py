"""The measured pools in sentences: what the causes' evidence gave already is not said again."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.events import Diagnosed, QueueingPool
from bot.core.pool.backfill import DaysLeft
from bot.core.pool.pool import Contradiction, Snapshot, Tally
from bot.core.pool.retention import Origin
from bot.views.mrkdwn import date
from bot.views.words.diagnosis import constraints, survey_headline, survey_lines
from bot.views.words.operators import history_left
from bot.views.words.sources import disagreeing, unconfirmed, waited_for
from tests.builders import NOW, POOL, sample

ONE_CODE = (Tally("InsufficientInstanceCapacity", 9),)


@pytest.mark.parametrize(
    ("figures", "evidence", "sentence"),
    [
        ({"idle": 4}, "idle", "4 idle runners while jobs wait: capacity is not the problem."),
        ({"busy": 20, "idle": 0, "limit": 20}, "limit", "the limit of 20 runners is reached, and all are busy."),
        ({"offline": 3}, "offline", "3 runners offline."),
        ({"create_failures": 9}, "create_failures", "9 runner launches failed in the last 15 min."),
        ({"create_failures": 9, "create_failures_by_code": ONE_CODE}, "create_failures_by_code",
         "9 runner launches failed in the last 15 min."),
    ],
)  # fmt: skip
def test_a_figure_is_said_once(figures: dict[str, Any], evidence: str, sentence: str) -> None:
    seen = sample(30, **figures)
    assert constraints(seen, QueueingPool(POOL, 180.0)) == [sentence]
    assert constraints(seen, QueueingPool(POOL, 180.0, (evidence,))) == []
    assert constraints(seen, QueueingPool(POOL, 180.0, ("something else",))) == [sentence]


def test_failed_creates_beyond_the_reason_that_was_told_are_still_counted() -> None:
    seen = sample(30, create_failures=12, create_failures_by_code=ONE_CODE)
    assert constraints(seen, QueueingPool(POOL, 180.0, ("create_failures_by_code",))) == [
        "12 runner launches failed in the last 15 min."
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
    queues = (Tally("github", 41), Tally("prometheus", 25))
    origins = (Origin("github", 1000.0, ("queued",)), Origin("prometheus", 1120.0, ("limit", "busy")))
    seen = sample(41, contradictions=(Contradiction("queued", queues),), origins=origins)
    lines = survey_lines(Diagnosed((POOL,), queueing=(QueueingPool(POOL, 180.0),)), [seen])
    assert f"{POOL}: the sources disagree about queued: github 41, prometheus 25. Tailback uses the first." in lines
    assert f"{POOL}: queued from github (2 min older); limit and busy from prometheus." in lines


@pytest.mark.parametrize(
    ("long", "sentence"), [("ab", "a and b are affected. The other 2 pools are fine."), ("abc", "Widespread: 3 of 4")]
)
def test_a_common_trouble_is_told_from_a_queue_of_some_pools(long: str, sentence: str) -> None:
    found = Diagnosed(("a", "b", "c", "d"), queueing=tuple(QueueingPool(name, 180.0) for name in long))
    samples = [Snapshot(name, NOW, queued=30 if name in long else 0) for name in found.names]
    assert survey_headline(found, samples).startswith(sentence)
    single = survey_headline(found, [replace(one, queued=1) for one in samples])
    assert not single.startswith("Widespread"), "one job in each pool is no common trouble"


def test_a_pool_without_a_known_queue_is_neither_affected_nor_free_of_one() -> None:
    found = Diagnosed(("a", "b", "c"), queueing=(QueueingPool("a", 180.0),), unread={"c": "no source"})

    def headline(*queued: int | None) -> str:
        return survey_headline(found, [Snapshot(name, NOW, queued=n) for name, n in zip("ab", queued, strict=True)])

    assert headline(30, None) == "a has a queue (2 pools could not be measured)."
    assert headline(30, 0) == "The other 2: 1 fine, 1 unknown."
    assert headline(None, None) == "The queue is unknown in every pool (not zero)."
    calm = replace(found, queueing=())
    assert survey_headline(calm, [Snapshot("a", NOW, queued=0), Snapshot("b", NOW)]) == (
        "No queue in a (2 pools could not be measured)."
    )


def test_a_pool_whose_queue_is_not_known_now_is_not_called_fine() -> None:
    """A stale figure is no current one, however short the queue was; a pool that queues stands among the affected."""
    queueing, unread = (QueueingPool("a", 180.0),), {"a": "", "c": "HTTP 500"}
    found = Diagnosed(("a", "b", "c"), queueing=queueing, unread=unread)
    samples = [Snapshot("a", NOW, queued=30), Snapshot("b", NOW, queued=0), Snapshot("c", NOW - 900, queued=0)]
    assert survey_headline(found, samples) == "The other 2: 1 fine, 1 unknown."


def test_a_contradiction_about_the_queue_is_told_with_both_numbers() -> None:
    queue = Contradiction("queued", (Tally("prometheus", 3), Tally("github", 1400)))
    assert disagreeing(POOL, (queue, Contradiction("busy", queue.values))) == [
        f"{POOL}: the sources disagree about the queue: prometheus 3, github 1,400. Tailback uses the first."
    ]


def test_a_source_that_fell_silent_is_named_while_a_drain_waits_and_afterwards() -> None:
    silent, at = {"github": NOW}, date(NOW)
    assert waited_for(silent) == [f"github has not told the queue since {at}. A drain waits for it, 15 min at most."]
    assert unconfirmed(silent) == [f"github has not answered since {at}."]


def test_the_history_that_is_left_is_told_in_days() -> None:
    assert history_left(DaysLeft(35, 1)) == "The history of 1 pool is being filled in: 35 days are left."
    assert history_left(DaysLeft(1, 412)) == "The history of 412 pools is being filled in: 1 day is left."
