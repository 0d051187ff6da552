"""How many jobs are ahead of one in its pool's queue, from the newest sample and how the queue grew since it came."""

from collections.abc import Sequence

from bot.core.jobs.answer import JobsAhead
from bot.core.pool.pool import Snapshot

EIGHT_IN_TEN = 1.28
"""Standard deviations on both sides that hold 8 of 10 cases of a normal distribution."""


def ahead_of(queued_at: float | None, series: Sequence[Snapshot]) -> JobsAhead | None:
    """How many jobs of the newest sample came before this one and still wait; None if that is not known.

    The longest waiting jobs of the sample are counted. Behind them, all that wait have come since the oldest one did:
    those that came before this job are ahead, by the rates of arrivals at that time. Arrivals are counts, so the root
    of their number is their deviation, and less of it near both ends, which are known.
    """
    last = series[-1] if series else None
    if last is None or last.queued is None or queued_at is None:
        return None
    waited, queued, oldest = last.at - queued_at, last.queued, last.oldest_wait_seconds
    if waited <= 0:  # it came after the sample
        return JobsAhead(queued, queued)
    listed = [job.waited_seconds for job in last.waiting]
    longer = sum(one > waited for one in listed)
    if oldest is not None and waited >= oldest:
        return JobsAhead(0, 0)
    if listed and (longer < len(listed) or len(listed) >= queued):
        return JobsAhead(min(longer, queued), min(longer, queued))
    behind = arrived_since(queued_at, series)
    if oldest is None:
        return None if behind is None else _between(queued - behind, behind, longer, queued)
    every = arrived_since(last.at - oldest, series)
    share = behind / every if behind is not None and every else waited / oldest
    return _between(queued * (1 - share), queued * share * (1 - share), longer, queued)


def _between(ahead: float, variance: float, listed: int, queued: int) -> JobsAhead:
    """The range around an estimate; at least the listed jobs are ahead, and never all that wait."""
    spread, most = EIGHT_IN_TEN * max(0.0, variance) ** 0.5, max(queued - 1, 0)
    least = min(listed, most)
    return JobsAhead(*(round(min(max(end, least), most)) for end in (ahead - spread, ahead + spread)))


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
