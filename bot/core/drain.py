"""How a queue moves from here: a fluid walk from the pool's own rates, with how far it may stray."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.pool import PoolRules, Snapshot

LEAST_SAMPLES = 3
RATE_MINUTES = 10.0
"""The span over which sources commonly average their rates."""
CREATE_MINUTES = 15.0
HORIZON_MINUTES = 720.0
REVERTS_MINUTES = 120.0
"""Within about this time arrivals go back to what is usual for the pool."""
UNFORESEEN = 0.12
"""Relative spread of the net rate that no figure shows: people push, people stop."""
LASTS = 0.3
"""How unsure it is that arrivals above or below the usual stay so, as a share of the difference."""
FIRST_TURN = 0.42
"""Runners that start together also end together: renewal theory lets that part of a turn pass without an end."""
PACE_MINUTES = 30.0
USUAL_MINUTES = 15.0
"""The pool's usual rate counts as much as that many minutes of watching."""
BURST = 2.5
"""Times the usual rate: so many at once are a burst that is over, not a rate that goes on."""
MEAN_OVER_MEDIAN = 1.12
"""Job times have a long tail; their mean lies this far above their median."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A pool's queue in motion; rates are per minute."""

    queued: float
    oldest_wait: float
    """Minutes."""
    arrivals: float
    arrivals_doubt: float
    """Standard deviation of `arrivals`."""
    usual: float | None
    online: float
    booting: float
    joins: float
    """Runners that come online a minute, while there is room."""
    room: float
    """Runners that may still be created below the limit."""
    pace: float
    """Jobs that one busy runner finishes."""
    doubt: float
    """Relative uncertainty of the pace."""
    ephemeral: bool
    """A runner ends with its job."""
    boot: float
    """Minutes."""
    floor: float


@dataclass(frozen=True, slots=True)
class Point:
    """The queue at one time: what is expected, and the standard deviation around it."""

    minute: float
    queued: float
    spread: float
    started: float
    """Jobs started until then."""


def flow_of(series: tuple[Snapshot, ...], rules: PoolRules, speed: float = 1.0) -> Flow | str:
    """Read the motion from the samples, or say why it cannot be read.

    `speed`: seconds of the fleet in one second of the clock, 1 except in a simulation.
    """
    last = series[-1] if series else Snapshot(rules.name, 0.0)
    found = _pace(last, [s for s in series if last.at - s.at <= PACE_MINUTES * 60 / speed], speed)
    if why := _unreadable(last):
        return why
    if found is None:
        return "neither completions nor durations are known"
    if (known := sum(sample.queued is not None for sample in series)) < LEAST_SAMPLES:
        return f"{known} of the {LEAST_SAMPLES} measurements that it takes"
    window = [s for s in series if last.at - s.at <= RATE_MINUTES * 60 / speed]
    arrivals = _arriving(last, series, speed)
    boot = max(rules.boot_time_seconds / 60, 0.1)
    online = (last.busy or 0) + (last.idle or 0)
    booting = _mean(s.booting for s in window) if last.booting is not None else 0.0
    ephemeral = _ephemeral(last, series, found[0], speed)
    return Flow(
        queued=max(0.0, (last.queued or 0) - (last.unservable or 0)),
        oldest_wait=(last.oldest_wait_seconds or 0.0) / 60,
        arrivals=arrivals[0],
        arrivals_doubt=arrivals[1],
        usual=last.usual_arrivals_per_minute,
        online=online,
        booting=last.booting or 0,
        joins=_joins(last, booting, boot),
        room=_room(last, online),
        pace=found[0],
        doubt=found[1],
        ephemeral=ephemeral,
        boot=boot,
        floor=rules.floor,
    )


def _unreadable(last: Snapshot) -> str:
    if last.queued is None:
        return "the length of the queue is unknown"
    if last.unservable is None and any(reason.startswith("unservable") for reason in last.missing):
        return "it is unknown which part of the queue can be served"
    if last.arrivals_per_minute is None:
        return "the rate of arrivals is unknown"
    return "the number of busy runners is unknown" if last.busy is None else ""


