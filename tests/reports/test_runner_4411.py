"""actions/runner#4411: a run is over, and GitHub leaves its jobs queued for good."""

from bot.core.incident.incident import State
from bot.core.pool.job import JobState, WorkflowJob
from tests.adapters.github.standin import LABEL, REPO
from tests.reports.fleet import Fleet


async def test_jobs_of_a_run_that_is_over_hold_no_thread_open() -> None:
    """The webhook of their end never comes, and REST calls them queued as well."""
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    fleet.jobs.heard_for(1800)
    run = github.run(1)
    for number in (11, 12, 13):
        github.job(run, number, age=1200)
        labels = ("self-hosted", LABEL)
        fleet.jobs.tell(
            WorkflowJob(str(number), run, "test", "pull", REPO, labels, JobState.QUEUED, now - 1200, seen_at=now)
        )
    await fleet.fires()
    assert fleet.now.queued == 3
    github.runs[REPO][run]["status"] = "completed"
    await fleet.passes(5, lambda: fleet.jobs.heard_for(60))
    assert (fleet.now.queued, fleet.now.ghosts) == (0, 3)
    await fleet.resolves()
    assert fleet.state is State.DRAINED
