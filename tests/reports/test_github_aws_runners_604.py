"""terraform-aws-github-runner#604: the scale-up function logs no error, and no instance comes."""

from dataclasses import replace

import pytest

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.adapters.scalers.jobs import FakeJobs, job
from tests.builders import POOL
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_requests_that_were_taken_are_not_runners() -> None:
    """The queue took five messages; the thread says how many runners registered: none."""
    fleet, api = Fleet(), AwsApi(instances=12)
    fleet.knows("github", queued=30, oldest_wait_seconds=2400.0, busy=12, idle=0, limit=40)
    async with api.url() as url, patient_pool() as wire:
        table = {"kind": "github_aws_runners", "queue_url": f"{url}/1/linux", "region": "us-east-1"}
        parts = replace(
            parts_with(wire, {}, fleet.clock.now()), jobs=FakeJobs(*(job(n, labels=(POOL,)) for n in range(30)))
        )
        fleet.scaled_by({**table, "endpoint_url": url, "tags": {"ghr:environment": "ci"}}, parts)
        await fleet.fires()
        said = await fleet.scaled(17)
    assert len(api.sent) == 5
    assert "no effect after 6 min. Only 12 runners online" in said
