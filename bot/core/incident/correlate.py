"""Which pools hold the two maxima that an alert over all pools reports without naming a pool.

The two are taken over the pools one by one and may belong to two of them (docs/design/diagnosis.md#two-maxima). A pool
fits when its own figure is near the alert's; nothing is said of a maximum that no pool fits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.core.alert import Readings
from bot.core.pool.pool import Snapshot

LOOKS = 2.0
"""For so many poll periods a better look may still change what was found; after that it stands."""
WAIT_SHARE, WAIT_SECONDS = 0.2, 600.0
"""How far a pool's oldest wait may be from the alert's: the share of it, or so many seconds at least."""
QUEUE_SHARE, QUEUE_JOBS = 0.25, 3.0
"""The same for the queue: sources count differently (PyTorch's only jobs that wait for over 5 minutes)."""


@dataclass(frozen=True, slots=True)
class Maxima:
    """What was found for one pair of reported figures."""

    jobs: float | None
    minutes: float | None
    """The figures that the alert reported; another alert's are looked for anew."""
    at: float
    """When the search began; epoch seconds."""
    longest_queue: str | None = None
    """The pool that holds it; None when none fits."""
    longest_wait: str | None = None
    complete: bool = False
    """Whether nothing more is looked for: every pool's figures were known, and what no pool fits was looked for in
    samples that are no older than the search, so that "none fits" says something."""

    def of(self, read: Readings) -> bool:
        """Whether this was found for these figures."""
        return (self.jobs, self.minutes) == (read.most_queued_jobs, read.longest_wait_minutes)


@dataclass(frozen=True, slots=True)
class PoolsNow:
    """What is known of the pools now; `at` in epoch seconds."""

    samples: Sequence[Snapshot]
    """The newest of every pool that has one."""
    pools: int
    """How many pools there are to look at."""
    at: float
    poll_seconds: float


def correlated(known: Maxima | None, read: Readings, look: PoolsNow) -> Maxima | None:
    """The pools whose newest samples fit; what was found stays, once every pool was known or two periods have passed.

    None when the alert reports neither maximum.
    """
    if read.most_queued_jobs is None and read.longest_wait_minutes is None:
        return None
    mine = known if known is not None and known.of(read) else None
    patience = LOOKS * look.poll_seconds
    if mine is not None and (mine.complete or look.at - mine.at > patience):
        return mine
    fresh = [sample for sample in look.samples if look.at - sample.at <= patience + 1]
    since = mine.at if mine else look.at
    queue = _nearest(fresh, read.most_queued_jobs, _queued, QUEUE_SHARE, QUEUE_JOBS)
    wait = _nearest(fresh, _seconds(read.longest_wait_minutes), _wait, WAIT_SHARE, WAIT_SECONDS)
    all_known = len(fresh) == look.pools and all(_queued(one) is not None and _wait(one) is not None for one in fresh)
    both_fit = None not in (queue, wait)
    return Maxima(
        jobs=read.most_queued_jobs,
        minutes=read.longest_wait_minutes,
        at=since,
        longest_queue=queue,
        longest_wait=wait,
        complete=all_known and (both_fit or all(one.at >= since for one in fresh)),
    )


def _nearest(
    samples: Sequence[Snapshot],
    reported: float | None,
    figure: Callable[[Snapshot], float | None],
    share: float,
    least: float,
) -> str | None:
    """The pool whose figure is nearest to what was reported, and near enough; of two, the first by name."""
    if not reported:
        return None
    known = [(abs(value - reported), one.pool) for one in samples if (value := figure(one)) is not None]
    off, pool = min(known, default=(float("inf"), None))
    return pool if off <= max(share * reported, least) else None


def _queued(sample: Snapshot) -> float | None:
    return sample.queued


def _wait(sample: Snapshot) -> float | None:
    return sample.oldest_wait_seconds


def _seconds(minutes: float | None) -> float | None:
    return None if minutes is None else minutes * 60
