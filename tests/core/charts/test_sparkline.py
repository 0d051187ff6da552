"""Bars in a line of text: the worst stays seen, what is unknown stays unknown, and words say the same."""

import pytest

from bot.core.charts.queue_series import Span, extended
from bot.core.charts.sparkline import pictured, sparks_of
from bot.views.chart import spark_lines, sparkline
from tests.builders import NOW, POOL, incident, named, sample


@pytest.mark.parametrize(
    ("values", "bars"),
    [
        ([0, 7], "▁█"),
        ([0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"),
        ([3, None, 3], "█·█"),
        ([0, 0], "▁▁"),
        ([None], "·"),
        ([], ""),
    ],
)
def test_bars_go_from_nothing_to_the_most(values: list[float | None], bars: str) -> None:
    assert sparkline(values) == bars


def test_many_values_keep_the_worst_of_each_part() -> None:
    values: list[float | None] = [1.0] * 240
    values[100] = 8.0
    assert sparkline(values).count("█") == 1
    assert len(sparkline(values)) == 20


def test_the_words_give_first_peak_and_last_with_their_times() -> None:
    queued = [0, 0, 2, 4, 10, 12, 12, 8, 8, 3]
    course = extended(None, tuple(sample(q, at=NOW + 60 * i) for i, q in enumerate(queued)), Span(NOW, NOW, 30.0))
    found = incident(courses={POOL: course})
    assert spark_lines(*sparks_of(found)) == (
        "linux.2xlarge ▁▁▂▃▇██▆▆▃ jobs queued from 08:00 to 08:09 UTC: first 0, peak 12 at 08:05, last 3; "
        "longest wait 1 h",
    )


def test_a_queue_of_which_little_is_known_or_that_stood_still_makes_none() -> None:
    few = extended(None, tuple(sample(5, at=NOW + 60 * i) for i in range(4)), Span(NOW, NOW, 30.0))
    flat = extended(None, tuple(sample(5, at=NOW + 60 * i) for i in range(9)), Span(NOW, NOW, 30.0))
    assert pictured(incident(courses={POOL: few})) == ()
    assert pictured(incident(courses={POOL: flat})) == (POOL,)


def test_more_than_four_pools_are_counted() -> None:
    names = tuple("abcdef")
    course = extended(None, tuple(sample(5, at=NOW + 60 * i) for i in range(9)), Span(NOW, NOW, 30.0))
    lines = spark_lines(*sparks_of(incident(pools=named(*names), courses=dict.fromkeys(names, course))))
    assert len(lines) == 5
    assert lines[-1] == "2 more pools not drawn"


def test_a_story_of_a_few_seconds_has_them_in_its_times() -> None:
    course = extended(None, tuple(sample(q, at=NOW + 2 * q) for q in range(9)), Span(NOW, NOW, 1.0))
    (line,) = spark_lines(*sparks_of(incident(courses={POOL: course})))
    assert "jobs queued from 08:00:00 to 08:00:16 UTC: first 0, peak 8 at 08:00:16, last 8" in line
