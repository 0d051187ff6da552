"""Draws the particles: each is one complete, plausible state of a pool at one instant.

The only place that draws random numbers: from `RandomState`, whose stream is frozen, seeded by the pool. So the chance
is the same at each measurement, and a forecast changes only when the figures do.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bot.core.forecast.rates import NOW_MINUTES, Count
from bot.core.forecast.seen import DAY_MINUTES, TYPICAL_MINUTES, Seen, seed_of

Array = NDArray[np.float64]
PARTICLES = 256
"""Origin: a share of 10 % of them is known to 2 %; more cost time and say nothing more."""
HOURS_DIFFER = 2.0
"""Factor by which the load of an hour differs from that of another one of the same day, where no day is known: public
traces of CI jobs."""
QUARTER_MINUTES = DAY_MINUTES / 4
"""Origin: of the daily wave; hours so far apart differ as any two do."""
TINY = 1e-9
"""Origin: against division by zero; far below a job or a share."""


@dataclass(frozen=True, slots=True)
class Particles:
    """The particles of a pool; an array has one number for each."""

    pool: str
    seen: Seen
    load: Array
    """Arrivals per minute now."""
    level: Array
    """Factor on the usual arrivals of known hours; ones where no earlier day is known."""
    drift: Array
    """Standard deviations by which later hours differ from the usual, where no earlier day is known."""
    runners: Array
    """That take jobs now."""
    pace: Array
    """Jobs that a runner ends per minute now, ..."""
    usual_pace: Array
    """... and once the trouble is over."""
    runners_per_minute: Array
    """Runners that come per minute as it is."""
    launched: Array
    """Machines that come per minute as it is, where each ends with its job; empty: runners stay."""
    ends: Array
    """Minutes until the trouble ends."""
    back: Array
    """Minutes until the hosts that are offline are back."""


@cache
def luck(steps: int) -> Array:
    """Standard deviations of chance in each step: of arrivals and of ends, the same for every walk."""
    return np.random.RandomState(0).standard_normal((steps, 2, PARTICLES))


def state_of(seen: Seen, pool: str) -> Particles:
    dice = np.random.RandomState(seed_of(pool))
    usual = max(seen.usual.habits[0].arrivals, 1 / DAY_MINUTES)
    load = seen.batches * _gamma(dice, seen.arrivals, seen.batches / usual, seen.batches)
    known = usual * seen.usual.minutes / seen.batches
    level = dice.standard_gamma(known, PARTICLES) / known if known >= 1 else np.ones(PARTICLES)
    drift = dice.standard_normal(PARTICLES) * (seen.usual.minutes == 0)
    typical = seen.usual.pace or 1 / TYPICAL_MINUTES
    pace = _gamma(dice, seen.ends, 1 / typical, 1.0)
    usual_pace = np.full(PARTICLES, seen.usual.pace) if seen.usual.pace else pace
    runners = np.full(PARTICLES, seen.runners)
    if (
        not seen.runners_counted
    ):  # how many runners that takes is not known, and what starts from the queue's slope alone
        served = seen.runners * (seen.ends.rate or 1 / TYPICAL_MINUTES)
        minutes = min(seen.arrivals.minutes, NOW_MINUTES)
        sure = max(1.0, served * served * minutes / max(seen.batches * seen.arrivals.rate + served, TINY))
        runners = served * dice.standard_gamma(sure, PARTICLES) / sure / pace
    room = max(seen.supply.max_runners - seen.runners, 1.0)
    # as lately; before machines can be late, room is filled in two boots
    due, first = (0.0, 0.0) if seen.until else (2 * seen.boot / room, 1.0)
    minutes = max(seen.supply.came.minutes, seen.boot)
    runners_per_minute = dice.standard_gamma(seen.supply.came.jobs + first, PARTICLES) / (due + minutes)
    lasted = max(seen.lasted, seen.normal_wait)
    return Particles(
        pool, seen, load, level, drift, runners, pace, usual_pace,
        runners_per_minute=runners_per_minute * (seen.still is None),
        launched=_launched(dice, seen),
        ends=_lasts(dice, lasted, seen.tail),
        back=_returns(dice, seen, lasted),
    )  # fmt: skip


def _gamma(dice: np.random.RandomState, count: Count, weight: float, batch: float) -> Array:
    """Draws of a rate of batches: the prior counts as one batch in `weight` minutes."""
    return dice.standard_gamma(1 + count.jobs / batch, PARTICLES) / (weight + count.minutes)


def _launched(dice: np.random.RandomState, seen: Seen) -> Array:
    came = seen.supply.launched
    if came is None or seen.until is not None:
        return np.zeros(0)
    return np.asarray(
        dice.standard_gamma(1 + came.jobs, PARTICLES)
        / (came.minutes + 1 / max(seen.supply.usual_launches, 1 / DAY_MINUTES))
    )


def _lasts(dice: np.random.RandomState, lasted: float, tail: float) -> Array:
    """Minutes for which a trouble lasts that has lasted for so long; one draw in each of equal shares.

    By its age alone, which is a tail of 1, it lasts as long again with probability 1/2, ten times as long with 1/11
    (J. R. Gott, Nature 363, 1993; Lindy's law); the pool's own past tells its tail.
    """
    shares = (dice.permutation(PARTICLES) + dice.random_sample(PARTICLES)) / PARTICLES
    return np.asarray(lasted * (np.maximum(shares, TINY) ** (-1 / tail) - 1))


def _returns(dice: np.random.RandomState, seen: Seen, lasted: float) -> Array:
    """Minutes until hosts are back: by the law of their own past where it has one, else like any trouble."""
    own = _lasts(dice, lasted, seen.tail)
    if not seen.returned.jobs:
        return own
    rate = dice.standard_gamma(seen.returned.jobs, PARTICLES) / seen.returned.minutes
    return np.asarray(dice.standard_exponential(PARTICLES) / rate)
