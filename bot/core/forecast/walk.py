"""Walks a queue forward minute by minute: jobs arrive, runners take and finish them; a pure function of a `Flow`."""

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from bot.core.forecast.flow import Flow, usual_at

HORIZON_MINUTES = 720.0
STEPS = (1.0,) * 10 + (2.0,) * 25 + (5.0,) * 24 + (15.0,) * 36
"""Lengths of the steps in minutes; together they are the horizon."""
FADES_MINUTES, RISES_MINUTES = 30.0, 180.0
"""Time in which arrivals above, or below, the usual rate return to it once things are as usual."""
RAMP_MINUTES = 10.0
"""Time beyond a boot in which a pool gets its usual runners back."""
NEVER = math.inf


class WalkPoint(NamedTuple):
    """The expected queue at one time."""

    minute: float
    queued: float
    arrived: float
    """Jobs that arrived until then."""
    started: float
    """Jobs that started until then."""
    fresh: float
    """Jobs in the queue that have waited no longer than normal."""


def walk(flow: Flow, usual_from: float = NEVER, more: int = 0, until: float = HORIZON_MINUTES) -> Iterator[WalkPoint]:
    """The expected queue from now on. From minute `usual_from` on, arrivals, runners and job times are the usual ones.

    `more` runners join after their boot time. First come, first served. No step is computed before it is asked for.
    """
    queued, minute, arrived, started = flow.queued, 0.0, 0.0, 0.0
    runners, busy, pace = flow.runners, flow.busy, flow.pace
    most, held = max(flow.most, runners), flow.blocked is not None and flow.blocked.id != "no_runners"
    yield WalkPoint(0.0, queued, 0.0, 0.0, 0.0)
    for step in STEPS:
        if minute >= until:
            break
        arrives = flow.arrivals
        if minute < usual_from:
            runners = min(most, runners + flow.grows * step)
        else:
            usual, since = usual_at(flow.usual, minute), minute - usual_from
            away = FADES_MINUTES if flow.arrivals > usual else RISES_MINUTES
            arrives = usual + (flow.arrivals - usual) * math.exp(-since / away)
            back = 2.0 if held else flow.boot + RAMP_MINUTES
            runners += max(0.0, flow.usual_runners - runners) * min(1.0, step / back)
            pace += (flow.usual_pace - pace) * min(1.0, step * flow.usual_pace)
        come = flow.come if minute < usual_from + flow.boot else 1.0
        present = runners + (more * come if minute >= flow.boot else 0)
        left = busy * math.exp(-pace * step)
        if held and minute < usual_from:
            takes = 0.0
        else:  # on free runners, and on those that finish a job, some more than once
            takes = present - busy + present * (pace * step) if busy <= present else max(0.0, present - left)
        starts = min(queued + arrives * step, takes)
        busy = max(left, min(present, left + starts))
        queued += arrives * step - starts
        minute, arrived, started = minute + step, arrived + arrives * step, started + starts
        young = flow.queued * max(0.0, flow.normal_wait - minute) / max(flow.waited, flow.normal_wait, 0.5)
        yield WalkPoint(minute, queued, arrived, started, arrives * min(minute, flow.normal_wait) + young)


def drains_after(points: Iterable[WalkPoint], floor: float, spread: float = 0.0) -> float | None:
    """Minutes until the queue is at its floor or holds only jobs whose wait is normal; None: beyond the horizon.

    With a `spread`, the variance of its length per minute, chance makes it one standard deviation shorter.
    """
    for before, point in pairwise(points):
        over = point.queued - math.sqrt(spread * point.minute) - max(floor, point.fresh)
        if over <= 0:
            fell = max(before.queued - point.queued, 1e-9)
            back = min(1.0, -over / fell)
            return max(0.5, point.minute - (point.minute - before.minute) * back)
    return None
