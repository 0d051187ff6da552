"""styfle/cancel-workflow-action#150: for days GitHub lists no run at all, although there are some.

The same for runs of one status: actions/actions-runner-controller#362 and #1327.
"""

import pytest

from bot.core.incident.incident import State
from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


@pytest.mark.parametrize("webhooks", [True, False])
async def test_an_empty_list_ends_no_queue_while_the_runs_own_page_says_that_it_is_open(*, webhooks: bool) -> None:
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    github.runner(LABEL, busy=True)
    run = github.run(1, age=1200)
    github.job(run, 11, age=1200)

    def flow() -> None:
        if webhooks:
            fleet.jobs.heard_for(1800)

    flow()
    if webhooks:
        fleet.jobs.tell(job(11, now - 1200, JobState.QUEUED))
    await fleet.fires()
    github.hide_runs()
    await fleet.passes(15, flow)
    await fleet.resolves(1)
    await fleet.passes(15, flow)
    held = (fleet.now.queued, fleet.state)
    github.unlisted[run]["status"] = "completed"
    github.jobs[run][0] |= {"status": "completed", "conclusion": "cancelled"}
    await fleet.passes(15, flow)
    assert (held, fleet.now.queued, fleet.state) == ((1, State.EASING), 0, State.DRAINED)
