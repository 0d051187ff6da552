"""pytorch/test-infra: HUD's answers come through a cache, whose `Age` says how old they are.

`max-age` and `stale-while-revalidate` are set in torchci/pages/api/clickhouse/[queryName].ts.
"""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet

LABEL = "linux.2xlarge"
QUERIES = ("queued_jobs", "queued_jobs_by_label", "queued_jobs_aggregate")


async def test_an_empty_list_that_is_old_drains_nothing() -> None:
    fleet = Fleet()
    row = {"machine_type": LABEL, "name": "test", "html_url": "", "queue_s": 900, "is_stale": False}
    label = {"machine_type": LABEL, "count": 1, "avg_queue_s": 900}
    bodies = {"queued_jobs": [row], "queued_jobs_by_label": [label], "queued_jobs_aggregate": []}
    paths = {f"/api/clickhouse/{name}": body for name, body in bodies.items()}
    known = {"/api/clickhouse/all_machine_types": [{"machine_type": LABEL}]}
    hud = fleet.system(
        "hud", {**paths, **known, "/api/runners/pytorch": {"totalRunners": 0, "groups": []}}, {}, token_env="T"
    )
    await fleet.fires()
    assert fleet.now.queued == 1
    for name in QUERIES:
        hud.says(f"/api/clickhouse/{name}", [], 200, age="1800")
    await fleet.resolves(10)
    assert fleet.state is State.EASING
