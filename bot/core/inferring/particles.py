"""The second voice: what changed, by particles that differ in what changed and when, weighed by how they meet the past.

Counters name a surge, or jobs that take longer, at once. Where nobody counts, three figures still tell: by how much the
jobs of the pool became more, how many runners ended some, and how many jobs came while the oldest of them waited.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from bot.core.forecast.seen import TYPICAL_MINUTES, seed_of
from bot.core.forecast.state import HOURS_DIFFER, Array
from bot.core.pool.backlog import Factor, Inferred
from bot.core.pool.baseline import Baseline
from bot.core.pool.pool import Snapshot

NUMBER = 2048
"""Particles. Origin: of a quarter of them some dozen meet the past; ten times fewer would leave one or two."""
PAST_MINUTES, APART_MINUTES, LEAST_SAMPLES = 180.0, 10.0, 4
"""Origin: judgement; trouble that began earlier is the usual of now. Jobs come in batches, so samples that are nearer
to each other tell more of a batch than of a rate, and three stretches are the fewest that show a change."""
LOAD, PACE = 0.25, 0.25
"""Probability that the load changed, or the pace. Origin: ignorance; as likely one of both as nothing."""
MOST_TIMES = 10.0
"""Origin: judgement; so many times the usual are the most that public reports tell."""
DEVIATIONS = 2.0
"""By which the best particle may miss a measurement on average. Origin: 1 in 20 by chance; else it is another thing."""


@dataclass(slots=True)
class _Changes:
    """The particles: what is usual in each, and what changed by how much so many minutes ago."""

    load: Array
    """Jobs per minute before."""
    lasts: Array
    """Minutes of a job before."""
    more: Array
    longer: Array
    """Factors since then; 1 where it did not change."""
    begun: Array
    square: Array = field(default_factory=lambda: np.zeros(NUMBER))
    norm: Array = field(default_factory=lambda: np.zeros(NUMBER))
    """Sums of the squared misses in deviations, and of the logarithms of variances."""
    met: int = 0

    def meet(self, miss: Array, variance: Array) -> None:
        self.square += miss**2 / variance
        self.norm += np.log(variance)
        self.met += 1

    @property
    def weights(self) -> Array:
        """By how well each meets all measurements; none where even the best one misses them."""
        cost = self.square + self.norm
        if self.square[cost.argmin()] > DEVIATIONS**2 * self.met:
            return np.zeros(NUMBER)
        weights = np.exp((cost.min() - cost) / 2)
        return np.asarray(weights / weights.sum())


def inferred(series: Sequence[Snapshot], usual: Baseline, pool: str) -> Inferred | None:
    """What most likely changed; None if nothing did, if nothing is usual, or if no particle meets the past."""
    samples = _apart(series)
    if len(samples) < LEAST_SAMPLES or not usual.arrivals:
        return None
    drawn = _drawn(usual, usual.arrivals, pool)
    _meet_stretches(drawn, samples, usual.batches)
    _meet_waits(drawn, samples, usual.batches)
    weights = drawn.weights
    for factor, times in ((Factor.ARRIVALS, drawn.more), (Factor.DURATION, drawn.longer)):
        part = weights * (times > 1)
        if part.sum() > 1 / 2:
            part /= part.sum()
            return Inferred(factor, float(part @ times), float(part @ drawn.begun))
    return None


def _apart(series: Sequence[Snapshot]) -> list[Snapshot]:
    """Samples of the past with known queue and runners, ten minutes apart, oldest first."""
    found = list[Snapshot]()
    for one in reversed(series):
        known = one.busy is not None and one.queued is not None and series[-1].at - one.at <= 60 * PAST_MINUTES
        if known and (not found or found[-1].at - one.at >= 60 * APART_MINUTES - 1):
            found.append(one)
    return found[::-1]


def _drawn(usual: Baseline, arrivals: float, pool: str) -> _Changes:
    dice = np.random.RandomState(seed_of(pool))
    kind, begun, size = (dice.random_sample(NUMBER) for _ in ("kind", "begun", "size"))
    chance = dice.standard_normal((2, NUMBER))
    error = usual.batches / (60 * arrivals * max(1, usual.weeks))  # of the same hour of past days or weeks
    differs = math.sqrt(error) if usual.known else math.log(HOURS_DIFFER)
    minutes, doubt = (usual.duration / 60, usual.doubt) if usual.duration else (TYPICAL_MINUTES, 1.0)
    times = MOST_TIMES**size
    return _Changes(
        load=arrivals * np.exp(differs * chance[0]),
        lasts=minutes * np.exp(doubt * chance[1]),
        more=np.where(kind < LOAD, times, 1.0),
        longer=np.where(kind > 1 - PACE, times, 1.0),
        begun=PAST_MINUTES * begun,
    )


def _meet_stretches(drawn: _Changes, samples: Sequence[Snapshot], batches: float) -> None:
    """Between two samples the jobs that wait or run grow by what comes, less what the busy runners end."""
    for before, after in pairwise(samples):
        minutes, ago = (after.at - before.at) / 60, (samples[-1].at - (before.at + after.at) / 2) / 60
        came = minutes * drawn.load * np.where(drawn.begun > ago, drawn.more, 1.0)
        busy = ((before.busy or 0) + (after.busy or 0)) / 2
        ended = minutes * busy / (drawn.lasts * np.where(drawn.begun > ago, drawn.longer, 1.0))
        grew = (after.queued or 0) + (after.busy or 0) - (before.queued or 0) - (before.busy or 0)
        drawn.meet(grew - came + ended, batches * came + ended + 1)


def _meet_waits(drawn: _Changes, samples: Sequence[Snapshot], batches: float) -> None:
    """What waits came since the oldest of it did: jobs start in order. Only stretches that do not overlap."""
    until = math.inf
    for one in reversed(samples):
        minutes = (one.oldest_wait_seconds or 0.0) / 60
        if not one.queued or minutes < APART_MINUTES / 2 or one.at > until:
            continue
        until, ago = one.at - 60 * minutes, (samples[-1].at - one.at) / 60
        since = np.clip((drawn.begun - ago) / minutes, 0.0, 1.0)
        came = minutes * drawn.load * (1 + (drawn.more - 1) * since)
        drawn.meet(one.queued - came, batches * came + 1)
