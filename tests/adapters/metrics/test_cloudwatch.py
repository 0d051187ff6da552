"""CloudWatch: queue, functions and metrics by name, against moto."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import boto3
import pytest

from bot.adapters.aws import Aws
from bot.adapters.prometheus.answers import Unknown
from bot.adapters.registry import METRICS
from bot.adapters.signals.ask import AnswersSignals, SignalQuery
from bot.core.pool.pool import Tally
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.metrics.rig import Rig
from tests.builders import gaps
from tests.machines import POOL, diagnosed_with

NOW = datetime.now(UTC)
PYTORCH = {"preset": "pytorch", "prefix": "gh-ci", "organization": "pytorch"}
TYPE = {"Org": "pytorch", "RunnerType": POOL}
CREATE, CODE = "run.runners.perOrg.perRunnerType.create", "aws.ec2.perException.runInstances.exception"
RIG = Rig("cloudwatch", lambda url: {"region": "us-east-1", "endpoint_url": url}, {}, NOW.timestamp(), POOL)


class Put:
    """Writes metrics as the autoscalers and AWS do; each test begins with none."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.client = boto3.client("cloudwatch", region_name="us-east-1", endpoint_url=address)

    @asynccontextmanager
    async def url(self) -> AsyncIterator[str]:
        yield self.address

    def put(self, namespace: str, name: str, value: float, minutes_ago: float = 1, **dimensions: str) -> "Put":
        named = [{"Name": key, "Value": text} for key, text in dimensions.items()]
        at = NOW - timedelta(minutes=minutes_ago)
        datum: Any = {"MetricName": name, "Value": value, "Timestamp": at, "Dimensions": named}
        self.client.put_metric_data(Namespace=namespace, MetricData=[datum])
        return self


@pytest.fixture
def cloud(moto_url: str) -> Put:
    return Put(moto_url)


async def test_the_parts_of_github_aws_runners_are_found_by_their_prefix(cloud: Put) -> None:
    """Queue, dead letters and the function that launches: names as its Terraform modules give them."""
    queue, dead, function = "ci-queued-builds", "ci-queued-builds_dead_letter", "ci-scale-up"
    cloud.put("AWS/SQS", "ApproximateNumberOfMessagesVisible", 41, QueueName=queue)
    cloud.put("AWS/SQS", "ApproximateAgeOfOldestMessage", 1900, QueueName=queue)
    cloud.put("AWS/SQS", "ApproximateNumberOfMessagesVisible", 3, QueueName=dead)
    for minutes in (1, 5, 40):
        cloud.put("AWS/Lambda", "Errors", 2, minutes, FunctionName=function)
    cloud.put("AWS/Lambda", "Throttles", 1, FunctionName=function)
    found = await RIG.look(cloud, keys={"preset": "github_aws_runners", "prefix": "ci"})
    assert (found.requests, found.oldest_request_seconds, found.dead_requests) == (41, 1900.0, 3)
    assert (found.create_failures, found.missing) == (1, ())
    assert found.create_failures_by_code == (Tally("Lambda Throttles of ci-scale-up", 1.0),)


async def test_a_function_without_throttles_says_nothing_of_refused_launches(cloud: Put) -> None:
    """From 7.0 on it succeeds although the cloud refuses, so that no failure of it is no launch that worked."""
    for minutes in (1, 5):
        cloud.put("AWS/Lambda", "Throttles", 0, minutes, FunctionName="ci-scale-up")
        cloud.put("AWS/Lambda", "Errors", 0, minutes, FunctionName="ci-scale-up")
    found = await RIG.look(cloud, keys={"function": "ci-scale-up"})
    assert (found.create_failures, found.create_failures_by_code) == (None, ())
    assert "does not say whether the cloud refused one" in gaps(found)[0]


