"""How many times faster a queue drains with more runners: a range, and a figure where one is likely to be right.

The effect depends on when the trouble ends, which nobody knows. It is walked for an end in an hour and for one in four,
each with its doubt, beside a third possibility of which nothing is known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.forecast.readings import HIGH, LOW, MIDDLE, DrainReadings

NEAR = 0.2
"""A figure is right within this share."""
SURE = 0.4
"""Least probability of that: of all figures that reach it, about 3 in 4 are right."""
STEP, FURTHEST = 0.02, 6.0


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

    def up_to(self, x: float, gains: Sequence[float]) -> float:
        """The probability that the effect's logarithm is at most x."""
        total = (1 - self.later - self.last) * (1 - math.exp(-max(0.0, x) / self.other))
        for share, gain in zip((self.later, self.last), gains, strict=True):
            off = (self.kept * gain - x) / (self.exact + self.vague * self.kept * gain)
            total += share * 0.5 * math.erfc(off / math.sqrt(2))
        return total

    def near(self, x: float, gains: Sequence[float]) -> float:
        """The probability that this figure is right."""
        return self.up_to(x - math.log(1 - NEAR), gains) - self.up_to(x - math.log(1 + NEAR), gains)


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


NO_SPEEDUP = Speedup()


def gains_of(alone: DrainReadings, helped: DrainReadings) -> list[float]:
    """Logarithms of how many times sooner each walk drains with more runners."""
    return [max(0.0, one - other) for one, other in zip(alone.walks, helped.walks, strict=True)]


def speedup_of(alone: DrainReadings, helped: DrainReadings) -> Speedup:
    """The effect; none where more runners change no walk."""
    walked = gains_of(alone, helped)
    if not any(walked):
        return NO_SPEEDUP
    gains = walked[-2:]
    points = [place * STEP for place in range(round((max(gains) + NEAR) / STEP) + 1)]
    likeliest = max(points, key=lambda x: FITTED.near(x, gains))
    sure = FITTED.near(likeliest, gains) >= SURE
    low, middle, high = (math.exp(_quantile(share, gains)) for share in (LOW, MIDDLE, HIGH))
    return Speedup(math.exp(likeliest) if sure else middle, low, high, sure)


def _quantile(share: float, gains: Sequence[float]) -> float:
    """The logarithm of the effect that is reached at most with this probability; none is below 1."""
    low, high = 0.0, FURTHEST
    while high - low > STEP / 4:
        middle = (low + high) / 2
        low, high = (low, middle) if FITTED.up_to(middle, gains) >= share else (middle, high)
    return low
