"""The weekly schedule by the wall clock of its zone, also where the clocks are put, and how zones are written."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.core.durations import zone
from bot.core.reporting.weekly import WeeklySchedule, weekly_key

BERLIN = ZoneInfo("Europe/Berlin")
MONDAYS = WeeklySchedule(0, 9, BERLIN)


def at(text: str) -> float:
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


@pytest.mark.parametrize(
    ("now", "last"),
    [
        ("2026-09-28T06:59:59", "2026-09-21T07:00:00"),
        ("2026-09-28T07:00:00", "2026-09-28T07:00:00"),
        ("2026-10-04T23:00:00", "2026-09-28T07:00:00"),
        ("2026-10-26T07:30:00", "2026-10-19T07:00:00"),
        ("2026-10-26T08:00:00", "2026-10-26T08:00:00"),
        ("2027-03-29T07:00:00", "2027-03-29T07:00:00"),
        ("2027-03-29T06:59:00", "2027-03-22T08:00:00"),
        ("2027-01-04T08:00:00", "2027-01-04T08:00:00"),
    ],
)
def test_the_last_appointment(now: str, last: str) -> None:
    """Mondays at 9 in Berlin: 07:00 UTC in summer, 08:00 in winter, also over the turn of a year."""
    assert MONDAYS.last(at(now)) == at(last)


def test_a_week_over_a_change_of_the_clocks_has_an_hour_more_or_less() -> None:
    autumn, spring = at("2026-10-26T08:00:00"), at("2027-03-29T07:00:00")
    assert (autumn - MONDAYS.before(autumn)) / 3600 == 169
    assert (spring - MONDAYS.before(spring)) / 3600 == 167
    moment = at("2026-01-05T08:00:00")
    for _ in range(120):
        after = MONDAYS.after(moment)
        assert MONDAYS.before(after) == moment
        assert MONDAYS.last(after - 1) == moment
        assert MONDAYS.last(after) == after
        assert datetime.fromtimestamp(after, BERLIN).strftime("%A %H:%M") == "Monday 09:00"
        moment = after


@pytest.mark.parametrize("hour", range(24))
def test_every_hour_of_a_changing_night_has_one_appointment(hour: int) -> None:
    sundays = WeeklySchedule(6, hour, BERLIN)
    moment = at("2026-03-01T12:00:00")
    for _ in range(40):
        after = sundays.after(sundays.last(moment))
        assert 166 <= (after - sundays.last(moment)) / 3600 <= 170
        assert sundays.last(after) == after
        moment = after


def test_the_mark_is_the_same_for_every_process() -> None:
    assert weekly_key(MONDAYS.last(at("2026-09-29T00:00:00"))) == "weekly/1790578800"


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "UTC"])
def test_a_zone_is_known_by_its_name(name: str) -> None:
    assert str(zone(name)) == name
    assert zone("UTC") is UTC


@pytest.mark.parametrize(
    "name", ["", "Mars/Base", "CET+1 hour", "../../etc/passwd", "/etc/localtime", "a\x00b", "Europe"]
)
def test_what_is_no_zone_is_refused_with_a_remedy(name: str) -> None:
    with pytest.raises(ValueError, match='write for example "Europe/Berlin"'):
        zone(name)
