"""How many jobs are ahead of one in its pool's queue, from the samples since it came and those that left since."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from bot.core.jobs.answer import JobsAhead
from bot.core.pool.merge import one_source
from bot.core.pool.pool import Snapshot

EIGHT_IN_TEN = 1.28
"""Standard deviations on both sides that hold 8 of 10 cases of a normal distribution."""
SAME_SECONDS = 0.5
"""Jobs that came this close together have no order: providers tell times in whole seconds, and a push starts many."""
LATE_SECONDS = 120.0
"""Samples may know of a job this late. One that is older than all of a sample by more is over (tuist/tuist#12673).

Origin: judgement, as for GitHub's webhooks.
"""


def ahead_of(queued_at: float | None, series: Sequence[Snapshot]) -> JobsAhead | None:
    """How many jobs of the newest sample came before this one and still wait; None if that is not known.

    The longest waiting jobs of the sample are counted. Behind them, a queue that is served in order tells: ahead are
    those that waited when the job came, without those that left since. It came between two samples, so the queue of the
    one is the least and that of the other the most.
    """
    last = series[-1] if series else None
    if last is None or last.queued is None or queued_at is None:
        return None
    waited, queued, oldest = last.at - queued_at, last.queued, last.oldest_wait_seconds
    if waited <= 0:  # it came after the sample
        return JobsAhead(queued, queued)
    if oldest is not None and waited > oldest + SAME_SECONDS:
        return JobsAhead(0, 0) if waited <= oldest + LATE_SECONDS else None
    listed = [job.waited_seconds for job in last.waiting]
    longer = sum(one > waited + SAME_SECONDS for one in listed)
    reached = sum(one >= waited - SAME_SECONDS for one in listed)
    if listed and (reached < len(listed) or len(listed) >= queued):
        return JobsAhead(min(longer, queued), min(max(longer, reached - 1), queued))
    samples = [one for one in one_source(series) if one.queued is not None]
    found = _since_it_came(queued_at, samples)
    if found is None:
        if oldest is None:
            return None
        share = min(1.0, waited / oldest)  # the waits are taken as even
        found = queued * (1 - share), queued * (1 - share), queued * share * (1 - share)
    low, high, variance = found
    spread, most = EIGHT_IN_TEN * max(0.0, variance) ** 0.5, max(queued - 1, 0)
    least = min(longer, most)
    return JobsAhead(*(round(min(max(end, least), most)) for end in (low - spread, high + spread)))


def _since_it_came(queued_at: float, samples: Sequence[Snapshot]) -> tuple[float, float, float] | None:
    """(fewest, most, variance) of the jobs ahead; None if the samples do not reach back, or tell too little.

    Without rates of starts, those that left are taken as even, so that a share of their number is in doubt.
    """
    if samples[0].at >= queued_at:
        return None
    before, after = _around(queued_at, samples)
    last, measured = samples[-1], all(one.starts_per_minute is not None for one in samples)
    came = None if last.oldest_wait_seconds is None else last.at - last.oldest_wait_seconds
    pace, every = 1.0, None
    if came is not None and samples[0].at < came:
        every = _all_that_left(came, samples, measured=measured)
        started = _left(came, samples, measured=measured)
        pace = every / started if started else 0.0
    elif not measured:
        return None
    ends = [(one.queued or 0) - pace * _left(one.at, samples, measured=measured) for one in (before, after)]
    share = 0.0
    if every and not measured:
        share = min(1.0, pace * _left(queued_at, samples, measured=measured) / every)
    return min(ends), max(ends), (every or 0.0) * share * (1 - share)


def _all_that_left(came: float, samples: Sequence[Snapshot], *, measured: bool) -> float:
    """Jobs that left since the oldest waiting one came: all that waited then.

    It came between two samples. Measured starts tell where between them, else the middle is taken.
    """
    fewest, most = sorted(float(one.queued or 0) for one in _around(came, samples))
    return min(max(_left(came, samples, measured=True), fewest), most) if measured else (fewest + most) / 2


def _around(at: float, samples: Sequence[Snapshot]) -> tuple[Snapshot, Snapshot]:
    """The last sample before a time, and the first one at it or after it."""
    place = bisect_left(samples, at, key=lambda one: one.at)
    return samples[place - 1], samples[min(place, len(samples) - 1)]


def _left(since: float, samples: Sequence[Snapshot], *, measured: bool) -> float:
    """Jobs that started since then by the rates of the samples; minutes, where they have none."""
    return sum(
        ((after.starts_per_minute or 0.0) if measured else 1.0) * (after.at - max(since, before.at)) / 60
        for before, after in pairwise(samples)
        if after.at > since
    )
