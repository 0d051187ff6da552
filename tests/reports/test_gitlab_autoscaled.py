"""GitLab Runner's documentation of autoscaling: `capacity_per_instance` and `max_instances` are permissions.

https://docs.gitlab.com/runner/runner_autoscale/ : no machine is there until a job asks for it.
"""

from tests.ci_systems import Reply
from tests.reports.fleet import Fleet

JOBS, RUNNERS = "/api/v4/projects/acme%2Fapp/jobs", "/api/v4/projects/acme%2Fapp/runners"


async def test_free_permissions_beside_a_queue_are_no_idle_runners() -> None:
    """Machines do not come: nobody may say that idle runners are not given the jobs."""
    fleet = Fleet()
    job = {"id": 1, "name": "unit", "stage": "test", "tag_list": ["docker"], "queued_duration": 5400.0}
    gitlab = fleet.system(
        "gitlab",
        {RUNNERS: [{"id": 6, "description": "runner-6", "paused": False, "status": "online"}]},
        {"tags": ["docker"], "slots": 20, "autoscaled": True},
        token_env="T",
        projects=["acme/app"],
    )
    running = {**job, "id": 2, "runner": {"id": 6}}
    gitlab.paths[JOBS] = lambda request: Reply([job] if request.query["scope[]"] == "pending" else [running])
    await fleet.fires()
    await fleet.passes(15)
    assert (fleet.now.queued, fleet.now.busy, fleet.now.idle, fleet.now.limit) == (1, 1, None, 20)
    assert "idle runners are not getting the jobs" not in await fleet.diagnosis()
