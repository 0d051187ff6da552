"""GitHub told of a job: keep what is new of it, for the figures of its runner labels."""

from enum import StrEnum

from bot.context.context import Context
from bot.core.pool.job import HEARD_SECONDS, JobState, WorkflowJob, keep_seconds, key_of, minute_of, told
from bot.core.record import AlreadyDone, Change, Conflict, Put, Stored
from bot.ports import Failure, Unreachable

TRIES = 20
LEAST_SECONDS = 60.0
"""A job that was counted as open and turns out to be long over is kept for that long more, as over."""


class StoredJob(StrEnum):
    """What became of a word about a job."""

    STORED = "stored"
    REPEATED = "repeated"
    """It said nothing new: a redelivery, or it came later than a newer one."""
    PAST = "past"
    """It tells of a job that is over for longer than anybody looks back."""


async def take_job(context: Context, job: WorkflowJob, delivery: str) -> StoredJob:
    """Store what a webhook says of a job, durably, before GitHub is answered; the same delivery counts once.

    `delivery` is GitHub's own id of it; empty when there is none. No pool is woken: the figures are read at its next
    poll, so a storm of jobs is no storm of measurements. Raises Unreachable when it cannot be stored.
    """
    for _ in range(TRIES):
        held = await context.store.get(WorkflowJob, job.id)
        known = held.value if held else None
        after = told(known, job)
        if after == known:
            return StoredJob.REPEATED
        kept = keep_seconds(after, context.now())
        if known is None and kept <= 0:
            return StoredJob.PAST
        if known is not None:
            kept = max(kept, LEAST_SECONDS)
        try:
            await context.store.commit(_change(held, after, kept, delivery, context.now()))
        except AlreadyDone:
            return StoredJob.REPEATED
        except Conflict:
            continue
        return StoredJob.STORED
    raise Unreachable("Redis", "this job is being written too often", failure=Failure.LATER, remedy="send again")


def _change(held: Stored[WorkflowJob] | None, job: WorkflowJob, kept: float, delivery: str, now: float) -> Change:
    """The record, its place under each label, and the minute in which GitHub was heard.

    A redelivery that comes when the record is forgotten would bring a finished job back into the queue, so what does
    not end a job is marked.
    """
    put = Put(held or Stored(job, 0), job, None, keep_seconds=kept)
    listed = [(f"jobs:{label}", job.id, kept) for label in sorted({key_of(label) for label in job.labels})]
    marks = () if job.state is JobState.COMPLETED or not delivery else (f"github:{delivery}",)
    heard = ("heard", minute_of(now), HEARD_SECONDS)
    return Change(puts=(put,), listed=(*listed, heard), once=marks, once_value=job.id)
