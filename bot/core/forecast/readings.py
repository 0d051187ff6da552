"""Simple readings of a queue, and their blend into quantiles of the time until it has drained."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.forecast.flow import Flow
from bot.core.forecast.walk import HORIZON_MINUTES, WalkPoint, drains_after, walk

LATER_MINUTES = 60.0
LOW, MIDDLE, HIGH = 0.06, 0.5, 0.94
"""A little further out than 10 % and 90 %: another fleet is less regular, and wide intervals are drawn together."""
BLEND: Mapping[float, tuple[float, ...]] = {
    LOW: (-2.73, 0.17, 0.28, 0.05, 0.24, -0.30, 0.80, -0.09, 0.20),
    MIDDLE: (-0.65, 0.14, 0.10, 0.22, 0.41, -0.39, 0.38, -0.09, 0.19),
    HIGH: (3.38, 0.12, -0.09, 0.23, 0.21, -0.15, 0.19, -0.17, 0.17),
}
"""By quantile: the constant, and the weight of each of `DrainReadings.logs`.

Quantile regression (R. Koenker and G. Bassett 1978) on 4,710 forecasts by `python -m tests.bench.fit_forecast`, half of
them without known weeks. `python -m tests.bench.forecast` judges them on other seeds.
"""


@dataclass(frozen=True, slots=True)
class DrainReadings:
    """Minutes until the queue has drained, by different rules; None: not within the horizon."""

    as_it_is: float | None
    """If all rates stay."""
    usual_now: float | None
    """If arrivals, runners and job times are the usual ones from now on."""
    usual_later: float | None
    """The same from an hour on."""
    slope: float | None
    """If the queue goes on as lately."""
    waited: float
    """The longest wait: trouble that has lasted long lasts longer."""
    lasts: float
    """Mean minutes of a job: a queue of long jobs changes slowly."""
    slower: float
    """How many times longer than usual jobs take."""

    @property
    def walks(self) -> tuple[float, ...]:
        """Logarithms of the walked minutes, at most the horizon's."""
        return tuple(_log(time) for time in (self.as_it_is, self.usual_now, self.usual_later))

    @property
    def logs(self) -> tuple[float, ...]:
        """What the blend is made of: logarithms of minutes, and 1 where the queue does not shrink."""
        jobs = _log(self.lasts), math.log(min(max(self.slower, 0.1), 10.0))
        return (*self.walks, _log(self.slope), float(self.slope is None), math.log(1 + self.waited), *jobs)

    @property
    def never(self) -> bool:
        """Whether no walk drains the queue, even with all rates as usual."""
        return self.as_it_is is self.usual_now is self.usual_later is None


def _log(minutes: float | None) -> float:
    return math.log(HORIZON_MINUTES if minutes is None else min(max(minutes, 0.5), HORIZON_MINUTES))


def readings(flow: Flow, more: int = 0) -> DrainReadings:
    """The readings of a flow, with `more` runners."""
    stays, now, later = (drains_after(walk(flow, start, more), flow.floor) for start in (math.inf, 0.0, LATER_MINUTES))
    slope = flow.queued / flow.shrinks if flow.shrinks and flow.shrinks > 0 else None
    return DrainReadings(stays, now, later, slope, flow.waited, 1 / flow.pace, flow.usual_pace / flow.pace)


def quantile(found: DrainReadings, share: float) -> float:
    """The time in minutes that the drain needs at most with this probability; at most the horizon."""
    constant, *weights = BLEND[share]
    log = constant + sum(weight * one for weight, one in zip(weights, found.logs, strict=True))
    return min(HORIZON_MINUTES, max(0.5, math.exp(log)))


def longest_wait(flow: Flow, points: list[WalkPoint]) -> float | None:
    """The longest wait in minutes until the queue of now has started; None if it does not within the horizon."""
    turn = next((point.minute for point in points if point.started >= flow.queued), None)
    first = next((point.minute for point in points if point.started >= 1), None)
    return None if turn is None or first is None else max(flow.waited + first, turn)
