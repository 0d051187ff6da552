"""buildkite/elastic-ci-stack-for-aws#85 and mitdbg/brad#230: CloudWatch's metrics come minutes late, each its own time.

Who publishes a queue may also stop: its last minute is the newest for as long as anybody looks back.
"""

from datetime import UTC, datetime
from typing import Any

import boto3
import pytest

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


class Queues:
    """Writes the length of queues as a publisher does, each minute as long as it runs."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._client = boto3.client("cloudwatch", region_name="us-east-1", endpoint_url=address)

    def put(self, at: float, **lengths: int) -> None:
        data: Any = [
            {
                "MetricName": "ScheduledJobsCount",
                "Value": value,
                "Timestamp": datetime.fromtimestamp(at, UTC),
                "Dimensions": [{"Name": "Queue", "Value": queue}],
            }
            for queue, value in lengths.items()
        ]
        self._client.put_metric_data(Namespace="Buildkite", MetricData=data)


@pytest.fixture
def queues(moto_url: str, made_up_aws: None) -> Queues:
    return Queues(moto_url)


def of(fleet: Fleet, queues: Queues, *names: str) -> None:
    """The pool's queue is those of CloudWatch."""
    metrics = [
        {"namespace": "Buildkite", "name": "ScheduledJobsCount", "dimensions": {"Queue": name}, "stat": "Maximum"}
        for name in names
    ]
    keys = {"custom": {"queued": metrics}}
    fleet.add_at("cloudwatch", keys, region="us-east-1", endpoint_url=queues.address)


async def test_the_last_zero_of_a_publisher_that_stopped_drains_nothing(queues: Queues) -> None:
    """The alert ends for want of data too."""
    fleet = Fleet()
    of(fleet, queues, "linux")
    now = fleet.clock.now()
    queues.put(now - 60, linux=30)
    await fleet.fires()
    assert fleet.now.queued == 30
    queues.put(now, linux=0)
    await fleet.passes(7)
    await fleet.resolves(5)
    states = [fleet.state]
    for ago in (240, 180, 120, 60):
        queues.put(fleet.clock.now() - ago, linux=0)
    await fleet.passes(5, lambda: queues.put(fleet.clock.now() - 60, linux=0))
    assert [*states, fleet.state] == [State.EASING, State.DRAINED]


async def test_a_pool_of_two_queues_is_not_empty_while_one_of_them_is_unknown(queues: Queues) -> None:
    fleet = Fleet()
    of(fleet, queues, "linux", "linux-spot")
    now = fleet.clock.now()
    queues.put(now - 60, **{"linux": 0, "linux-spot": 30})
    await fleet.fires()
    await fleet.passes(16, lambda: queues.put(fleet.clock.now() - 60, linux=0))
    await fleet.resolves(5)
    assert (fleet.state, fleet.now.queued) == (State.EASING, None)
    assert "no data of Buildkite ScheduledJobsCount" in fleet.says
