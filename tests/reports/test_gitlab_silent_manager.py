"""GitLab's documentation of runner statuses: a runner is online for two hours after its last contact.

https://docs.gitlab.com/ci/runners/runners_scope/#runner-statuses
"""

from tests.ci_systems import Reply
from tests.machines import stamp
from tests.reports.fleet import Fleet

JOBS, RUNNERS = "/api/v4/projects/acme%2Fapp/jobs", "/api/v4/projects/acme%2Fapp/runners"


async def test_a_manager_that_died_is_named_and_offers_no_idle_runners() -> None:
    fleet = Fleet()
    now = fleet.clock.now()
    job = {"id": 1, "name": "unit", "stage": "test", "tag_list": ["docker"], "queued_duration": 2400.0}
    gitlab = fleet.system(
        "gitlab",
        {
            JOBS: [],
            RUNNERS: [{"id": 6, "description": "runner-6", "paused": False, "status": "online"}],
            "/api/v4/runners/6/managers": [{"id": 1, "status": "online", "contacted_at": stamp(now - 4000)}],
        },
        {"tags": ["docker"], "slots": 10},
        token_env="T",
        projects=["acme/app"],
    )
    gitlab.paths[JOBS] = lambda request: Reply([job] if request.query["scope[]"] == "pending" else [])
    await fleet.fires()
    await fleet.passes(3)
    assert (fleet.now.queued, fleet.now.idle, fleet.now.offline) == (1, 0, 1)
    assert "GitLab calls runner-6 online, although its last contact was at" in fleet.says + await fleet.diagnosis()
