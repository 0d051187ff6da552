"""What is read off a walk: when the queue drains, when a job starts, what more runners do, whether there is an alert.

Numbers that leave this module have two digits, so that they are the same on every machine.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from bot.core.forecast.state import PARTICLES, TINY, Array, Particles
from bot.core.forecast.walk import HORIZON_MINUTES, Question, QueueWalk, Until, flow, walk
from bot.core.pool.early_warning import Measure, Threshold
from bot.core.pool.outlook import UNBOUND, AddedRunners, Foreseen, Quantiles, Reach

TODAY_MINUTES = 720.0
"""*Today*. Origin: a shift, so the working day that somebody on call can see."""
LIKELY = 2 / 3
"""Origin: two in three; from here on people call something probable (Kent's words of estimative probability: 63 %)."""
GROWTH_MINUTES = 30.0
"""Whether a queue grows is asked of the next half hour. Origin: its arrivals are read from the last one."""
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Origin: four in five forecasts should hold; the quarters are the middle half."""


def span_of(minutes: Array) -> Quantiles:
    """Quantiles of times, in seconds; those beyond the horizon are infinite."""
    ordered = np.sort(minutes)
    return Quantiles(*(_seconds(ordered[round(share * (len(ordered) - 1))]) for share in SHARES))


def _seconds(minutes: float) -> float:
    return float(f"{60 * minutes:.2g}")


def foreseen(state: Particles, reach: Reach = UNBOUND) -> Foreseen:
    """The drain if nobody acts: with the end of the trouble drawn, without an end, and with its end now.

    Beside it walks the queue with the most runners that may be added at once: fewer never do more.
    """
    broken, found = state.seen.until is not None, walk(state, Question((0, reach.step), reach))
    as_it_is = walk(state, Question(until=Until.NEVER, minutes=TODAY_MINUTES)).drains[0] if broken else found.drains[0]
    near = int(np.searchsorted(found.path.minutes, GROWTH_MINUTES))
    later = found.path.queued[min(near, len(found.path.minutes) - 1)]
    return Foreseen(
        span_of(found.drains[0]),
        _today(found.drains[0]),
        broken and _today(as_it_is) <= 1 - LIKELY,
        span_of(walk(state, Question(until=Until.NOW)).drains[0]) if broken else None,
        bool(np.median(later) > state.seen.queued),
        _effect(found, 1, reach.step).times,
    )


def _today(minutes: Array) -> float:
    return round(float((minutes <= TODAY_MINUTES).mean()), 2)


def effects(state: Particles, counts: Iterable[int], reach: Reach = UNBOUND) -> tuple[AddedRunners, ...]:
    """What each number of added runners does, none first, by the same particles with the same chance."""
    rows = tuple(sorted({0, *(more for more in counts if more > 0)}))
    found = walk(state, Question(rows, reach))
    return tuple(_effect(found, place, more) for place, more in enumerate(rows))


def _effect(found: QueueWalk, place: int, more: int) -> AddedRunners:
    alone, helped = (np.minimum(found.drains[row], HORIZON_MINUTES) for row in (0, place))
    times = np.sort(alone / helped)
    low, middle, high = (round(float(times[round(share * (PARTICLES - 1))]), 2) for share in SHARES[::2])
    turn = np.minimum(found.turn[place], found.drains[place])
    waits = float(np.median(np.maximum(found.seen.waited + np.minimum(found.first[place], turn), turn)))
    return AddedRunners(
        more, span_of(found.drains[place]), _seconds(waits) if np.isfinite(waits) else None,
        times=middle, low=low, high=high,
    )  # fmt: skip


def starts(found: QueueWalk, ahead: float) -> Quantiles:
    """When the job with so many ahead of it starts: as soon as one more than those have started."""
    path = found.path
    started = found.seen.queued + path.arrived - path.queued
    beyond = started >= min(ahead + 1, found.seen.queued)
    first = np.where(beyond.any(axis=0), path.minutes[beyond.argmax(axis=0)], np.inf)
    return span_of(first)


def crossing(
    state: Particles, limits: Sequence[Threshold], ages: Sequence[float], minutes: float
) -> list[tuple[float, Quantiles]]:
    """(share of the particles that cross it, when) of each threshold within these minutes.

    `ages`: minutes that each job of now has waited, the oldest first.
    """
    found = walk(state, Question(minutes=minutes, drained=False))
    times = [_first(found, limit, np.asarray(ages, float)) for limit in limits]
    return [(round(float(np.isfinite(one).mean()), 2), span_of(one)) for one in times]


def _first(found: QueueWalk, limit: Threshold, ages: Array) -> Array:
    """The minute in which each particle crosses a threshold; infinite: not within the walk."""
    path = found.path
    queued = limit.measure is Measure.QUEUED
    heights = path.queued + found.seen.unservable if queued else 60 * _waits(found, ages)
    over = heights >= limit.value
    step = over.argmax(axis=0)
    before, after = (np.take_along_axis(heights, at[None, :], axis=0)[0] for at in (np.maximum(step - 1, 0), step))
    part = np.clip((limit.value - before) / np.maximum(after - before, TINY), 0.0, 1.0)
    minute = path.minutes[np.maximum(step - 1, 0)]
    return np.where(over.any(axis=0), minute + part * (path.minutes[step] - minute), np.inf)


def _waits(found: QueueWalk, ages: Array) -> Array:
    """The longest wait at each step; jobs start in order of arrival."""
    path, now = found.path, found.seen.queued
    gone = np.maximum(0.0, now + path.arrived - path.queued)
    old = np.append(ages, 0.0)[np.minimum(gone.astype(int), len(ages))] + path.minutes[:, None]
    waits = np.empty_like(gone)
    for step, minute in enumerate(path.minutes):
        came = (path.arrived[: step + 1] <= gone[step] - now).sum(axis=0) - 1
        young = minute - path.minutes[np.maximum(came, 0)]
        waits[step] = np.where(path.queued[step] < 1, 0.0, np.where(gone[step] < now, old[step], young))
    return waits


def lived_again(
    start: tuple[float, float], quiet: float, rows: Sequence[Sequence[tuple[float, float, float]]]
) -> list[float]:
    """The queue at the end of the past for each row: what arrived, which share ended, and the runners of each step."""
    rates = np.array(rows)
    system = np.full(len(rows), quiet) + start[1]
    system[0] = start[0] + start[1]
    for arrived, ends, runners in rates.transpose(1, 2, 0):
        system = flow(system + arrived, np.maximum(runners, 0.0), ends, 1.0)
    return [float(left) for left in np.maximum(0.0, system - rates[:, -1, 2])]
