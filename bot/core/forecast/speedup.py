"""How many times faster a queue drains with more runners: a range, and a figure where one is likely to be right.

The effect depends on when the trouble ends, which nobody knows. It is walked for an end in an hour and for one in four,
each with its doubt, beside a third possibility of which nothing is known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.core.forecast.readings import HIGH, LOW, MIDDLE, DrainReadings

NEAR = 0.2
"""A figure is right within this share."""
SURE = 0.5
"""Least probability of that: of all figures that reach it, about 3 in 4 are right."""
STEP, FURTHEST = 0.02, 6.0
MOST_FASTER, MOST = 10.0, math.log(10.0)
"""A larger effect has no figure: a queue of one job drains hundreds of times faster, and nobody notices."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Probabilities of the logarithm of the effect, given those of the walks `usual_later` and `usual_last`."""

    later: float = 0.53
    """The probability that the trouble ends in an hour, ..."""
    last: float = 0.22
    """... and in four; the rest is unknown."""
    exact: float = 0.05
    vague: float = 0.37
    """Standard deviation of both, constant and per gain."""
    kept: float = 0.85
    """Share of a walked gain that comes true."""
    other: float = 0.62
    """Mean gain if the trouble ends at another time."""
    none: float = 0.0
    """The probability that the added runners do not come, or change nothing."""

    def up_to(self, x: float, gains: Sequence[float]) -> float:
        """The probability that the effect's logarithm is at most x."""
        total = (1 - self.later - self.last) * (1 - math.exp(-max(0.0, x) / self.other))
        for share, gain in zip((self.later, self.last), gains, strict=True):
            off = (self.kept * gain - x) / (self.exact + self.vague * self.kept * gain)
            total += share * 0.5 * math.erfc(off / math.sqrt(2))
        return total if x < 0 else self.none + (1 - self.none) * total

    def near(self, x: float, gains: Sequence[float]) -> float:
        """The probability that this figure is right; "more than `MOST_FASTER`" is, for any larger effect."""
        upper = 1.0 if x >= MOST else self.up_to(x - math.log(1 - NEAR), gains)
        return upper - self.up_to(min(x, MOST) - math.log(1 + NEAR), gains)


FITTED = Ends()
"""Maximum likelihood on 9,420 pairs of walks by `python -m tests.bench.fit_forecast`."""


@dataclass(frozen=True, slots=True)
class Speedup:
    """How many times faster; the truth is in the range in 4 of 5 cases."""

    times: float = 1.0
    low: float = 1.0
    high: float = 1.0
    sure: bool = True
    """Whether `times` itself is likely to be right."""
    likeliest: float = 1.0
    """The figure that is rather right than any other; `times` is the same if that is likely, else the middle."""


NO_SPEEDUP = Speedup()


def gains_of(alone: DrainReadings, helped: DrainReadings) -> list[float]:
    """Logarithms of how many times sooner each walk drains with more runners."""
    return [max(0.0, one - other) for one, other in zip(alone.walks, helped.walks, strict=True)]


def speedup_of(alone: DrainReadings, helped: DrainReadings, in_vain: float = 0.0) -> Speedup:
    """The effect; none where more runners change no walk. `in_vain`: the probability that they change nothing."""
    walked = gains_of(alone, helped)
    if not any(walked):
        return NO_SPEEDUP
    gains, ends = walked[-2:], replace(FITTED, none=in_vain)
    points = [*(place * STEP for place in range(round(MOST / STEP))), MOST]
    place = max(points, key=lambda x: ends.near(x, gains))
    sure = ends.near(place, gains) >= SURE
    low, middle, high = (math.exp(_quantile(share, ends, gains)) for share in (LOW, MIDDLE, HIGH))
    likeliest = math.exp(place) if place < MOST else max(MOST_FASTER, middle)
    return Speedup(likeliest if sure else middle, low, high, sure, likeliest)


def _quantile(share: float, ends: Ends, gains: Sequence[float]) -> float:
    """The logarithm of the effect that is reached at most with this probability; none is below 1."""
    low, high = 0.0, FURTHEST
    while high - low > STEP / 4:
        middle = (low + high) / 2
        low, high = (low, middle) if ends.up_to(middle, gains) >= share else (middle, high)
    return low
