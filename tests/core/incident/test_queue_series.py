"""How a queue went: points that stay few, gaps that stay gaps, and bars in a line of text that say the same."""

import pytest

from bot.core.incident.details.events import Spark
from bot.core.incident.queue_series import FEWER_POINTS, MOST_POINTS, QueueSeries, Span, extended, segments
from bot.core.incident.sparkline import pictured, sparks_of
from bot.core.pool.pool import Snapshot
from tests.builders import NOW, POOL, incident, named, sample

SPAN = Span(NOW, NOW, 30.0)


def series(*queued: int | None, since: float = NOW, every: float = 30.0) -> tuple[Snapshot, ...]:
    return tuple(sample(q, at=since + every * i) for i, q in enumerate(queued))


def test_waiting_is_added_up_from_what_was_seen() -> None:
    """10 jobs for a minute, then none: the shorter of two neighbouring queues counts, so it is the least."""
    course = extended(None, series(10, 10, 10, 0), SPAN)
    assert (course.waited_seconds, course.measured_seconds) == (600.0, 90.0)


def test_what_lies_before_the_incident_is_drawn_and_not_counted() -> None:
    course = extended(None, series(5, 5, 5, 5, since=NOW - 60), SPAN)
    assert (len(course.points), course.waited_seconds, course.measured_seconds) == (2, 150.0, 30.0)
    assert extended(None, series(5, since=NOW - 3600), SPAN).points == ()


@pytest.mark.parametrize("hole", [series(10, None, 10), (*series(10), *series(10, since=NOW + 200))])
def test_what_was_not_measured_counts_for_nothing(hole: tuple[Snapshot, ...]) -> None:
    course = extended(None, hole, SPAN)
    assert (course.waited_seconds, course.measured_seconds) == (0.0, 0.0)


def test_the_same_samples_twice_change_nothing() -> None:
    once = extended(None, series(1, 2, 3), SPAN, "surge")
    assert extended(once, series(1, 2, 3), SPAN, "surge") == once
    assert once.likeliest == ("surge", 1, 1)


def test_the_cause_of_most_samples_is_the_likeliest() -> None:
    course: QueueSeries | None = None
    for number, cause in enumerate(["limit", "surge", "surge", ""]):
        course = extended(course, series(*[1] * (number + 1)), SPAN, cause)
    assert course is not None
    assert course.likeliest == ("surge", 2, 3)
    assert QueueSeries(60.0).likeliest is None


@pytest.mark.parametrize(("pools", "most"), [(1, MOST_POINTS), (9, FEWER_POINTS)])
def test_a_day_becomes_few_points_and_keeps_its_peak(pools: int, most: int) -> None:
    queued = [7] * 2880
    queued[1500] = 99
    course: QueueSeries | None = None
    for start in range(0, 2880, 240):
        course = extended(
            course, series(*queued[start : start + 240], since=NOW + 30 * start), Span(NOW, NOW, 30.0, pools=pools)
        )
    assert course is not None
    assert most / 2 <= len(course.points) <= most
    assert max(point.queued or 0 for point in course.points) == 99
    assert len(segments(course, "queued")) == 1
    assert course.measured_seconds == 30.0 * 2879


def test_a_silent_source_and_an_unknown_figure_cut_the_line() -> None:
    course = extended(None, (*series(1, 2, None, None, None, 3, 4), *series(5, 6, since=NOW + 600)), SPAN)
    seen = [[value for _, value in stretch] for stretch in segments(course, "queued")]
    assert seen == [[2.0], [3.0, 4.0], [6.0, 6.0]]
    assert segments(course, "limit") == ()


def test_a_sources_own_past_comes_in_wider_steps() -> None:
    """A poll of 2 s does not make gaps of a past that is told every 30 s; a missing piece of it is one."""
    past = (*series(1, 2, 3, since=NOW - 300), *series(4, 5, since=NOW - 120))
    course = extended(None, (*past, *series(6, 7, 8, since=NOW - 60, every=30.0)), Span(NOW, NOW, 2.0))
    assert [len(stretch) for stretch in segments(course, "queued")] == [3, 5]
    later = extended(None, series(1, 2, 3, since=NOW + 100), Span(NOW, NOW, 2.0))
    assert [len(stretch) for stretch in segments(later, "queued")] == [1, 1, 1]


def test_a_spark_has_the_first_the_peak_and_the_last_with_their_times() -> None:
    queued = [0, 0, 2, 4, 10, 12, 12, 8, 8, 3]
    course = extended(None, tuple(sample(q, at=NOW + 60 * i) for i, q in enumerate(queued)), Span(NOW, NOW, 30.0))
    assert sparks_of(incident(courses={POOL: course})) == (
        (Spark(POOL, tuple(map(float, queued)), NOW, NOW + 540, 0.0, 12.0, NOW + 300, 3.0, 3600.0),),
        0,
    )


def test_a_queue_of_which_little_is_known_or_that_stood_still_makes_none() -> None:
    few = extended(None, tuple(sample(5, at=NOW + 60 * i) for i in range(4)), Span(NOW, NOW, 30.0))
    flat = extended(None, tuple(sample(5, at=NOW + 60 * i) for i in range(9)), Span(NOW, NOW, 30.0))
    assert pictured(incident(courses={POOL: few})) == ()
    assert pictured(incident(courses={POOL: flat})) == (POOL,)


def test_more_than_four_pools_are_counted() -> None:
    names = tuple("abcdef")
    course = extended(None, tuple(sample(5, at=NOW + 60 * i) for i in range(9)), Span(NOW, NOW, 30.0))
    sparks, more = sparks_of(incident(pools=named(*names), courses=dict.fromkeys(names, course)))
    assert (len(sparks), more) == (4, 2)
