"""One hour of a pool as its measurements saw it: the cell of which the pool's own past is made."""

from dataclasses import dataclass

HOUR_SECONDS = 3600.0
WAIT_EDGES = (30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1200.0, 1800.0, 2700.0, 3600.0, 5400.0, 7200.0, 10800.0, 14400.0,
              21600.0, 43200.0, 86400.0)  # fmt: skip
"""Upper ends of the classes of waits, in seconds, included; one more class follows for what is longer."""
SIZE_EDGES = (0.0, 2.0, 5.0, 10.0, 20.0, 35.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 500.0, 750.0, 1000.0, 2000.0,
              5000.0)  # fmt: skip
"""Upper ends of the classes of queue lengths, in jobs, included; one more class follows for what is longer."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Something added up over the seconds in which it was known; zero seconds mean that nothing is known."""

    total: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class HourStats:
    """What the measurements of one hour (UTC) say; each sample stands for the time since the one before it.

    Shares and quantiles of time come from `waits` and `sizes`; those of jobs from `waited`. Unknown is not zero: a
    figure that was never known has no seconds, an empty histogram, or None.
    """

    hour: int
    """Whole hours since the epoch; it begins at `3600 * hour` epoch seconds."""
    samples: int = 0
    covered_seconds: float = 0.0
    """Seconds of the hour, up to 3,600, for which some sample stands."""
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
    """The highest limit that was seen."""
    queued_most: int | None = None
    longest_wait_seconds: float | None = None
    """The oldest wait that was seen."""
    waits: tuple[float, ...] = ()
    """Seconds during which the oldest job had waited that long, by WAIT_EDGES; zeros at the end are left out."""
    sizes: tuple[float, ...] = ()
    """Seconds during which so many jobs waited, by SIZE_EDGES."""
    waited: tuple[float, ...] = ()
    """Jobs that started, by how long the oldest one waited then, by WAIT_EDGES.

    In a pool that takes the oldest job first this is how long each job waited; else it is an upper bound.
    """

    @property
    def begins_at(self) -> float:
        """Epoch seconds."""
        return self.hour * HOUR_SECONDS


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the same hour of past weeks foretells for an hour to come."""

    hour: int
    """Whole hours since the epoch."""
    arrivals_per_minute: float
    spread_per_minute: float
    """Standard deviation between the weeks."""
    weeks: int


@dataclass(frozen=True, slots=True)
class Fired:
    """How a pool stood when an alert fired for it."""

    incident: str
    at: float
    """Epoch seconds of the opening."""
    queued: int | None
    oldest_wait_seconds: float | None
    channel: str = ""
    """Where the incident has its thread."""


def counted(histogram: tuple[float, ...], value: float, weight: float, edges: tuple[float, ...]) -> tuple[float, ...]:
    """The histogram with `weight` more in the class of `value`."""
    place = next((i for i, edge in enumerate(edges) if value <= edge), len(edges))
    longer = [*histogram, *[0.0] * (place + 1 - len(histogram))]
    longer[place] += weight
    return tuple(longer)


def added(histograms: list[tuple[float, ...]]) -> tuple[float, ...]:
    """The sum of several histograms over the same edges."""
    longest = max(map(len, histograms), default=0)
    return tuple(sum(h[i] for h in histograms if i < len(h)) for i in range(longest))


def quantile(histogram: tuple[float, ...], share: float, edges: tuple[float, ...]) -> float | None:
    """The value that `share` (0 to 1) of the weight does not exceed, evenly spread inside a class; None when empty.

    The last class has no end; its lower end is given for it.
    """
    total = sum(histogram)
    if total <= 0:
        return None
    rest = share * total
    for place, weight in enumerate(histogram):
        if rest <= weight and weight > 0:
            low = edges[place - 1] if place else 0.0
            high = edges[place] if place < len(edges) else low
            return low + (high - low) * rest / weight
        rest -= weight
    return edges[min(len(histogram), len(edges)) - 1]


def share_above(histogram: tuple[float, ...], value: float, edges: tuple[float, ...]) -> float | None:
    """The share of the weight in classes that lie wholly above `value`; None when the histogram is empty."""
    total = sum(histogram)
    above = sum(weight for place, weight in enumerate(histogram) if place and edges[place - 1] >= value)
    return above / total if total > 0 else None
