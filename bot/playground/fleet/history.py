"""The recorded samples of the last day, as a metrics server would keep them."""

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from bot.playground.fleet.metrics import ExposedSample, Labels

KEPT_SECONDS = 86_400.0
LOOKBACK_SECONDS = 300.0
_TRIM_AT = 512


class Series:
    """The samples of one series in the order of their times; NaN marks that the series had ended there."""

    def __init__(self) -> None:
        self.times = array("d")
        self.values = array("d")

    def add(self, at: float, value: float) -> None:
        """Append a sample; `at` must not be earlier than the last one."""
        self.times.append(at)
        self.values.append(value)

    def at(self, at: float) -> float | None:
        """Return the newest value that is at most five minutes old, or None when the series has none or had ended."""
        place = bisect_right(self.times, at) - 1
        if place < 0 or self.times[place] <= at - LOOKBACK_SECONDS or math.isnan(self.values[place]):
            return None
        return self.values[place]

    def between(self, start: float, end: float) -> list[tuple[float, float]]:
        """Return the samples from `start` to `end`, both included."""
        first, last = bisect_left(self.times, start), bisect_right(self.times, end)
        found = zip(self.times[first:last], self.values[first:last], strict=True)
        return [(at, value) for at, value in found if not math.isnan(value)]

    def forget(self, before: float) -> bool:
        """Drop old samples, a few hundred at a time; return whether any are left."""
        old = bisect_left(self.times, before)
        if old == len(self.times):
            return False
        if old >= _TRIM_AT:
            del self.times[:old]
            del self.values[:old]
        return True


class History:
    """All series, by metric name and labels; times are seconds since 1970."""

    def __init__(self) -> None:
        self._series: dict[str, dict[Labels, Series]] = {}
        self._present: set[tuple[str, Labels]] = set()

    def record(self, at: float, samples: Iterable[ExposedSample]) -> None:
        """Store one scrape; a series that is no longer exported ends here."""
        present = set()
        for sample in samples:
            present.add((sample.name, sample.labels))
            self._series.setdefault(sample.name, {}).setdefault(sample.labels, Series()).add(at, sample.value)
        for name, labels in self._present - present:
            self._series[name][labels].add(at, math.nan)
        self._present = present

    def forget(self, now: float) -> None:
        """Drop what is older than the kept day."""
        for name, by_labels in self._series.items():
            kept = {labels: series for labels, series in by_labels.items() if series.forget(now - KEPT_SECONDS)}
            self._series[name] = kept

    def find(self, name: str | None, matches: Callable[[Labels], bool]) -> Iterator[tuple[str, Labels, Series]]:
        """Return the series of a metric (of all if `name` is None) with the given labels."""
        for metric in [name] if name is not None else list(self._series):
            for labels, series in self._series.get(metric, {}).items():
                if matches((("__name__", metric), *labels)):
                    yield metric, labels, series
