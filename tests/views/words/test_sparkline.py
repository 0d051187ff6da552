"""A queue in a line of text: bars, and words that say the same."""

import pytest

from bot.core.incident.details.events import Spark
from bot.views.words.sparkline import spark_lines, sparkline
from tests.builders import NOW, POOL


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
    bars = (0, 0, 2, 4, 10, 12, 12, 8, 8, 3)
    found = Spark(POOL, bars, NOW, NOW + 540, 0.0, 12.0, NOW + 300, 3.0, 3600.0)
    assert spark_lines((found,), 2) == (
        "linux.2xlarge ▁▁▂▃▇██▆▆▃ jobs queued from 08:00 to 08:09 UTC: first 0, peak 12 at 08:05, last 3; "
        "longest wait 1 h",
        "2 more pools not drawn",
    )


def test_a_course_of_a_few_seconds_has_them_in_its_times() -> None:
    (line,) = spark_lines((Spark(POOL, (0, 8), NOW, NOW + 16, 0.0, 8.0, NOW + 16, 8.0),), 0)
    assert "jobs queued from 08:00:00 to 08:00:16 UTC: first 0, peak 8 at 08:00:16, last 8" in line
