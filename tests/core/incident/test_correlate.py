"""An alert that names no pool: which pools hold the maxima that it reports."""

import pytest

from bot.core.incident.details.events import AlertsJoined
from bot.core.incident.membership import changed, left_out
from bot.core.incident.observe import View, observed
from bot.core.incident.pools import Maxima, PoolsNow, correlated
from bot.core.pool.pool import Pool, Snapshot
from bot.core.ranking.readings import Readings, worst_readings
from tests.builders import NOW, TIMING, alert, candidates, delivery, incident, resolved, sample, view

SEED = Readings(14, 114, False, True)


def look(pool: str, queued: int | None, minutes: float | None, age: float = 0.0) -> Snapshot:
    wait = None if minutes is None else minutes * 60
    return sample(queued, at=NOW - age, pool=pool, oldest_wait_seconds=wait)


@pytest.mark.parametrize(
    ("samples", "queue", "wait"),
    [
        ([look("a", 3, 114), look("b", 14, 31)], "b", "a"),
        ([look("a", 14, 114), look("b", 2, 9)], "a", "a"),
        ([look("a", 11, 119), look("b", 40, 300)], "a", "a"),
        ([look("a", 3, 95), look("b", 10, 31)], None, "a"),
        ([look("a", 3, 90), look("b", 17, 31)], "b", None),
        ([look("a", None, 114), look("b", 14, None)], "b", "a"),
        ([look("b", 14, 114), look("a", 14, 114)], "a", "a"),
        ([look("a", 0, 0), look("b", 1, 4)], None, None),
        ([], None, None),
    ],
)
def test_the_pool_whose_figure_fits_holds_the_maximum(
    samples: list[Snapshot], queue: str | None, wait: str | None
) -> None:
    """The two maxima may be of two pools (docs/design/diagnosis.md#two-maxima); what fits nobody is said of nobody."""
    found = correlated(None, SEED, PoolsNow(samples, len(samples), NOW, 30))
    assert found is not None
    assert (found.longest_queue, found.longest_wait) == (queue, wait)


def test_an_alert_without_these_figures_is_not_looked_for() -> None:
    assert correlated(None, Readings(None, None, None, None), PoolsNow([look("a", 14, 114)], 1, NOW, 30)) is None
    only = correlated(None, Readings(None, 114, None, None), PoolsNow([look("a", 14, 114)], 1, NOW, 30))
    assert only is not None
    assert (only.longest_queue, only.longest_wait) == (None, "a")


def test_what_was_found_with_all_pools_known_stays() -> None:
    found = correlated(None, SEED, PoolsNow([look("a", 14, 114)], 1, NOW, 30))
    assert correlated(found, SEED, PoolsNow([look("b", 14, 114)], 1, NOW + 1, 30)) is found


def test_a_first_look_without_all_pools_is_made_better() -> None:
    """A pool that is measured later may be the one, also on a slow machine; ten periods are waited for it."""
    found = correlated(None, SEED, PoolsNow([look("b", 14, 31)], 2, NOW, 30))
    assert found == Maxima(14, 114, NOW, longest_queue="b")
    both = [look("b", 14, 31), look("a", 3, 114, age=-30)]
    better = correlated(found, SEED, PoolsNow(both, 2, NOW + 30, 30))
    assert better == Maxima(14, 114, NOW, longest_queue="b", longest_wait="a", complete=True)
    late = [look("b", 14, 31, age=-200), look("a", 3, 114, age=-200)]
    assert correlated(found, SEED, PoolsNow(late, 2, NOW + 201, 30)) == better
    too_late = [look("b", 14, 31, age=-310), look("a", 3, 114, age=-310)]
    assert correlated(found, SEED, PoolsNow(too_late, 2, NOW + 310, 30)) is found


def test_a_pool_without_figures_ends_the_search_after_two_periods() -> None:
    """It was asked and has none, so the queue that comes later is not what the alert spoke of."""
    first = correlated(None, SEED, PoolsNow([look("a", None, None), look("b", 0, 0)], 2, NOW, 30))
    assert first == Maxima(14, 114, NOW)
    blind = [look("a", None, None, age=-50), look("b", 0, 0, age=-50)]
    assert correlated(first, SEED, PoolsNow(blind, 2, NOW + 50, 30)) == Maxima(14, 114, NOW)
    assert correlated(first, SEED, PoolsNow(blind, 2, NOW + 61, 30)) == Maxima(14, 114, NOW, complete=True)


