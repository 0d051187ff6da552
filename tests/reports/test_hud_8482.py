"""pytorch/test-infra#8482: one orphaned row sets the queue time of a whole machine type for days."""

from tests.reports.fleet import Fleet

LABEL = "linux.2xlarge"
ROW = {"machine_type": LABEL, "name": "test", "html_url": ""}
RUNNERS = {"totalRunners": 0, "groups": []}


async def test_an_orphan_is_left_out_of_queue_and_wait() -> None:
    fleet = Fleet()
    jobs = [{**ROW, "queue_s": 190_000, "is_stale": True}, {**ROW, "queue_s": 900, "is_stale": False}]
    label = {"machine_type": LABEL, "count": 2, "avg_queue_s": 190_000, "stale_count": 1, "oldest_stale_s": 190_000}
    fleet.system(
        "hud",
        {
            "/api/clickhouse/queued_jobs": jobs,
            "/api/clickhouse/queued_jobs_by_label": [label],
            "/api/clickhouse/queued_jobs_aggregate": [],
            "/api/clickhouse/all_machine_types": [{"machine_type": LABEL}],
            "/api/runners/pytorch": RUNNERS,
        },
        {},
        token_env="T",
    )
    await fleet.fires()
    assert (fleet.now.queued, fleet.now.oldest_wait_seconds, fleet.now.ghosts) == (1, 900.0, 1)
