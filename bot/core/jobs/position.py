"""How many jobs are ahead of one in its pool's queue, from the newest sample and how the queue grew since it came."""

from collections.abc import Sequence

from bot.core.jobs.answer import JobsAhead
from bot.core.pool.pool import Snapshot

EIGHT_IN_TEN = 1.28
"""Standard deviations on both sides that hold 8 of 10 cases of a normal distribution."""


def ahead_of(queued_at: float | None, series: Sequence[Snapshot]) -> JobsAhead | None:
    """How many jobs of the newest sample came before this one and still wait; None if that is not known.

    The longest waiting jobs of the sample are counted. Behind them the estimate is: all that wait, without those that
    arrived since. Arrivals are counts, so their root is their deviation.
    """
    last = series[-1] if series else None
    if last is None or last.queued is None or queued_at is None:
        return None
    waited, queued = last.at - queued_at, last.queued
    if waited <= 0:  # it came after the sample
        return JobsAhead(queued, queued)
    listed = [job.waited_seconds for job in last.waiting]
    longer = sum(one > waited for one in listed)
    if last.oldest_wait_seconds is not None and waited >= last.oldest_wait_seconds:
        return JobsAhead(0, 0)
    if listed and (longer < len(listed) or len(listed) >= queued):
        return JobsAhead(min(longer, queued), min(longer, queued))
    least, most = min(longer, max(queued - 1, 0)), max(queued - 1, 0)
    behind = arrived_since(queued_at, series)
    if behind is None:
        return None if last.oldest_wait_seconds is None else _spread(queued, waited / last.oldest_wait_seconds)
    spread = EIGHT_IN_TEN * behind**0.5
    return JobsAhead(
        round(min(max(queued - behind - spread, least), most)), round(min(max(queued - behind + spread, least), most))
    )


def _spread(queued: int, share: float) -> JobsAhead:
    """The same where arrivals are not known: as if the jobs that wait had come evenly."""
    behind = queued * min(1.0, share)
    spread = EIGHT_IN_TEN * behind**0.5
    most = max(queued - 1, 0)
    return JobsAhead(round(min(max(0.0, queued - behind - spread), most)), round(min(queued - behind + spread, most)))


def arrived_since(since: float, series: Sequence[Snapshot]) -> float | None:
    """Jobs that arrived since then by the rates of the samples; None if they do not go back so far."""
    known = [(one.at, one.arrivals_per_minute) for one in series if one.arrivals_per_minute is not None]
    if not known or known[0][0] > since:
        return None
    jobs, until = 0.0, series[-1].at
    for at, rate in reversed(known):
        begun = max(since, at)
        jobs += rate * max(0.0, until - begun) / 60
        until = min(until, begun)
        if at <= since:
            break
    return jobs