def _arriving(last: Snapshot, series: tuple[Snapshot, ...], speed: float) -> tuple[float, float]:
    """Arrivals a minute and their standard deviation: the last half hour without its bursts, drawn to the usual."""
    now, usual = last.arrivals_per_minute or 0.0, last.usual_arrivals_per_minute
    rates = [now]
    for ago in (1, 2):
        at = last.at - ago * RATE_MINUTES * 60 / speed
        near = [s for s in series if abs(s.at - at) <= 90 / speed and s.arrivals_per_minute is not None]
        rates += [min(near, key=lambda s: abs(s.at - at)).arrivals_per_minute or 0.0] if near else []
    middle = sorted(rates)[(len(rates) - 1) // 2]
    most = BURST * max(middle if usual is None else min(max(middle, usual), 2 * usual), 0.2)
    calm = [rate for rate in rates if rate <= most] or [min(rates)]
    minutes, jobs = RATE_MINUTES * len(calm), RATE_MINUTES * sum(calm)
    if usual is not None:
        minutes, jobs = minutes + USUAL_MINUTES, jobs + USUAL_MINUTES * usual
    rate = jobs / minutes
    return rate, math.sqrt(max(rate, 0.05) / minutes)


def _pace(last: Snapshot, window: list[Snapshot], speed: float) -> tuple[float, float] | None:
    """Jobs a minute of one runner from completions and from durations, by how much there is to go on."""
    both = [(s.completions_per_minute, s.busy) for s in window if s.completions_per_minute is not None and s.busy]
    busy, rate = _mean(b for _, b in both), _mean(c for c, _ in both)
    by_time = 60 / (last.duration_p50_seconds * MEAN_OVER_MEDIAN) if last.duration_p50_seconds else None
    by_count = rate / busy if rate and busy else None
    if by_count is None:
        return None if by_time is None else (by_time, 0.35)
    seen = rate * max(RATE_MINUTES, (last.at - window[0].at) * speed / 60)
    alone = 0.7 / math.sqrt(seen + 2)
    if by_time is None:
        return by_count, alone
    trust = seen / (seen + 12)
    pace = trust * by_count + (1 - trust) * by_time
    return pace, min(0.5, math.hypot(0.7 * alone, 0.25 * abs(by_count - by_time) / pace))


def _joins(last: Snapshot, booting: float, boot: float) -> float:
    by_boot = booting / boot
    if last.creates is None:
        return by_boot
    if last.registered is not None and last.creates >= 3 and last.registered == 0:
        return 0.0
    return 0.6 * by_boot + 0.4 * last.creates / CREATE_MINUTES if by_boot else 0.0


def _room(last: Snapshot, online: float) -> float:
    if last.limit is None:
        return math.inf
    return max(0.0, last.limit - online - (last.booting or 0) - (last.offline or 0) - (last.failed or 0))


def _ephemeral(last: Snapshot, series: tuple[Snapshot, ...], pace: float, speed: float) -> bool:
    """Whether runners are created about as fast as jobs end, although the pool does not grow."""
    ends = last.completions_per_minute or pace * (last.busy or 0)
    if not last.creates or not ends:
        return False
    created = last.creates / CREATE_MINUTES
    past = [s for s in series if last.at - s.at <= CREATE_MINUTES * 60 / speed and s.online is not None]
    before, now = past[0] if past else last, last
    minutes = max(1.0, (now.at - before.at) * speed / 60)
    grown = ((now.online or 0) + (now.booting or 0) - (before.online or 0) - (before.booting or 0)) / minutes
    return (created - grown) / ends > 0.5


def _mean(values: Iterable[float | None]) -> float:
    known = [float(v) for v in values if v is not None]
    return sum(known) / len(known) if known else 0.0


def walk(flow: Flow, more: int = 0) -> list[Point]:
    """The queue from now on, minute by minute at first; `more` runners join after their boot time.

    Below its floor the queue walks on, as if there were always work, so that crossings at other spreads can be read
    off. With more runners the queue is nowhere longer, and the spread is that without them.
    """
    minute, step = 0.0, 1.0
    queued, online, creatable = flow.queued, flow.online, flow.booting + flow.room
    own, extra, joined = 0.0, 0.0, False
    points = [Point(0.0, queued, 0.0, 0.0)]
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
        queued += _arrivals(flow, minute) * step - starts - again
        own, extra = own + starts, extra + again
        minute += step
        points.append(Point(minute, queued, _spread(flow, minute, own), own + extra))
        step = 1.0 if minute < 90 else 5.0
    return points


def _turn(flow: Flow) -> float:
    """Jobs a minute that one added runner takes after its first; an ephemeral one boots again in between."""
    return flow.pace / (1 + flow.pace * flow.boot) if flow.ephemeral else flow.pace


def _arrivals(flow: Flow, minute: float) -> float:
    if flow.usual is None:
        return flow.arrivals
    return flow.usual + (flow.arrivals - flow.usual) * math.exp(-minute / REVERTS_MINUTES)


def _spread(flow: Flow, minute: float, started: float) -> float:
    """Chance, what the rates may be off by, and what nobody can foresee; the last two fade as all reverts to usual."""
    lasting = REVERTS_MINUTES * (1 - math.exp(-minute / REVERTS_MINUTES))
    chance = flow.arrivals * minute + 0.4 * started
    estimate = flow.arrivals_doubt * (lasting if flow.usual is not None else minute)
    slower = flow.doubt * started
    unforeseen = UNFORESEEN * max(flow.arrivals, flow.usual or 0.0) * (lasting + 0.3 * (minute - lasting))
    surge = LASTS * abs(flow.arrivals - flow.usual) * minute if flow.usual is not None else 0.0
    return math.sqrt(chance + estimate**2 + slower**2 + unforeseen**2 + surge**2)


def crossing(points: list[Point], floor: float, z: float) -> float | None:
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
