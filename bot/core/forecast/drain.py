"""Simulates a queue from the pool's rates as a flow, with its uncertainty."""

import math
from dataclasses import dataclass

from bot.core.forecast.flow import MEAN_OVER_MEDIAN as MEAN_OVER_MEDIAN  # noqa: PLC0414 - others know it by this place
from bot.core.forecast.flow import Flow, usual_at

HORIZON_MINUTES = 720.0
REVERTS_MINUTES = 120.0
"""Time in which arrivals return to the pool's usual rate."""
UNFORESEEN = 0.12
"""Relative uncertainty of the net rate beyond the figures: people start and stop pushing."""
STAYS = 0.3
"""The part of it that does not fade with known weeks; without them see `forecast.DRIFT`."""
LASTS = 0.3
"""Uncertainty whether arrivals keep their difference to the hour's usual rate, as a share of it."""
LASTS_UNTOLD = 0.5
"""The same without known weeks, when the usual rate may be that of another hour.

Whether the difference stays or fades is then equally likely, and half of it is the standard deviation.
"""
HABIT = 1.5
"""Factor on the spread between weeks by which all coming hours may differ from the usual ones."""
UNFORESEEN_BESIDE_HABIT = 0.22
"""UNFORESEEN with known weeks, whose forecasts would otherwise be too narrow (measured)."""
FIRST_TURN = 0.42
"""Runners that start together end together; this part of a turn passes without an end."""


@dataclass(frozen=True, slots=True)
class WalkPoint:
    """The expected queue at one time and its standard deviation."""

    minute: float
    queued: float
    spread: float
    started: float
    """Jobs started until then."""


def walk(flow: Flow, more: int = 0) -> list[WalkPoint]:
    """The expected queue from now on, minute by minute at first; `more` runners join after their boot time.

    Below the floor it continues as if there were always work, so that crossings at other spreads can be read. With more
    runners it is never longer, and it has the spread of the walk without them.
    """
    minute, step = 0.0, 1.0
    queued, online, creatable = flow.queued, flow.online, flow.booting + flow.room
    own, extra, arrived, joined = 0.0, 0.0, 0.0, False
    points = [WalkPoint(0.0, queued, 0.0, 0.0)]
    while minute < HORIZON_MINUTES:
        if more and not joined and minute >= flow.boot:
            joined, creatable = True, max(0.0, creatable - more)
            queued, extra = queued - more, extra + more
        ends = flow.pace * online * step
        replaced = ends if flow.ephemeral else 0.0
        joins = min(flow.joins * step, creatable + replaced)
        creatable += replaced - joins
        starts = joins + ends - replaced
        again = more * _turn(flow) * step if joined and (minute - flow.boot) * _turn(flow) > FIRST_TURN else 0.0
        online += joins - replaced
        arrives = arriving_at(flow, minute) * step
        queued += arrives - starts - again
        own, extra, arrived = own + starts, extra + again, arrived + arrives
        minute += step
        points.append(WalkPoint(minute, queued, _spread(flow, minute, own, arrived), own + extra))
        step = 1.0 if minute < 90 else 5.0
    return points


def _turn(flow: Flow) -> float:
    """Jobs per minute of one added runner after its first job; an ephemeral one boots in between."""
    return flow.pace / (1 + flow.pace * flow.boot) if flow.ephemeral else flow.pace


def arriving_at(flow: Flow, minute: float) -> float:
    """Expected arrivals per minute at so many minutes from now."""
    if flow.usual is None:
        return flow.arrivals
    above = (flow.arrivals - flow.usual) * (1.0 if flow.lasts else math.exp(-minute / REVERTS_MINUTES))
    return max(0.0, (usual_at(flow.habits, minute) if flow.habits else flow.usual) + above)


def _spread(flow: Flow, minute: float, started: float, arrived: float) -> float:
    """Combined uncertainty: chance, the rates, and unforeseen changes; the last two fade over time."""
    lasting = REVERTS_MINUTES * (1 - math.exp(-minute / REVERTS_MINUTES))
    usual = flow.usual is not None
    chance = (arrived if flow.habits else flow.arrivals * minute) + 0.4 * started
    estimate = flow.arrivals_doubt * (lasting if usual else minute)
    slower = flow.doubt * started
    share = UNFORESEEN_BESIDE_HABIT if flow.habits else UNFORESEEN
    stays = STAYS * (minute - lasting) if flow.habits else 0.0
    unforeseen = share * max(flow.arrivals, flow.usual or 0.0) * (lasting + stays)
    lasts = LASTS if flow.habits else LASTS_UNTOLD
    surge = lasts * abs(flow.arrivals - flow.usual) * minute if flow.usual is not None else 0.0
    habit = HABIT * flow.habits[0].spread * minute if flow.habits else 0.0
    return math.sqrt(chance + estimate**2 + slower**2 + unforeseen**2 + surge**2 + habit**2)


def crossing(points: list[WalkPoint], floor: float, z: float) -> float | None:
    """Minutes until expectation plus `z` standard deviations reaches the floor; None: beyond the horizon."""
    before = points[0]
    if before.queued <= floor:
        return 0.0
    height = before.queued - floor
    for point in points[1:]:
        now = point.queued + z * point.spread - floor
        if now <= 0:
            return before.minute + (point.minute - before.minute) * height / (height - now)
        before, height = point, now
    return None