def test_samples_from_before_the_alert_do_not_settle_that_no_pool_fits() -> None:
    """The queue may have come between the last poll and the alert: the next poll is looked at too."""
    quiet = [look("a", 0, 0, age=20), look("b", 0, 0, age=20)]
    first = correlated(None, SEED, PoolsNow(quiet, 2, NOW, 30))
    assert first == Maxima(14, 114, NOW)
    polled = [look("a", 3, 114, age=-10), look("b", 14, 31, age=-10)]
    assert correlated(first, SEED, PoolsNow(polled, 2, NOW + 10, 30)) == Maxima(14, 114, NOW, "b", "a", complete=True)
    still = [look("a", 0, 0, age=-10), look("b", 0, 0, age=-10)]
    assert correlated(first, SEED, PoolsNow(still, 2, NOW + 10, 30)) == Maxima(14, 114, NOW, complete=True)


def test_other_figures_are_looked_for_anew() -> None:
    found = correlated(None, SEED, PoolsNow([look("a", 14, 114)], 1, NOW, 30))
    again = correlated(found, Readings(60, 240, True, True), PoolsNow([look("b", 61, 239)], 1, NOW + 900, 30))
    assert again == Maxima(60, 240, NOW + 900, "b", "b", complete=True)


def seen(*samples: Snapshot) -> View:
    return view(*(Pool(one.pool, (one,)) for one in samples))


VALUES = {"max_queue_size": 14, "max_queue_time_mins": 114, "queue_size_threshold": 0, "queue_time_threshold": 1}


def test_the_incident_learns_which_pools_are_meant() -> None:
    fresh = incident(alert(values=VALUES), pools=candidates("a", "b", "c"))
    after = observed(fresh, seen(look("a", 3, 114), look("b", 14, 31), look("c", 0, 0)), NOW, TIMING)
    assert after.pools.maxima == Maxima(14, 114, NOW, "b", "a", complete=True)
    assert set(after.pools.affected) == {"a", "b"}


def test_a_queue_over_the_size_limit_is_affected_even_when_its_wait_is_normal() -> None:
    by_size = {**VALUES, "queue_size_threshold": 1, "queue_time_threshold": 0, "max_queue_time_mins": 9}
    fresh = incident(alert(values=by_size), pools=candidates("a", "b"))
    after = observed(fresh, seen(look("a", 14, 1), look("b", 2, 2)), NOW, TIMING)
    assert after.pools.affected == ("a",)
    normal = {**by_size, "queue_size_threshold": 0}
    assert (
        observed(
            incident(alert(values=normal), pools=candidates("a")), seen(look("a", 14, 1)), NOW, TIMING
        ).pools.affected
        == ()
    )


def test_an_alert_that_names_its_pool_needs_no_search() -> None:
    fresh = incident(alert(values=VALUES))
    assert observed(fresh, seen(look("linux.2xlarge", 14, 114)), NOW, TIMING).pools.maxima is None


def test_the_worst_of_several_alerts_is_read() -> None:
    assert worst_readings([alert()]) is None
    assert worst_readings([]) is None
    worst = worst_readings(
        delivery(alert("a1", values=VALUES), alert("a2", values={"max_queue_time_mins": 300})).alerts
    )
    assert worst is not None
    assert worst.longest_wait_minutes == 300


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"runner_label": "linux"}, "Runner queue is long (linux)"),
        ({"queue": "q", "instance": "i"}, "Runner queue is long (q)"),
        ({"RunnerType": "r"}, "Runner queue is long (r)"),
        ({"zone": "z"}, "Runner queue is long"),
    ],
)
def test_a_member_is_called_by_what_tells_it_apart(labels: dict[str, str], name: str) -> None:
    assert changed((), (alert(labels=labels),)).news == AlertsJoined(new=(name,))


def test_nothing_fresh_says_nothing() -> None:
    same = changed((alert(),), (alert(), resolved("b")))
    assert (same.fresh, same.news, same.unshown) == ((), AlertsJoined(), 0)


@pytest.mark.parametrize(
    ("known", "arrived", "truncated", "left"),
    [("", "a", 5, 5), ("abc", "a", 5, 3), ("abcdef", "a", 5, 0), ("abcdefg", "a", 5, 0), ("abc", "ab", 0, 0)],
)
def test_what_is_left_out_and_known_all_the_same_is_not_counted(
    known: str, arrived: str, truncated: int, left: int
) -> None:
    """A sender shows a few; the rest may have been read from its API before."""
    assert left_out([alert(one) for one in known], [alert(one) for one in arrived], truncated) == left
    assert left_out([resolved(one) for one in known], [alert(one) for one in arrived], truncated) == truncated
