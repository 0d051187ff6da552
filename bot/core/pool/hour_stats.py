"""Statistics of one hour and of one day of a pool; a pool's history is made of these."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from bot.core.known import most

HOUR_SECONDS = 3600.0
DAY_HOURS = 24
WAIT_EDGES = (30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1200.0, 1800.0, 2700.0, 3600.0, 5400.0, 7200.0, 10800.0, 14400.0,
              21600.0, 43200.0, 86400.0)  # fmt: skip
"""Upper bounds of the classes of waits in seconds, inclusive; one more class follows.

Origin: steps of a half to a whole, the times that people name; records hold them.
"""
LOST = 1e-6
"""Origin: what floats lose when they are added."""
SIZE_EDGES = (0.0, 2.0, 5.0, 10.0, 20.0, 35.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 500.0, 750.0, 1000.0, 2000.0,
              5000.0)  # fmt: skip
"""Upper bounds of the classes of queue lengths, inclusive; one more class follows.

Origin: steps of a half to a whole, round numbers; records hold them.
"""


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum over the seconds in which it was known; zero seconds mean unknown."""

    total: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class HourStats:
    """The statistics of one hour (UTC); each sample represents the time since the one before.

    Shares and quantiles of time come from `waits` and `sizes`, those of jobs from `waited`. Unknown is not zero: an
    unknown figure has no seconds, an empty histogram, or None.
    """

    hour: int
    """Hours since the epoch; it starts at `3600 * hour` epoch seconds."""
    samples: int = 0
    covered_seconds: float = 0.0
    """Seconds of the hour, up to 3,600, covered by samples."""
    arrivals: Amount = Amount()
    """Jobs that arrived, by the source's rate; per minute: `60 * total / seconds`."""
    starts: Amount = Amount()
    completions: Amount = Amount()
    busy: Amount = Amount()
    """Runner-seconds of work; the mean of busy runners is `total / seconds`."""
    duration: Amount = Amount()
    """The median duration of jobs, weighted by time: its mean is `total / seconds`, in seconds."""
    busy_most: int | None = None
    limit: int | None = None
    queued_most: int | None = None
    longest_wait_seconds: float | None = None
    """The oldest wait that was seen."""
    waits: tuple[float, ...] = ()
    """Seconds in which the oldest job had waited this long, by WAIT_EDGES; trailing zeros are omitted."""
    sizes: tuple[float, ...] = ()
    """Seconds in which this many jobs waited, by SIZE_EDGES."""
    waited: tuple[float, ...] = ()
    """Started jobs by the longest wait at that time, by WAIT_EDGES.

    Exact for a pool that starts the oldest job first, else an upper bound.
    """
    squares: Amount = Amount()
    """Squares of the arrivals per minute, times seconds: how uneven they were."""

    @property
    def begins_at(self) -> float:
        """Epoch seconds."""
        return self.hour * HOUR_SECONDS


@dataclass(frozen=True, slots=True)
class DaySums:
    """The hours of one day (UTC) added up, as far as reports need them; made when the day is over.

    The fields mean what they mean in `HourStats`.
    """

    day: int
    """Days since the epoch."""
    covered_seconds: float
    limit: int | None
    """The last known one."""
    queued_most: int | None
    waits: tuple[float, ...]
    sizes: tuple[float, ...]
    waited: tuple[float, ...]
    longest: tuple[float | None, ...]
    """The longest wait of each hour, from midnight on; None where the hour was not measured."""

    @property
    def longest_wait_seconds(self) -> float | None:
        return most(self.longest)

    @property
    def begins_at(self) -> float:
        """Epoch seconds."""
        return self.first_hour * HOUR_SECONDS

    @property
    def first_hour(self) -> int:
        """In hours since the epoch, as `end_hour`, which is the first one of the next day."""
        return self.day * DAY_HOURS

    @property
    def end_hour(self) -> int:
        return self.first_hour + DAY_HOURS


def day_of(hours: Sequence[HourStats]) -> DaySums:
    """The sums of one day's hours, oldest first; at least one."""
    longest: list[float | None] = [None] * DAY_HOURS
    for one in hours:
        longest[one.hour % DAY_HOURS] = one.longest_wait_seconds or 0.0
    waits, sizes, waited = (added([getattr(one, name) for one in hours]) for name in ("waits", "sizes", "waited"))
    return DaySums(
        day=hours[0].hour // DAY_HOURS,
        covered_seconds=sum(one.covered_seconds for one in hours),
        limit=next((one.limit for one in reversed(hours) if one.limit is not None), None),
        queued_most=most([one.queued_most for one in hours]),
        waits=waits,
        sizes=sizes,
        waited=waited,
        longest=tuple(longest),
    )


@dataclass(frozen=True, slots=True)
class ExpectedHour:
    """The expectation for a coming hour from the same hour of past weeks, else of the days before."""

    hour: int
    """Whole hours since the epoch."""
    arrivals_per_minute: float
    weeks: int
    """Past weeks that know the hour; 0: only earlier days do."""
    days: int = 0
    """Earlier days that know the same hour, where no week does."""


@dataclass(frozen=True, slots=True)
class DayStats:
    """The last 24 hours; rates per minute, None when unknown."""

    arrivals_per_minute: float | None = None
    """The mean: with batches and quiet nights the median is far below it."""
    most_per_minute: float | None = None
    """The mean of the busiest quarter of the hours: a single hour may hold one large push."""
    duration_seconds: float | None = None
    """The mean duration of jobs by Little's law: busy runners divided by completions."""


@dataclass(frozen=True, slots=True)
class Fired:
    incident: str
    at: float
    """Epoch seconds of the opening."""
    queued: int | None
    oldest_wait_seconds: float | None
    channel: str = ""


def with_weight(
    histogram: tuple[float, ...], value: float, weight: float, edges: tuple[float, ...]
) -> tuple[float, ...]:
    """The histogram with `weight` more in the class of `value`."""
    place = next((i for i, edge in enumerate(edges) if value <= edge), len(edges))
    longer = [*histogram, *[0.0] * (place + 1 - len(histogram))]
    longer[place] += weight
    return tuple(longer)


def added(histograms: list[tuple[float, ...]]) -> tuple[float, ...]:
    """The sum of several histograms over the same edges."""
    longest = max(map(len, histograms), default=0)
    return tuple(sum(h[i] for h in histograms if i < len(h)) for i in range(longest))


def quantile(histogram: tuple[float, ...], share: float, bounds: Sequence[float]) -> float | None:
    """An upper bound of what `share` (0 to 1) of the weight does not exceed: that of its class; None if empty.

    Classes beyond the last of `bounds` count as the last one.
    """
    upto = [*accumulate(histogram)]
    if not any(upto):
        return None
    place = next(place for place, weight in enumerate(upto) if weight > 0 and weight >= share * upto[-1] - LOST)
    return bounds[min(place, len(bounds) - 1)]


def share_above(histogram: tuple[float, ...], value: float, bounds: Sequence[float]) -> float | None:
    """The share of the weight above `value`, taken as even within its class; None if empty."""
    total, above = sum(histogram), 0.0
    for low, high, weight in zip((0.0, *bounds), (*bounds, math.inf), histogram, strict=False):
        if low >= value:
            above += weight
        elif value < high < math.inf:
            above += weight * (high - value) / (high - low)
    return above / total if total > 0 else None
