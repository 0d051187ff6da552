"""How many jobs are ahead: counted where they are listed, else estimated by what arrived since."""

import pytest

from bot.core.jobs.answer import JobsAhead
from bot.core.jobs.position import ahead_of
from bot.core.pool.pool import Job, Snapshot
from tests.builders import NOW, POOL


def test_the_longest_waiting_jobs_are_counted_exactly() -> None:
    waiting = tuple(Job("test", waited) for waited in (900.0, 600.0, 300.0))
    series = [Snapshot(POOL, NOW, queued=3, oldest_wait_seconds=900.0, waiting=waiting)]
    assert [ahead_of(NOW - waited, series) for waited in (1000, 900, 600, 299)] == [
        JobsAhead(0, 0), JobsAhead(0, 0), JobsAhead(1, 1), JobsAhead(3, 3),
    ]  # fmt: skip


def test_behind_them_the_estimate_leaves_out_what_arrived_since() -> None:
    """60 came in 30 min, evenly: two thirds of them before the last 10 min. The doubt is that of a share of a count."""
    series = [
        Snapshot(POOL, NOW - 60 * ago, queued=60, oldest_wait_seconds=1800.0, arrivals_per_minute=2.0)
        for ago in range(30, -1, -1)
    ]
    found = ahead_of(NOW - 600, series)
    assert found is not None
    assert found.low < 40 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.28 * (60 * 2 / 9) ** 0.5, abs=1.5)


def test_a_burst_is_told_from_jobs_that_came_one_by_one() -> None:
    """Nearly all came 20 to 30 min ago, so a job of 15 min ago has nearly all of them ahead."""
    series = [
        Snapshot(
            POOL, NOW - 60 * ago, queued=60, oldest_wait_seconds=1800.0, arrivals_per_minute=6.0 if ago > 20 else 0.1
        )
        for ago in range(30, -1, -1)
    ]
    found = ahead_of(NOW - 900, series)
    assert found is not None
    assert found.low >= 55


def test_without_arrivals_the_waits_are_taken_as_even() -> None:
    found = ahead_of(NOW - 900, [Snapshot(POOL, NOW, queued=40, oldest_wait_seconds=3600.0)])
    assert found is not None
    assert found.low <= 30 <= found.high


@pytest.mark.parametrize(
    ("queued_at", "figures"),
    [(None, {"queued": 5}), (NOW - 60, {}), (NOW - 60, {"queued": 5})],
    ids=["unknown when it was queued", "unknown queue", "neither arrivals nor waits"],
)
def test_what_is_not_known_is_not_a_place(queued_at: float | None, figures: dict[str, int]) -> None:
    assert ahead_of(queued_at, [Snapshot(POOL, NOW, **figures)]) is None  # type: ignore[arg-type]


def test_a_job_younger_than_the_sample_has_all_of_it_ahead() -> None:
    assert ahead_of(NOW + 5, [Snapshot(POOL, NOW, queued=7, oldest_wait_seconds=60.0)]) == JobsAhead(7, 7)
