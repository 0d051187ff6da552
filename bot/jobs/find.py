"""Answers when a job starts: the job, its pool, its place in the queue and its start, from stored figures alone.

The job itself comes from the store or from one call to its own address (`bot.ports.Jobs`). Its pool is never measured
for this: in an outage hundreds of people ask at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from bot.context.context import Context
from bot.core.incident.incident import Incident
from bot.core.jobs.answer import JobAnswer, JobsAnswer, JobStanding
from bot.core.jobs.found import FoundJob, FoundJobs, Unfound
from bot.core.jobs.places import takers, unknown_labels
from bot.core.jobs.position import ahead_of
from bot.core.jobs.start import start_of
from bot.core.kinds.paces import kind_key
from bot.core.kinds.store import JobKinds, usual_seconds
from bot.core.pool.job import COMMON_LABELS
from bot.core.statement import statement
from bot.jobs.listed import listed_job
from bot.jobs.pools import PoolQueue, labels_of, pool_queue
from bot.ports import Refused
from bot.sources.job_address import job_address
from bot.sources.job_kind import kind_of
from bot.views.words.jobs import unfound_words

Sees = Callable[[Incident], Awaitable[bool]]
"""Whether whoever asks may know of an incident."""
ORDER = list(JobStanding)
NO_LABEL = frozenset({"unknown_label"})
"""Causes by which no runner has the pool's label."""


async def nobody(_: Incident) -> bool:
    """Whoever asks may know of no incident."""
    return False


class JobsRefused(Refused):
    """There is no answer; `reason` is its id for programs."""

    def __init__(self, reason: Unfound, words: str) -> None:
        super().__init__(words)
        self.reason = reason


async def find_jobs(context: Context, text: str, sees: Sees = nobody) -> JobsAnswer:
    """The jobs of an address or number, those that wait first. Raises JobsRefused, Unreachable("Redis")."""
    address = job_address(text)
    found = FoundJobs(reason=Unfound.NO_ADDRESS)
    if address is not None:
        found = await context.jobs.find(address.text) if context.jobs else FoundJobs(reason=Unfound.NO_SOURCE)
        found = await listed_job(context, address.text, found)
    if not found.jobs:
        reason = found.reason or Unfound.NOT_FOUND
        raise JobsRefused(reason, unfound_words(reason, found.why, found.remedy))
    anonymous = address is not None and address.number
    shown = [_nameless(one) if anonymous and not one.public else one for one in found.jobs]
    return await answer_jobs(context, shown, sees)


async def answer_jobs(context: Context, jobs: list[FoundJob], sees: Sees) -> JobsAnswer:
    file = context.settings.file
    labels = {source: labels_of(file, source) for source in {one.source for one in jobs}}
    pools = {one.id: takers(one.labels, labels[one.source]) for one in jobs}
    needed = sorted({name for one in jobs if one.state is JobStanding.WAITING for name in pools[one.id]})
    read = await asyncio.gather(*(pool_queue(context, name) for name in needed))
    queues = {name: queue for name, queue in zip(needed, read, strict=True) if queue is not None}
    incidents = {name: await _visible(queue, sees) for name, queue in queues.items()}
    answers = []
    for one in jobs:
        known = {name: queues[name] for name in pools[one.id] if name in queues}
        alien = unknown_labels(one.labels, labels[one.source], COMMON_LABELS)
        made = _answer(one, pools[one.id], known, alien)
        if not pools[one.id]:
            why = statement("no_pool" if one.labels else "no_label")
            made = replace(made, missing=alien, reason=made.reason or why)
        if made.state is JobStanding.RUNNING:
            made = replace(made, usual_seconds=await _usual(context, one, made.pool))
        answers.append(replace(made, incident=incidents.get(made.pool, "")))
    answers.sort(key=lambda one: (ORDER.index(one.state), one.queued_at or 0.0, one.id))
    used = [queues[one.pool].table.at for one in answers if one.pool in queues]
    return JobsAnswer(tuple(answers), min(used, default=None))


async def _usual(context: Context, job: FoundJob, pool: str) -> float | None:
    """The usual length of jobs of this kind in the pool; None: none is known."""
    held = await context.store.get(JobKinds, pool) if pool and job.name else None
    kind = kind_of(job.workflow, job.name, job.labels)
    return usual_seconds(held.value, kind_key(job.repository, kind), job.at) if held else None


async def _visible(queue: PoolQueue, sees: Sees) -> str:
    """The newest open incident of the pool that whoever asks may know of."""
    for one in queue.incidents:
        if await sees(one):
            return one.id
    return ""


def _nameless(job: FoundJob) -> FoundJob:
    """A job of which nothing is told that is not known from its number: its repository may be private."""
    return replace(job, url="", name="", repository="", workflow="")


def _answer(
    job: FoundJob, pools: tuple[str, ...], queues: Mapping[str, PoolQueue], alien: tuple[str, ...]
) -> JobAnswer:
    """`alien`: labels of the job that no pool has; they keep it waiting if newer jobs start before all of its kind."""
    made = JobAnswer(
        job.id,
        job.state,
        job.at,
        job.url,
        job.name,
        job.repository,
        pool=pools[0] if pools else "",
        pools=pools,
        queued_at=job.queued_at,
        started_at=job.started_at,
        ended_at=job.ended_at,
        conclusion=job.conclusion,
    )
    if job.state is not JobStanding.WAITING:
        return made
    kind = kind_of(job.workflow, job.name, job.labels) if alien else ""
    starts = [
        _unservable(replace(made, pool=name), alien)
        if kind and _left(queue, (job.repository, kind))
        else _waiting(replace(made, pool=name), queue)
        for name, queue in queues.items()
    ]
    unknown = replace(made, reason=statement("not_measured")) if pools else made
    return min(starts, key=_soonest, default=unknown)


def _left(queue: PoolQueue, kind: tuple[str, str]) -> bool:
    """Whether jobs of this (repository, kind) wait while newer ones of the pool start."""
    overtaken = queue.pool.latest.overtaken if queue.pool.latest else ()
    return kind in {(one.repository, one.kind) for one in overtaken}


def _unservable(job: JobAnswer, missing: tuple[str, ...]) -> JobAnswer:
    return replace(job, state=JobStanding.UNSERVABLE, missing=missing)


def _soonest(job: JobAnswer) -> float:
    median = job.start.median_seconds if job.start else None
    return float("inf") if median is None else median


def _waiting(job: JobAnswer, queue: PoolQueue) -> JobAnswer:
    """The job in the queue of one pool."""
    job = replace(job, cause=queue.cause)
    overtaken = queue.pool.latest.overtaken if queue.pool.latest else ()
    if queue.cause is not None and queue.cause.cause in NO_LABEL and not overtaken:  # else it is so of these alone
        return _unservable(job, (job.pool,))
    if queue.old or (queue.table.reason is not None and not queue.table.starts):
        why = statement("figures_old", at=queue.table.at) if queue.old else queue.table.reason
        return replace(job, reason=why)
    if (ahead := ahead_of(job.queued_at, queue.pool.samples)) is None:
        return replace(job, reason=statement("no_position"))
    return replace(job, ahead=ahead, start=start_of(queue.table, ahead))
