"""Stores a job from GitHub's webhook, for the figures of its runner labels."""

from enum import StrEnum

from bot.context.context import Context
from bot.core.pool.job import (
    EVERY_LABEL,
    HEARD_SECONDS,
    JobState,
    WorkflowJob,
    keep_seconds,
    keys_of,
    minute_of,
    of_commit,
    of_run,
    told,
)
from bot.core.record import AlreadyDone, Change, Conflict, Put, Stored
from bot.ports import Failure, Unreachable

TRIES = 20
LEAST_SECONDS = 60.0
"""A job counted as open that ended long ago is kept this much longer as ended."""


class StoredJob(StrEnum):
    STORED = "stored"
    REPEATED = "repeated"
    """A redelivery, or older than a known event."""
    PAST = "past"
    """The job ended too long ago."""


async def take_job(context: Context, job: WorkflowJob, delivery: str) -> StoredJob:
    """Store a webhook's event durably before GitHub is answered; a repeated delivery counts once.

    `delivery` is GitHub's id of it; empty if there is none. No pool is woken: figures are read at its next poll, so
    many jobs do not cause many measurements. Raises Unreachable if it cannot be stored.
    """
    for _ in range(TRIES):
        held = await context.store.get(WorkflowJob, job.id)
        after = told(held.value if held else None, job)
        if held and after == held.value:
            return StoredJob.REPEATED
        kept = keep_seconds(after, context.now())
        if held is None and kept <= 0:
            return StoredJob.PAST
        kept = max(kept, LEAST_SECONDS) if held else kept
        try:
            await context.store.commit(_change(held, after, kept, delivery, context))
        except AlreadyDone:
            return StoredJob.REPEATED
        except Conflict:
            continue
        return StoredJob.STORED
    raise Unreachable("Redis", "this job is being written too often", failure=Failure.LATER, remedy="send again")


def _change(held: Stored[WorkflowJob] | None, job: WorkflowJob, kept: float, delivery: str, context: Context) -> Change:
    """The record, its entries in the lists of its labels, run and commit, and the minute of the webhook.

    Where a pool has every job, it stands in the list of all labels too. A redelivery after the record expired would
    bring a finished job back into the queue, so events that do not end a job are marked.
    """
    put = Put(held or Stored(job, 0), job, None, keep_seconds=kept)
    every = {EVERY_LABEL for pool in context.settings.file.pool.values() if pool.figures.get("label") == EVERY_LABEL}
    listed = [(f"jobs:{label}", job.id, kept) for label in sorted(keys_of(job.labels) | every)]
    listed += [(of(name), job.id, kept) for of, name in ((of_run, job.run), (of_commit, job.commit)) if name]
    marks = () if job.state is JobState.COMPLETED or not delivery else (f"github:{delivery}",)
    heard = ("heard", minute_of(context.now()), HEARD_SECONDS)
    return Change(puts=(put,), listed=(*listed, heard), once=marks, once_value=job.id)
