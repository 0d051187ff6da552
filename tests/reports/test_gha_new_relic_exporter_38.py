"""newrelic-experimental/gha-new-relic-exporter#38: an attempt lists the jobs again that had passed in an earlier one.

They have new numbers, a creation after their end, and their events come again (actions/actions-runner-controller#4315);
tenstorrent/tt-metal#12010 got negative waits from them.
"""

from dataclasses import replace

from bot.core.pool.job import JobState, WorkflowJob
from tests.adapters.github.standin import LABEL, stamp
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


def passed(number: int, created: float, started: float) -> WorkflowJob:
    ended = job(number, created, JobState.COMPLETED, started_at=started, completed_at=started + 300)
    return replace(ended, conclusion="success", runner=f"r{number}", seen_at=created)


async def test_a_rerun_of_one_job_is_one_arrival_and_no_end() -> None:
    fleet = Fleet()
    fleet.webhooks(label=LABEL)
    fleet.jobs.heard_for(3600)
    now = fleet.clock.now()
    fleet.jobs.tell(*(passed(n, now - 900, now - 840) for n in range(5)))
    await fleet.fires()
    before = fleet.now
    fleet.jobs.tell(*(passed(100 + n, now, now - 840) for n in range(5)), job(200, now, JobState.QUEUED))
    await fleet.passes(0.5)
    assert (before.arrivals_per_minute, before.completions_per_minute, before.queued) == (5 / 15, 5 / 15, 0)
    assert (fleet.now.arrivals_per_minute, fleet.now.completions_per_minute, fleet.now.queued) == (1 / 15, 5 / 15, 1)


async def test_they_overtake_nobody() -> None:
    """A job that has waited for seven hours in a run that never changed is no ghost, for nothing younger starts."""
    fleet = Fleet()
    github, now = fleet.github(limit=1), fleet.clock.now()
    github.runner(LABEL, busy=True)
    age = 7.2 * 3600
    github.job(github.run(1, age=age, updated_at=stamp(now - age)), 11, age=age)
    again = github.run(2, "in_progress", age=8 * 3600)
    ran = {"started_at": stamp(now - 1800), "completed_at": stamp(now - 900), "runner_name": "r1"}
    github.job(again, 21, "completed", age=300, conclusion="success", **ran)
    github.job(again, 22, age=300)
    await fleet.fires()
    assert (fleet.now.queued, fleet.now.ghosts) == (2, 0)
