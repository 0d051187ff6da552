"""What is known of a pool: unknown is not zero, old is not fresh."""

import pytest

from bot.core.incident.pools import Peak, raised
from bot.core.incident.sparkline import Trend, trend
from bot.core.pool.pool import Pool, Snapshot, empty, measured, stale, unreadable
from bot.core.ranking.worst_first import worst_first
from tests.builders import NOW, sample, samples


@pytest.mark.parametrize(
    ("busy", "idle", "online", "utilisation"),
    [(3, 1, 4, 0.75), (0, 4, 4, 0.0), (0, 0, 0, None), (None, 1, None, None), (3, None, None, None)],
)
def test_runners_online(busy: int | None, idle: int | None, online: int | None, utilisation: float | None) -> None:
    found = sample(busy=busy, idle=idle)
    assert (found.online, found.utilisation) == (online, utilisation)


def test_a_sample_that_is_not_newer_adds_nothing() -> None:
    pool = measured(Pool("p"), sample(4, at=NOW), NOW)
    assert measured(pool, sample(9, at=NOW), NOW).samples == pool.samples
    assert measured(pool, sample(9, at=NOW - 5), NOW).latest == sample(4, at=NOW)
    assert [s.queued for s in measured(pool, sample(9, at=NOW + 5), NOW).samples] == [4, 9]


def test_a_failed_measurement_keeps_the_past_and_says_why() -> None:
    pool = unreadable(samples(4), "Prometheus: no answer", NOW + 30)
    assert (pool.trouble, pool.tried_at, len(pool.samples)) == ("Prometheus: no answer", NOW + 30, 1)
    assert measured(pool, sample(4, at=NOW + 60), NOW + 60).trouble is None
    assert measured(pool, sample(4, at=NOW), NOW + 60).trouble is None


@pytest.mark.parametrize(("age", "old"), [(0, False), (60, False), (61, False), (62, True), (3600, True)])
def test_a_sample_is_stale_after_two_refreshes(age: float, *, old: bool) -> None:
    """docs/design/diagnosis.md#definitions; a pool that was never measured is stale, too."""
    assert stale(samples(4), NOW + age, 30) is old
    assert stale(Pool("p"), NOW, 30)


@pytest.mark.parametrize(
    ("queued", "found"),
    [
        ((), Trend.UNKNOWN), ((5,), Trend.UNKNOWN), ((None, 5), Trend.UNKNOWN), ((5, 6), Trend.STEADY),
        ((5, 7), Trend.GROWING), ((7, 5), Trend.SHRINKING), ((100, 109), Trend.STEADY), ((100, 112), Trend.GROWING),
        ((100, 90), Trend.SHRINKING), ((5, None, 9, None), Trend.GROWING), ((0, 0, 0), Trend.STEADY),
    ],
)  # fmt: skip
def test_a_trend(queued: tuple[int | None, ...], found: Trend) -> None:
    """Under 10 %, and under 2 jobs, is steady; unknown samples are passed over."""
    assert trend(samples(*queued)) is found


def test_a_trend_looks_back_ten_minutes() -> None:
    assert trend(Pool("p", (sample(90, at=NOW - 3600), sample(5, at=NOW - 30), sample(5, at=NOW)))) is Trend.STEADY
    assert trend(Pool("p", (sample(90, at=NOW - 3600), sample(5, at=NOW)))) is Trend.UNKNOWN


@pytest.mark.parametrize(
    ("snapshot", "floor", "found"),
    [
        (None, 0, None), (sample(None), 0, None), (sample(0), 0, True), (sample(1), 0, False), (sample(5), 5, True),
        (sample(6), 5, False),
    ],
)  # fmt: skip
def test_empty_is_known_or_not(snapshot: Snapshot | None, floor: int, *, found: bool | None) -> None:
    assert empty(snapshot, floor) is found


def test_a_peak_only_rises() -> None:
    peak = raised(Peak(9, 600.0), sample(4, oldest_wait_seconds=6840.0))
    assert peak == Peak(9, 6840.0)
    assert raised(Peak(), sample(4, oldest_wait_seconds=None)) == Peak(4, None), "unknown is not zero"
    assert raised(Peak(4, 60.0), sample(None, oldest_wait_seconds=None)) == Peak(4, 60.0)
    assert raised(peak, sample(None, oldest_wait_seconds=None)) == peak


def test_the_worst_pool_comes_first_and_the_unknown_before_what_is_normal() -> None:
    """Unknown is not zero: a pool of which nothing is known may queue."""
    rows = [
        sample(None, pool="unknown", oldest_wait_seconds=None),
        sample(0, pool="empty", oldest_wait_seconds=0.0),
        sample(None, pool="length unknown", oldest_wait_seconds=0.0),
        sample(2, pool="b"),
        sample(2, pool="a"),
        sample(30, pool="long"),
        sample(1, pool="waits", oldest_wait_seconds=7200.0),
    ]
    order = ["waits", "long", "a", "b", "unknown", "empty", "length unknown"]
    assert [s.pool for s in worst_first(rows)] == order


def test_pools_measured_one_after_the_other_do_not_change_places() -> None:
    """All have waited since the same outage; whichever was measured last has waited a few seconds longer."""
    for late in ("long", "short"):
        rows = [sample(n, pool=one, at=NOW + 20 * (one == late), oldest_wait_seconds=1920.0 + 20 * (one == late))
                for one, n in (("short", 34), ("long", 57))]  # fmt: skip
        assert [s.pool for s in worst_first(rows)] == ["long", "short"]
