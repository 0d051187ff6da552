"""Finds recurring weekdays and hours that chance alone would hardly produce."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import groupby
from math import comb

LEAST_DAYS = 3
LEAST_SHARE = 0.6
"""Required share of the measured days."""
EACH_SHARE = 1 / 3
"""Required share of each weekday in a group, so that weekdays are not reported as all days."""
SURE = 0.05 / 168
"""Probability by chance for one hour: 5 % over all hours of a week together."""
MOST_PATTERNS = 3
_NAMES = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
GROUPS: Mapping[str, frozenset[int]] = {
    "days": frozenset(range(7)),
    "weekdays": frozenset(range(5)),
    **{name: frozenset({day}) for day, name in enumerate(_NAMES)},
}
"""Widest first: a daily pattern is not reported for each weekday too."""

Days = Mapping[date, bool]
"""The days on which an hour was measured, and whether it happened then."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """`hit` of `of` measured days of a kind, between two hours of the local clock."""

    days: str
    """weekdays, Mondays, ...: in the plural."""
    from_hour: int
    to_hour: int
    """The end, 1 to 24."""
    hit: int
    of: int

    @property
    def words(self) -> str:
        """`3 of 4 Mondays 09:00-11:00`."""
        return f"{self.hit} of {self.of} {self.days} {self.hours}"

    @property
    def hours(self) -> str:
        """`09:00-11:00`."""
        return f"{self.from_hour:02}:00-{self.to_hour:02}:00"

    def holds(self, at: float, zone: tzinfo) -> bool:
        """Whether a time (epoch seconds) is inside."""
        local = local_time(at, zone)
        return local.weekday() in GROUPS[self.days] and self.from_hour <= local.hour < self.to_hour


@lru_cache(4096)
def local_time(at: float, zone: tzinfo) -> datetime:
    """The local time of an epoch second, without the platform's limits; all pools have the same hours."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at)).astimezone(zone)


def patterns(hours: Iterable[tuple[float, bool]], zone: tzinfo) -> tuple[Pattern, ...]:
    """The recurring windows among (beginning of a measured hour in epoch seconds, whether it happened in it).

    Each hour of a day counts once per local date, so that one long trouble is not many. At least `LEAST_DAYS` days in
    two different weeks, at least `LEAST_SHARE` of the measured ones, and `SURE` by the binomial distribution.
    """
    known = list(hours)
    if not any(happened for _, happened in known):
        return ()
    seen: dict[int, dict[date, bool]] = {}
    for at, happened in known:
        local = local_time(at, zone)
        days, day = seen.setdefault(local.hour, {}), local.date()
        days[day] = days.get(day, False) or happened
    every = [happened for days in seen.values() for happened in days.values()]
    usual = (sum(every) + 1) / (len(every) + 2)
    often = {hour: days for hour, days in sorted(seen.items()) if sum(days.values()) >= LEAST_DAYS}
    found: list[Pattern] = []
    for name, weekdays in GROUPS.items():
        mine = {
            hour: {day: was for day, was in days.items() if day.weekday() in weekdays} for hour, days in often.items()
        }
        strong = [h for h, days in mine.items() if not _covered(found, weekdays, h) and _significant(days, usual)]
        found += [_pattern(name, mine, run) for run in _runs(strong)]
    return tuple(sorted(found, key=lambda one: -one.hit * (one.to_hour - one.from_hour))[:MOST_PATTERNS])


def _covered(found: Sequence[Pattern], days: frozenset[int], hour: int) -> bool:
    return any(days <= GROUPS[one.days] and one.from_hour <= hour < one.to_hour for one in found)


def _significant(days: Days, usual: float) -> bool:
    """Whether chance alone, with the probability `usual` for each day, would hardly produce the days with it."""
    hit = [day for day, happened in days.items() if happened]
    weeks = {day.isocalendar()[:2] for day in hit}
    if len(hit) < LEAST_DAYS or len(weeks) < 2 or len(hit) < LEAST_SHARE * len(days):
        return False
    times, each = (Counter(day.weekday() for day in some) for some in (hit, days))
    if any(times[weekday] < EACH_SHARE * number for weekday, number in each.items()):
        return False
    of = len(days)
    return sum(comb(of, k) * usual**k * (1 - usual) ** (of - k) for k in range(len(hit), of + 1)) < SURE


def _runs(hours: Sequence[int]) -> list[tuple[int, int]]:
    runs = (list(run) for _, run in groupby(enumerate(hours), key=lambda item: item[1] - item[0]))
    return [(run[0][1], run[-1][1] + 1) for run in runs]


def _pattern(name: str, mine: Mapping[int, Days], run: tuple[int, int]) -> Pattern:
    inside = [days for hour, days in mine.items() if run[0] <= hour < run[1]]
    hit = {day for days in inside for day, happened in days.items() if happened}
    return Pattern(name, *run, len(hit), len({day for days in inside for day in days}))
