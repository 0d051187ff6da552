"""What happens again at the same hours is found, what chance makes is not, and hours are those of the zone."""

import random
from collections.abc import Callable
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from bot.core.reporting.recurrence import Pattern, patterns
from tests.core.pool.hours import MONDAY

BERLIN = ZoneInfo("Europe/Berlin")


def hours(days: int, bad: Callable[[int, int], bool], since: float = MONDAY) -> list[tuple[float, bool]]:
    """Every hour of so many days; `bad(day, hour)` by UTC."""
    return [(since + 3600.0 * n, bad(n // 24, n % 24)) for n in range(24 * days)]


def by_chance(dice: random.Random, share: float) -> Callable[[int, int], bool]:
    """Each hour is bad with this probability, whatever the others are."""
    return lambda day, at: dice.random() < share


WEEKS: dict[str, tuple[int, Callable[[int, int], bool], list[str]]] = {
    "three Mondays": (
        4,
        lambda day, hour: day % 7 == 0 and hour in (9, 10) and day != 7,
        ["3 of 4 Mondays 09:00-11:00"],
    ),
    "weekdays": (4, lambda day, hour: day % 7 < 5 and hour in (16, 17, 18), ["20 of 20 weekdays 16:00-19:00"]),
    "daily": (4, lambda day, hour: hour == 2, ["28 of 28 days 02:00-03:00"]),
    "midnight": (4, lambda day, hour: day % 7 == 6 and hour == 23, ["4 of 4 Sundays 23:00-24:00"]),
    "two": (
        4,
        lambda day, hour: (day % 7 < 5 and hour == 16) or (day % 7 == 1 and hour == 4),
        ["20 of 20 weekdays 16:00-17:00", "4 of 4 Tuesdays 04:00-05:00"],
    ),
    "no Saturday": (
        4,
        lambda day, hour: day % 7 != 5 and hour == 16,
        ["20 of 20 weekdays 16:00-17:00", "4 of 4 Sundays 16:00-17:00"],
    ),
    "never": (4, lambda day, hour: False, []),
    "always": (4, lambda day, hour: True, []),
    "twice": (4, lambda day, hour: day in (0, 7) and hour == 9, []),
    "long": (4, lambda day, hour: 2 <= day < 5, []),
    "gone": (4, lambda day, hour: day % 7 in (0, 3) and hour == 9 and day < 14, []),
    "every other Monday": (8, lambda day, hour: day % 14 == 0 and hour == 9, []),
    "five of eight": (8, lambda day, hour: day % 7 == 0 and hour == 9 and day < 35, ["5 of 8 Mondays 09:00-10:00"]),
    "one week": (1, lambda day, hour: day < 5 and hour == 9, []),
    "two days in two weeks": (2, lambda day, hour: day % 7 < 2 and hour == 9, []),
}


@pytest.mark.parametrize(("weeks", "bad", "words"), WEEKS.values(), ids=WEEKS)
def test_what_recurs_over_some_weeks(weeks: int, bad: Callable[[int, int], bool], words: list[str]) -> None:
    """Widest kind of day first, hours in a row as one window; twice is no pattern, nor is one trouble of three days."""
    assert [found.words for found in patterns(hours(7 * weeks, bad), UTC)] == words


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_chance_alone_makes_no_pattern(share: float) -> None:
    found: list[Pattern] = []
    for seed in range(10):
        dice = random.Random(f"{seed}/{share}")
        found += patterns(hours(42, by_chance(dice, share)), UTC)
    assert len(found) <= 1


def test_hours_that_were_not_measured_do_not_count() -> None:
    """Two of the four Mondays are known, and both were bad: that is too little."""
    known = [
        (at, bad) for at, bad in hours(28, lambda day, hour: day % 7 == 0 and hour == 9) if at >= MONDAY + 14 * 86400
    ]
    assert patterns(known, UTC) == ()
    assert patterns([], UTC) == ()


def test_hours_are_those_of_the_zone_also_when_the_clocks_are_put() -> None:
    """Each weekday at 9 in Berlin, five weeks around 2027-03-28: 08:00 UTC before, 07:00 UTC after."""
    since, change = MONDAY + 56 * 86400, MONDAY + 76 * 86400 + 3600
    local = hours(35, lambda day, hour: day % 7 < 5 and hour == (8 if since + day * 86400 < change else 7), since)
    assert [found.words for found in patterns(local, BERLIN)] == ["25 of 25 weekdays 09:00-10:00"]
    (window,) = patterns(local, BERLIN)
    assert window.holds(since + 8 * 3600, BERLIN)
    assert not window.holds(since + 7 * 3600, BERLIN)
    assert not window.holds(since + 5 * 86400 + 8 * 3600, BERLIN)


def test_an_hour_that_comes_twice_counts_once() -> None:
    """In the night of 2026-10-25 the clock shows 02:00 twice in Berlin; the calm second one undoes nothing."""
    sunday = MONDAY - 78 * 86400
    before = hours(28, lambda day, hour: day % 7 == 6 and hour == 0, sunday - 27 * 86400)
    assert [found.words for found in patterns(before, BERLIN)] == ["4 of 4 Sundays 02:00-03:00"]
    twice = [(sunday + 3600.0 * n, True) for n in range(4)]
    assert patterns([*twice, *hours(28, lambda day, hour: False)], BERLIN) == ()
    assert Pattern("Sundays", 2, 3, 1, 4).words == "1 of 4 Sundays 02:00-03:00"
