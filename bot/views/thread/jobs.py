"""Which jobs wait, and which run longest, in the answer of Diagnose; names and links are text from outside."""

from collections.abc import Sequence

from bot.core.finding import Finding
from bot.core.kinds.jobs_now import newest_first
from bot.core.kinds.paces import JobGroup
from bot.core.pool.pool import Snapshot
from bot.core.words import count, share
from bot.views.mrkdwn import Marked, joined, link, say
from bot.views.parent.pools import wait_words

MOST = 3
HOLD = frozenset({"hung", "slower"})
"""Causes that the longest running jobs show."""
MOST_CHARS = 80


def jobs_words(cause: Finding | None, sample: Snapshot | None) -> list[Marked]:
    """The largest groups of waiting jobs, and the longest running jobs where they are the cause."""
    if sample is None:
        return []
    found = list[Marked]()
    if sample.composition:
        groups = newest_first(sample.composition, MOST)
        lines = [_group(one, sample.queued) for one in groups]
        more = (sample.queued or 0) - sum(one.jobs for one in groups)
        rest = say("• {more}", more=count(more, "other job")) if more > 0 else None
        order = ", shortest wait first" if len(groups) > 1 else ""
        found.append(joined("\n", say("*Waiting jobs*{order}", order=order), *lines, rest))
    if sample.running and cause is not None and cause.cause in HOLD:
        runs = [
            say("• {job}: {time}", job=link(one.url, one.name[:MOST_CHARS]), time=wait_words(one.ran_seconds))
            for one in sample.running[:MOST]
        ]
        found.append(joined("\n", say("*Longest running jobs*"), *runs))
    return found


def _group(one: JobGroup, queued: int | None) -> Marked:
    part = f" ({share(one.jobs / queued)})" if queued and one.jobs <= queued else ""
    jobs = f"{count(one.jobs, 'job')}{part}"
    waits = f"median wait {wait_words(one.median_seconds)}, longest {wait_words(one.longest_seconds)}"
    labels = f", label {one.label}" if one.label else ""
    source = f" in {one.repository[:MOST_CHARS]}" if one.repository else ""
    return say("• {jobs} of {kind}: {waits}", jobs=jobs, kind=f"{one.kind[:MOST_CHARS]}{source}{labels}", waits=waits)


def sample_of(pool: str, figures: Sequence[Snapshot]) -> Snapshot | None:
    return next((one for one in figures if one.pool == pool), None)
