"""Jobs that the newest samples list: the answer for an address whose system cannot be asked for it."""

from collections.abc import Mapping

from bot.context.context import Context
from bot.core.jobs.answer import JobStanding
from bot.core.jobs.found import FoundJob, FoundJobs, Unfound
from bot.core.kinds.jobs_now import JobsNow
from bot.jobs.pools import labels_of

KEPT_SECONDS = 10.0
"""How long one reading of all pools serves everybody who asks; a sample is older."""
UNASKED = frozenset({Unfound.LONGEST_ONLY, Unfound.UNREACHABLE, Unfound.NEEDS_TOKEN})
"""Reasons by which the address was not answered by its own system."""


async def listed_job(context: Context, url: str, found: FoundJobs) -> FoundJobs:
    """What was found; where the system of the address was not asked, the job that waits or runs longest with it."""
    if found.reason not in UNASKED:
        return found
    known = await context.making.get("listed jobs", lambda: _read(context), context.monotonic, KEPT_SECONDS)
    job = (known or {}).get(_place(url))
    return found if job is None else FoundJobs((job,))


async def _read(context: Context) -> Mapping[str, FoundJob]:
    """The listed jobs of all pools by address: those that wait or run longest."""
    labels = labels_of(context.settings.file, "")
    pools = await context.looked_at(list(labels))
    running = await context.store.get_many(JobsNow, list(labels))
    found = dict[str, FoundJob]()
    for name, pool in pools.items():
        own = tuple(sorted(labels[name].own))
        for job in pool.latest.waiting if pool.latest else ():
            at = pool.latest.at if pool.latest else 0.0
            waits = FoundJob(job.url, job.url, job.name, JobStanding.WAITING, at, job.repository, labels=own,
                             queued_at=at - job.waited_seconds)  # fmt: skip
            found[_place(job.url)] = waits
        for one in running[name].value.running if name in running else ():
            at = running[name].value.at
            found[_place(one.url)] = FoundJob(one.url, one.url, one.name, JobStanding.RUNNING, at,
                                              one.repository, labels=own, started_at=at - one.ran_seconds)  # fmt: skip
    found.pop("", None)
    return found


def _place(url: str) -> str:
    """The address as it is compared."""
    return url.strip().rstrip("/")
