"""Simple readings of a queue, and their blend into quantiles of the time until it has drained."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from operator import mul

from bot.core.forecast.flow import Flow
from bot.core.forecast.walk import HORIZON_MINUTES, WalkPoint, drains_after, walk

LATER_MINUTES, LAST_MINUTES = 60.0, 240.0
LEAST_WORKING = 0.05
"""Share of the usual runners: fewer are as bad as none."""
LOW, MIDDLE, HIGH = 0.07, 0.5, 0.93
"""A little further out than 10 % and 90 %: another fleet is less regular, and wide intervals are drawn together."""
FADES = 2.0
"""A drain at present rates within this factor of the horizon counts in part, so that no forecast jumps there."""
BLEND: Mapping[bool, Mapping[float, tuple[float, ...]]] = {
    True: {
        LOW: (-1.58, 0.09, 0.07, 0.15, 0.04, 0.30, -0.10, -0.57, 0.25, 0.43, 0.20, 0.03),
        MIDDLE: (-0.05, 0.20, 0.00, 0.17, 0.16, 0.19, -0.15, -0.49, 0.07, 0.42, 0.05, 0.00),
        HIGH: (3.56, 0.18, 0.10, 0.22, 0.14, 0.10, -0.23, 0.41, -0.19, 0.11, -0.26, 0.07),
    },
    False: {
        LOW: (-1.15, 0.06, 0.28, -0.15, 0.23, 0.34, -0.15, -0.04, 0.16, 0.33, 0.44, 0.10),
        MIDDLE: (0.14, 0.07, 0.03, 0.27, 0.30, 0.26, -0.12, 0.13, 0.03, 0.08, 0.14, 0.17),
        HIGH: (3.67, 0.05, -0.13, 0.34, 0.13, 0.24, -0.11, 0.12, -0.02, -0.07, -0.03, 0.07),
    },
}
"""By whether the present rates drain the queue, and by quantile: the constant, and the weight of each of
`DrainReadings.logs`.

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
    usual_last: float | None
    """The same from four hours on."""
    slope: float | None
    """If the queue goes on as lately."""
    waited: float
    """The longest wait: trouble that has lasted long lasts longer."""
    lasts: float
    """Mean minutes of a job: a queue of long jobs changes slowly."""
    slower: float
    """How many times longer than usual jobs take."""
    queued: float
    """Jobs in the queue: chance empties a short one."""
    clears: float | None
    """If no more jobs arrived."""
    working: float
    """Runners that take jobs, as a share of the usual ones."""
    boot: float
    """Minutes of a boot: help comes no sooner."""
    lucky: float | None
    """If all rates stay and chance helps: a queue that changes little may be empty any time."""

    @property
    def walks(self) -> tuple[float, ...]:
        """Logarithms of the walked minutes, at most the horizon's."""
        return tuple(_log(time) for time in (self.as_it_is, self.usual_now, self.usual_later, self.usual_last))

    @property
    def logs(self) -> tuple[float, ...]:
        """What the blend is made of."""
        jobs = _log(self.lasts), math.log(min(max(self.slower, 0.1), 10.0)), math.log(max(self.queued, 1.0))
        supply = _log(self.clears), math.log(max(self.working, LEAST_WORKING)), math.log(self.boot)
        drains = _log(self.lucky), *self.walks[1:3], _log(self.slope)
        return (*drains, math.log(1 + self.waited), *jobs, *supply)

    @property
    def never(self) -> bool:
        """Whether no walk drains the queue, even with all rates as usual."""
        return self.as_it_is is self.usual_now is self.usual_later is None


def _log(minutes: float | None) -> float:
    return math.log(HORIZON_MINUTES if minutes is None else min(max(minutes, 0.5), HORIZON_MINUTES))


def readings(flow: Flow, more: int = 0) -> DrainReadings:
    """The readings of a flow, with `more` runners."""
    points = list(walk(flow, more=more))
    stay, lucky = drains_after(points, flow.floor), drains_after(points, flow.floor, flow.spread)
    ends = (0.0, LATER_MINUTES, LAST_MINUTES)
    now, later, last = (drains_after(walk(flow, end, more), flow.floor) for end in ends)
    slope = flow.queued / flow.shrinks if flow.shrinks and flow.shrinks > 0 else None
    lasts, slow = 1 / flow.pace, flow.usual_pace / flow.pace
    clears = flow.queued / (flow.runners * flow.pace) if flow.runners else None
    works = flow.runners / max(flow.usual_runners, 1.0)
    return DrainReadings(
        stay, now, later, last, slope, flow.waited, lasts, slow, flow.queued, clears, works, flow.boot, lucky
    )


def quantile(found: DrainReadings, share: float) -> float:
    """The time in minutes that the drain needs at most with this probability; at most the horizon."""
    drains = min(1.0, (math.log(HORIZON_MINUTES) - found.walks[0]) / math.log(FADES))
    known, log = (1.0, *found.logs), 0.0
    for do, part in ((True, drains), (False, 1.0 - drains)):
        log += part * sum(map(mul, BLEND[do][share], known)) if part else 0.0
    return min(HORIZON_MINUTES, max(0.5, math.exp(log)))


def longest_wait(flow: Flow, points: list[WalkPoint]) -> float | None:
    """The longest wait in minutes until the queue of now has started; None if it does not within the horizon."""
    turn = next((point.minute for point in points if point.started >= flow.queued), None)
    first = next((point.minute for point in points if point.started >= 1), None)
    return None if turn is None or first is None else max(flow.waited + first, turn)
