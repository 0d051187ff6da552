"""The order of pools: an unknown figure is never sorted as if it were zero."""

from itertools import permutations

import pytest

from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.ranking.worst_first import QueueLevel, queue_level, worst_first

NOW = 1_800_000_000.0
RULES = {name: PoolRules(name, floor=2) for name in ("floor", "above")}


def pool(name: str, queued: int | None, wait: float | None = None) -> Snapshot:
    return Snapshot(name, NOW, queued=queued, oldest_wait_seconds=wait)


def order(*samples: Snapshot, affected: tuple[str, ...] = ()) -> list[str]:
    """The names, whatever order the samples came in."""
    found = {tuple(one.pool for one in worst_first(list(given), RULES, affected)) for given in permutations(samples)}
    assert len(found) == 1, found
    return list(found.pop())


def test_a_long_queue_with_an_unknown_wait_comes_before_a_normal_one() -> None:
    """An incident of 136 jobs opened its dialog on the pool with one job, which waited for a minute."""
    assert order(pool("gpu", 1, 60.0), pool("arc", 136), pool("idle", 0, 0.0)) == ["arc", "gpu", "idle"]


@pytest.mark.parametrize(
    ("queued", "expected"), [(500, ["arc", "old", "few"]), (30, ["old", "arc", "few"]), (1, ["old", "few", "arc"])]
)
def test_an_unknown_wait_is_ordered_by_its_queue(queued: int, expected: list[str]) -> None:
    """Among pools that wait for long, by the wait, it takes the place of its queue."""
    assert order(pool("old", 40, 7200.0), pool("few", 2, 3600.0), pool("arc", queued)) == expected


def test_an_affected_pool_comes_first_even_if_it_has_drained() -> None:
    samples = pool("mine", 0, 0.0), pool("other", 50, 7200.0), pool("also mine", None)
    assert order(*samples, affected=("mine", "also mine")) == ["also mine", "mine", "other"]


def test_two_unknown_waits_are_ordered_by_their_queues_and_names() -> None:
    assert order(pool("b", 7), pool("a", 7), pool("c", 9), pool("d", None)) == ["c", "a", "b", "d"]


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (pool("p", 0, None), QueueLevel.NORMAL),
        (pool("p", 0, 0.0), QueueLevel.NORMAL),
        (pool("p", 5, 60.0), QueueLevel.NORMAL),
        (pool("p", None, 60.0), QueueLevel.NORMAL),
        (pool("p", 5, 3600.0), QueueLevel.QUEUES),
        (pool("p", None, 3600.0), QueueLevel.QUEUES),
        (pool("p", 5, None), QueueLevel.QUEUES),
        (pool("p", None, None), QueueLevel.UNKNOWN),
        (pool("floor", 2, None), QueueLevel.NORMAL),
        (pool("above", 3, None), QueueLevel.QUEUES),
    ],
)
def test_what_is_known_decides_and_the_rest_is_not_zero(sample: Snapshot, expected: QueueLevel) -> None:
    assert queue_level(sample, RULES.get(sample.pool, PoolRules(sample.pool))) is expected
