"""Tiryoh/gha-jobid-action#43: a run has 164 jobs, and one answer of GitHub has at most a hundred of them."""

from collections import Counter

from bot.core.jobs.answer import JobStanding
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet


async def test_whoever_asks_for_the_run_is_told_of_the_jobs_behind_the_first_hundred() -> None:
    fleet = Fleet()
    github = fleet.github(limit=40)
    github.runner(LABEL, busy=True)
    run = github.run(1, "in_progress", age=1200)
    for number in range(164):
        over = number < 120
        github.job(run, 100 + number, "completed" if over else "queued", age=1200, conclusion="success" if over else "")
    await fleet.fires()
    answer = await fleet.asks_of(f"https://github.test/example-org/engine/actions/runs/{run}")
    assert Counter(job.state for job in answer.jobs) == {JobStanding.ENDED: 120, JobStanding.WAITING: 44}
