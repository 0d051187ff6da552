"""pytorch/test-infra#8632, for webhooks alone: the end of a job is lost, while hundreds of others start."""

from bot.core.incident.incident import State
from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


async def test_a_job_older_than_a_day_holds_no_thread_open_while_others_start() -> None:
    fleet = Fleet()
    fleet.webhooks(label=LABEL)
    fleet.jobs.heard_for(1800)
    now = fleet.clock.now()
    fleet.jobs.tell(job(11, now - 31 * 3600, JobState.QUEUED), job(12, now - 900, JobState.QUEUED))
    await fleet.fires()
    assert fleet.now.queued == 2

    def others_start() -> None:
        at = fleet.clock.now()
        fleet.jobs.heard_for(60)
        fleet.jobs.tell(job(int(at), at - 20, JobState.IN_PROGRESS, started_at=at))

    fleet.jobs.tell(job(12, now, JobState.IN_PROGRESS, started_at=now))
    await fleet.passes(3, others_start)
    assert (fleet.now.queued, fleet.now.ghosts) == (0, 1)
    await fleet.world.fires()
    await fleet.passes(3, others_start)
    await fleet.resolves(1)
    await fleet.passes(3, others_start)
    assert fleet.state is State.DRAINED