async def test_the_metrics_of_pytorchs_fork_are_read_by_runner_type_and_its_codes_are_those_of_all(cloud: Put) -> None:
    """Its exceptions have no runner type, so nobody may take them for this pool's own."""
    space = "gh-ci-scaleUp-dim"
    cloud.put(space, f"{CREATE}.success", 2, 1, **TYPE).put(space, f"{CREATE}.fail", 7, 1, **TYPE)
    cloud.put(space, f"{CREATE}.fail", 90, Org="pytorch", RunnerType="other")
    cloud.put(space, CODE, 30, Exception="InsufficientInstanceCapacity").put(space, CODE, 5, 60, Exception="Old")
    cloud.put(space, "run.ghrunners.perOrg.perRunnerType.busy", 12, 1, **TYPE)
    found = await RIG.look(cloud, keys=PYTORCH)
    assert (found.creates, found.create_failures, found.busy) == (2, 7, 12)
    assert found.create_failures_by_code == (Tally("InsufficientInstanceCapacity (all pools)", 30.0),)


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        ("stockout", "InsufficientInstanceCapacity"),
        ("quota", "VcpuLimitExceeded"),
        ("permission", "UnauthorizedOperation"),
        ("image", "InvalidAMIID.NotFound"),
        ("throttled_cloud", "RequestLimitExceeded"),
        ("cloud_down", "InternalError"),
        ("refused", "SomethingElse"),
    ],
)
async def test_a_cause_is_found_in_the_metrics_of_the_fork(cloud: Put, cause: str, code: str) -> None:
    """End to end: metrics, figures, merge with the queue, rules."""
    space = "gh-ci-scaleUp-dim"
    cloud.put(space, f"{CREATE}.success", 0, 1, **TYPE).put(space, f"{CREATE}.fail", 9, 1, **TYPE)
    cloud.put(space, CODE, 9, Exception=code)
    async with RIG.source(cloud, {POOL: PYTORCH}) as found:
        assert (await diagnosed_with(found, NOW.timestamp())).findings[0].cause == cause


async def test_metrics_of_ones_own_are_summed_or_taken_newest(cloud: Put) -> None:
    cloud.put("Own", "started", 3, 2).put("Own", "started", 4, 9).put("Own", "fleet", 8, 5).put("Own", "fleet", 6, 1)
    cloud.put("Own", "b", 2, Zone="x").put("Own", "b", 3, Zone="y")
    zones = [{"namespace": "Own", "name": "b", "dimensions": {"Zone": zone}, "stat": "Maximum"} for zone in ("x", "y")]
    custom = {
        "creates": {"namespace": "Own", "name": "started"},
        "machines": {"namespace": "Own", "name": "fleet", "stat": "Maximum"},
        "busy": zones,
    }
    found = await RIG.look(cloud, keys={"custom": custom})
    assert (found.creates, found.machines, found.busy) == (7, 6, 5)


async def test_a_metric_without_data_is_unknown_and_never_zero(cloud: Put) -> None:
    """A misspelt name and a quiet one look the same to CloudWatch."""
    found = await RIG.look(cloud, keys={"queue": "nobody"})
    assert (found.requests, found.oldest_request_seconds) == (None, None)
    metric = "AWS/SQS ApproximateNumberOfMessagesVisible"
    assert gaps(found)[0] == f"requests: CloudWatch has no data of {metric}; correct its name and dimensions"


class Partly:
    """An AWS that gives a part of a metric's data, and says so."""

    async def read(self, *_: object) -> dict[str, object]:
        return {"MetricDataResults": [{"Id": "m0", "Values": [0.0], "StatusCode": "PartialData"}]}


async def test_a_part_of_the_data_is_no_figure() -> None:
    """A sum over what came is smaller than the truth; a 0 would say that nothing failed."""
    parts = parts_with(patient_pool())
    parts.shared(Aws, "us-east-1  ", lambda: cast("Aws", Partly()))
    keys = {"custom": {"requests": {"namespace": "N", "name": "m"}}}
    source = METRICS["cloudwatch"]("x", "", {"kind": "cloudwatch", "region": "us-east-1"}, {"p": keys}, parts)
    assert isinstance(source, AnswersSignals)
    signal = (await source.numbers({"s": SignalQuery("N m Average")}))["s"]
    assert (type(signal), str(signal)) == (Unknown, "CloudWatch gave only a part of its data")
    found = await source.snapshot("p")
    assert (found.requests, gaps(found)) == (None, ("requests: CloudWatch gave only a part of its data",))
