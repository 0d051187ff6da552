"""GitHub's documentation: a delivery of a webhook that fails is not repeated.

https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries
"""

from bot.core.incident.incident import State
from bot.core.pool.job import JobState, WorkflowJob
from tests.adapters.github.standin import LABEL, REPO
from tests.reports.fleet import Fleet


def job(number: int, at: float, state: JobState, **more: float) -> WorkflowJob:
    labels = ("self-hosted", LABEL)
    return WorkflowJob(str(number), "1", "test", "pull", REPO, labels, state, created_at=at, seen_at=at, **more)  # type: ignore[arg-type]


async def test_silence_after_the_last_job_is_no_empty_queue() -> None:
    """The tunnel broke: what came since then is not known, so nothing has drained until webhooks flow again."""
    fleet = Fleet()
    fleet.webhooks(label=LABEL)
    fleet.jobs.heard_for(1800)
    now = fleet.clock.now()
    fleet.jobs.tell(job(11, now - 900, JobState.QUEUED))
    await fleet.fires()
    before = fleet.now.queued
    fleet.jobs.tell(job(11, fleet.clock.now(), JobState.IN_PROGRESS, started_at=now))
    await fleet.passes(1)
    fleet.clock.advance(960)
    await fleet.resolves(10)
    held = (before, fleet.now.queued, fleet.state)
    fleet.jobs.heard_for(1200)
    await fleet.passes(3, lambda: fleet.jobs.heard_for(60))
    assert (held, fleet.state) == ((1, None, State.EASING), State.DRAINED)
