"""How a queue moves from here: a fluid walk from the pool's own rates, with how far it may stray."""

import math
from dataclasses import dataclass

from bot.core.forecast.flow import MEAN_OVER_MEDIAN as MEAN_OVER_MEDIAN  # noqa: PLC0414 - others know it by this place
from bot.core.forecast.flow import Flow, usual_at

HORIZON_MINUTES = 720.0
REVERTS_MINUTES = 120.0
"""Within about this time arrivals go back to what is usual for the pool."""
UNFORESEEN = 0.12
"""Relative spread of the net rate that no figure shows: people push, people stop."""
STAYS = 0.3
"""The part of it that does not fade beside known weeks; without them `forecast.DRIFT` stands for the coming hours."""
LASTS = 0.3
"""How unsure it is that arrivals above or below the habit of the hour stay so, as a share of the difference."""
LASTS_UNTOLD = 0.5
"""The same where no past weeks are known: the usual may be that of another hour, so that it stays or goes back is an
even toss, and half of the difference is the standard deviation of that."""
HABIT = 1.5
"""Times the spread between weeks by which the whole time foretold may lie above or below their habit."""
UNFORESEEN_BESIDE_HABIT = 0.22
"""The same as UNFORESEEN where habits are known: they make the walk sharper than the world is (measured)."""
FIRST_TURN = 0.42
"""Runners that start together also end together: renewal theory lets that part of a turn pass without an end."""


@dataclass(frozen=True, slots=True)
class WalkPoint:
    """The queue at one time: what is expected, and the standard deviation around it."""

    minute: float
    queued: float
    spread: float
    started: float
    """Jobs started until then."""


def walk(flow: Flow, more: int = 0) -> list[WalkPoint]:
    """The queue from now on, minute by minute at first; `more` runners join after their boot time.

    Below its floor the queue walks on, as if there were always work, so that crossings at other spreads can be read
    off. With more runners the queue is nowhere longer, and the spread is that without them.
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
    """Jobs a minute that one added runner takes after its first; an ephemeral one boots again in between."""
    return flow.pace / (1 + flow.pace * flow.boot) if flow.ephemeral else flow.pace


def arriving_at(flow: Flow, minute: float) -> float:
    """Jobs a minute that are expected to arrive so many minutes from now."""
    if flow.usual is None:
        return flow.arrivals
    above = (flow.arrivals - flow.usual) * (1.0 if flow.lasts else math.exp(-minute / REVERTS_MINUTES))
    return max(0.0, (usual_at(flow.habits, minute) if flow.habits else flow.usual) + above)


def _spread(flow: Flow, minute: float, started: float, arrived: float) -> float:
    """Chance, what the rates may be off by, and what nobody can foresee; the last two fade as all reverts to usual."""
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
    """Minutes until expectation plus `z` standard deviations is at the floor; None: not within the horizon."""
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
