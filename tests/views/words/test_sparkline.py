"""A queue in a line of text: bars, and words that say the same."""

import pytest

from bot.core.incident.details.events import Spark
from bot.core.signals.course import SignalCourse
from bot.core.signals.signal import Counts, Signal, SignalKind
from bot.views.words.sources import course_lines
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


def test_a_signal_is_told_with_its_source_and_where_it_began_and_an_unknown_one_with_the_reason() -> None:
    disk = Signal("disk", SignalKind.DISK, 14.0, 26, source="prometheus", at=NOW)
    registry = Signal("registry", SignalKind.SERVICE, counts=Counts.VALUE, source="prometheus", why="no series")
    assert course_lines((SignalCourse(POOL, disk, ((NOW - 60, 4.0), (NOW, 14.0))), SignalCourse(POOL, registry))) == (
        "disk: 14 of 26 machines in trouble (prometheus, 08:00 UTC); 4 at 07:59 UTC",
        "registry: unknown (no series)",
    )
