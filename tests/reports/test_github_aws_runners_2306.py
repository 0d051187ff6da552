"""terraform-aws-github-runner#2306: a request for a job that a free runner takes brings a machine that nobody uses."""

from dataclasses import replace

import pytest

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.adapters.scalers.jobs import FakeJobs, job
from tests.builders import POOL
from tests.reports.fleet import Fleet
from tests.world import refused


@pytest.mark.usefixtures("made_up_aws")
async def test_no_machine_is_asked_for_without_a_job_that_waits() -> None:
    """Three jobs wait, somebody asks for ten more: the limit is said, and three requests go out."""
    fleet, api = Fleet(), AwsApi(instances=12)
    fleet.knows("github", queued=3, oldest_wait_seconds=2400.0, busy=12, idle=0, limit=40)
    async with api.url() as url, patient_pool() as wire:
        table = {"kind": "github_aws_runners", "queue_url": f"{url}/1/linux", "region": "us-east-1"}
        parts = replace(
            parts_with(wire, {}, fleet.clock.now()), jobs=FakeJobs(*(job(n, labels=(POOL,)) for n in range(3)))
        )
        fleet.scaled_by({**table, "endpoint_url": url, "tags": {"ghr:environment": "ci"}}, parts)
        await fleet.fires()
        limit = f"limited to 15 runners by the jobs that wait for {POOL}, since each new runner needs one"
        await refused(limit, fleet.world.says("scale_up", POOL, "22"))
        await fleet.scaled(15)
    assert len(api.sent) == 3
