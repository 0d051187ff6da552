"""How many jobs are ahead: counted where they are listed, else those that waited when it came, less those that left."""

from dataclasses import replace

import pytest

from bot.core.jobs.answer import JobsAhead
from bot.core.jobs.position import ahead_of
from bot.core.pool.pool import Job, Snapshot
from tests.builders import NOW, POOL


def series_of(*queued: int, oldest: float, **figures: float | None) -> list[Snapshot]:
    """One look a minute, the last one now; the oldest job of the last one has waited so many seconds."""
    ages = [60.0 * ago for ago in reversed(range(len(queued)))]
    return [
        Snapshot(POOL, NOW - ago, queued=number, oldest_wait_seconds=max(0.0, oldest - ago), **figures)  # type: ignore[arg-type]
        for ago, number in zip(ages, queued, strict=True)
    ]


def test_the_longest_waiting_jobs_are_counted_exactly() -> None:
    waiting = tuple(Job("test", waited) for waited in (900.0, 600.0, 300.0))
    series = [Snapshot(POOL, NOW, queued=3, oldest_wait_seconds=900.0, waiting=waiting)]
    assert [ahead_of(NOW - waited, series) for waited in (1000, 900, 600, 299)] == [
        JobsAhead(0, 0), JobsAhead(0, 0), JobsAhead(1, 1), JobsAhead(3, 3),
    ]  # fmt: skip


def test_jobs_of_one_moment_have_no_order() -> None:
    """One push starts many jobs in the same second, so each may be the first or the last of them."""
    waiting = tuple(Job("test", waited) for waited in (900.0, 600.0, 600.0, 600.0, 300.0))
    series = [Snapshot(POOL, NOW, queued=5, oldest_wait_seconds=900.0, waiting=waiting)]
    assert ahead_of(NOW - 600, series) == JobsAhead(1, 3)


@pytest.mark.parametrize("starts", [2.0, None])
def test_a_push_that_is_the_oldest_may_be_ahead_as_a_whole(starts: float | None) -> None:
    """80 came at once half an hour ago, two of them start in a minute, and nobody lists them."""
    series = series_of(0, 0, *range(80, 20, -2), oldest=1770.0, starts_per_minute=starts)
    found = ahead_of(NOW - 1770, series)
    assert found is not None
    assert found.low <= 2
    assert found.high >= 19


@pytest.mark.parametrize("starts", [2.0, None])
def test_ahead_are_those_that_waited_when_it_came_less_those_that_left(starts: float | None) -> None:
    """Five came and two left in each minute of an hour: before 30 min 90 waited, and 60 have left since."""
    series = series_of(*range(0, 183, 3), oldest=36 * 60.0, starts_per_minute=starts)
    found = ahead_of(NOW - 1800, series)
    assert found is not None
    assert found.low <= 30 <= found.high
    assert (found.low + found.high) / 2 == pytest.approx(30, abs=4)
    if starts:
        assert found.high - found.low <= 5


def test_starts_that_stopped_a_while_ago_are_no_even_pace() -> None:
    """Two left in each of 30 min, and none since; it came 20 min ago, so all that waited then are ahead."""
    series = [
        Snapshot(POOL, NOW - 60 * ago, queued=100 + 3 * (60 - ago) - 2 * min(30, 60 - ago),
                 oldest_wait_seconds=7200.0 - 60 * ago, starts_per_minute=2.0 if ago >= 30 else 0.0)
        for ago in range(60, -1, -1)
    ]  # fmt: skip
    assert ahead_of(NOW - 1200 - 1, series) == JobsAhead(157, 160)


def test_a_burst_is_told_from_jobs_that_came_one_by_one() -> None:
    """Nearly all came 20 to 30 min ago, so a job of 15 min ago has nearly all of them ahead."""
    series = series_of(*[0] * 10, *range(6, 66, 6), *[60] * 21, oldest=1830.0)
    found = ahead_of(NOW - 900, series)
    assert found is not None
    assert found.low >= 50


def test_what_another_source_counted_when_it_came_is_no_part_of_it() -> None:
    """The first source was away for ten minutes, and the second one counts all repositories."""
    series = series_of(*range(0, 183, 3), oldest=36 * 60.0, starts_per_minute=2.0)
    mixed = [
        replace(one, source="b", queued=900) if 20 <= place < 30 else replace(one, source="a")
        for place, one in enumerate(series)
    ]
    found = ahead_of(NOW - 1800, mixed)
    assert found is not None
    assert found.high <= 40


def test_samples_that_do_not_reach_back_leave_the_waits_as_even() -> None:
    """With the doubt of a share of a count."""
    found = ahead_of(NOW - 900, [Snapshot(POOL, NOW, queued=40, oldest_wait_seconds=3600.0)])
    assert found is not None
    assert found.low <= 30 <= found.high
    assert found.high - found.low == pytest.approx(2 * 1.28 * (40 * 3 / 16) ** 0.5, abs=1.5)


@pytest.mark.parametrize(
    ("queued_at", "figures"),
    [(None, {"queued": 5}), (NOW - 60, {}), (NOW - 60, {"queued": 5})],
    ids=["unknown when it was queued", "unknown queue", "neither arrivals nor waits"],
)
def test_what_is_not_known_is_not_a_place(queued_at: float | None, figures: dict[str, int]) -> None:
    assert ahead_of(queued_at, [Snapshot(POOL, NOW, **figures)]) is None  # type: ignore[arg-type]


def test_a_job_younger_than_the_sample_has_all_of_it_ahead() -> None:
    assert ahead_of(NOW + 5, [Snapshot(POOL, NOW, queued=7, oldest_wait_seconds=60.0)]) == JobsAhead(7, 7)


def test_a_job_that_came_before_the_oldest_is_the_next_one_or_over() -> None:
    """A sample may know of it a little later; one that is older by more than two minutes has no place."""
    assert ahead_of(NOW - 90, [Snapshot(POOL, NOW, queued=7, oldest_wait_seconds=60.0)]) == JobsAhead(0, 0)
    assert ahead_of(NOW - 300, [Snapshot(POOL, NOW, queued=7, oldest_wait_seconds=60.0)]) is None
    assert ahead_of(NOW - 300, [Snapshot(POOL, NOW, queued=0, oldest_wait_seconds=0.0)]) is None
