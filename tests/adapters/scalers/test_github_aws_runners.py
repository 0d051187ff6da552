"""The `github_aws_runners` scaler: real jobs, one message each, exactly as many as are missing."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace

import boto3
import pytest

from bot.adapters.scalers.github_aws_runners import build
from bot.core.pool.job import JobState
from bot.ports import Failure, Refused, Scaler, Unreachable, WebhookJobs
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.adapters.scalers.jobs import FakeJobs, job
from tests.answering import answering

PLACE = '[pool."linux".scaler]'
TABLE = {"kind": "github_aws_runners", "region": "us-east-1", "tags": {"ghr:environment": "ci-linux"}, "max": 50}
TWENTY = FakeJobs(*map(job, range(20)))
Make = Callable[..., Scaler]


@pytest.fixture
async def api() -> AwsApi:
    return AwsApi()


@pytest.fixture
async def pool_scaler(api: AwsApi) -> AsyncIterator[Make]:
    """Makes the adapter in front of it, with jobs 0 to 19 waiting."""
    async with answering(api.endpoint) as url, patient_pool() as wire:

        def make(jobs: WebhookJobs | None = TWENTY, queue: str = "linux", **more: object) -> Scaler:
            raw = {**TABLE, "endpoint_url": url, "queue_url": f"{url}/1/{queue}", **more}
            return build("linux", PLACE, raw, replace(parts_with(wire), jobs=jobs))[0]

        yield make


def ids(api: AwsApi) -> list[int]:
    return [int(str(one.body["id"])) for one in api.sent]


async def test_a_message_is_what_the_webhook_would_have_sent(pool_scaler: Make, api: AwsApi) -> None:
    """Upstream's fields, with the job's own number; never the installation of the App that told Tailback of the job."""
    await pool_scaler().set(11, "act-1")
    assert [one.body for one in api.sent] == [
        {
            "id": 0,
            "eventType": "workflow_job",
            "repositoryName": "app",
            "repositoryOwner": "example",
            "installationId": 0,
            "repoOwnerType": "Organization",
            "labels": ["linux"],
        }
    ]


async def test_pytorchs_fork_has_its_own_fields(pool_scaler: Make, api: AwsApi) -> None:
    """Its queue serves every label, so its messages are not counted."""
    scaler = pool_scaler(FakeJobs(job(1)), format="pytorch")
    await scaler.set(11, "act-1")
    assert [one.body for one in api.sent] == [
        {
            "id": 1,
            "eventType": "workflow_job",
            "repositoryName": "app",
            "repositoryOwner": "example",
            "installationId": 0,
            "runnerLabels": ["linux"],
            "callbackUrl": "https://github.com/example/app/actions/runs/7/job/1",
        }
    ]
    found = await scaler.read()
    assert (found.current, found.desired, found.level) == (10, None, 10)


async def test_as_many_messages_as_are_missing_by_the_oldest_jobs(pool_scaler: Make, api: AwsApi) -> None:
    """The target is absolute: instances and messages that wait count."""
    scaler = pool_scaler()
    await scaler.set(22, "act-1")
    assert ids(api) == list(range(12))
    found = await scaler.read()
    assert (found.current, found.desired, found.maximum) == (10, 22, 42)
    await scaler.set(24, "act-2")
    assert len(api.sent) == 14


async def test_fewer_waiting_jobs_than_asked_is_said_and_nothing_is_sent(pool_scaler: Make, api: AwsApi) -> None:
    """An invented number would be thrown away by the lambda, or make a runner for nobody."""
    running = job(7, JobState.IN_PROGRESS)
    scaler = pool_scaler(FakeJobs(job(1), job(2), job(3), running, job(9, JobState.WAITING), job(8, labels=("macos",))))
    found = await scaler.read()
    assert (found.maximum, found.limited_by) == (13, "the jobs that wait for linux, since each new runner needs one")
    with pytest.raises(Refused) as caught:
        await scaler.set(24, "act-1")
    assert str(caught.value) == (
        "Each new runner needs a job that waits, and only 3 jobs for linux wait: 13 is the highest target now, "
        "24 was asked. Nothing was sent."
    )
    assert api.sent == []


async def test_a_batch_that_was_taken_in_part_is_completed_and_not_repeated(pool_scaler: Make, api: AwsApi) -> None:
    scaler, api.takes = pool_scaler(), 3
    with pytest.raises(Unreachable, match=r"SQS took 3 of 5 messages \(InternalError: try again\)") as caught:
        await scaler.set(15, "act-1")
    assert caught.value.failure is Failure.LATER
    api.takes = 10
    await scaler.set(15, "act-1")
    assert ids(api) == [0, 1, 2, 3, 4]


async def test_a_fifo_queue_drops_what_was_sent_before_a_crash(pool_scaler: Make, api: AwsApi) -> None:
    """Another process asks for the same request: the same jobs have the same deduplication ids."""
    api.faults["SendMessageBatch"] = "silent"
    with pytest.raises(Unreachable) as caught:
        await pool_scaler(queue="linux.fifo", format="pytorch").set(14, "act-1")
    assert caught.value.failure is Failure.UNKNOWN
    api.faults.clear()
    await pool_scaler(queue="linux.fifo", format="pytorch").set(14, "act-1")
    assert ids(api) == [0, 1, 2, 3]
    assert [one.group for one in api.sent] == ["0", "1", "2", "3"]


async def test_in_doubt_only_the_same_jobs_are_sent_again(pool_scaler: Make, api: AwsApi) -> None:
    """Without FIFO a job may then get two runners, and never is there a third job."""
    scaler = pool_scaler(format="pytorch")
    api.faults["SendMessageBatch"] = "silent"
    with pytest.raises(Unreachable):
        await scaler.set(12, "act-1")
    api.faults.clear()
    await scaler.set(12, "act-1")
    assert ids(api) == [0, 1, 0, 1]


async def test_instances_are_counted_over_pages(pool_scaler: Make, api: AwsApi) -> None:
    api.instances = 20
    assert (await pool_scaler().read()).current == 20
    reads = [parameters for action, parameters in api.requests if action == "DescribeInstances"]
    assert [one.get("NextToken") for one in reads] == [None, "8", "16"]
    assert (reads[0]["Filter.1.Name"], reads[0]["Filter.1.Value.1"]) == ("tag:ghr:environment", "ci-linux")
    assert (reads[0]["Filter.2.Value.1"], reads[0]["Filter.2.Value.2"]) == ("pending", "running")


async def test_without_webhooks_nothing_can_be_asked(pool_scaler: Make, api: AwsApi) -> None:
    scaler = pool_scaler(None)
    assert (await scaler.read()).maximum is None
    with pytest.raises(Refused, match="workflow_job webhooks to POST /github"):
        await scaler.set(11, "act-1")


async def test_a_missing_right_is_named(pool_scaler: Make, api: AwsApi) -> None:
    """The permission as IAM writes it; sending a batch needs the right to send."""
    api.faults["SendMessageBatch"] = "AccessDenied"
    with pytest.raises(Refused, match="allow sqs:SendMessage "):
        await pool_scaler().set(11, "act-1")


async def test_a_queue_of_moto_gets_the_messages(moto_url: str) -> None:
    """The whole way with a queue that somebody else made, FIFO as AWS has it."""
    made = moto_queue(moto_url)
    async with patient_pool() as wire:
        raw = {**TABLE, "queue_url": made, "endpoint_url": moto_url}
        parts = replace(parts_with(wire), jobs=TWENTY)
        scaler, _ = build("linux", PLACE, raw, parts)
        assert (await scaler.read()).level == 2
        await scaler.set(14, "act-1")
        assert (await scaler.read()).level == 14
        again, _ = build("linux", PLACE, raw, parts)
        with pytest.raises(Refused, match="14 are set now"):
            await again.set(3, "act-2")
    assert sorted(moto_bodies(moto_url, made)) == list(range(12))


def moto_queue(url: str) -> str:
    """A FIFO queue, and two instances of the pool besides one of another."""
    ec2 = boto3.client("ec2", region_name="us-east-1", endpoint_url=url)
    for environment, number in {"ci-linux": 2, "other": 1}.items():
        tags = [{"ResourceType": "instance", "Tags": [{"Key": "ghr:environment", "Value": environment}]}]
        ec2.run_instances(ImageId="ami-12c6146b", MinCount=number, MaxCount=number, TagSpecifications=tags)
    sqs = boto3.client("sqs", region_name="us-east-1", endpoint_url=url)
    return str(sqs.create_queue(QueueName="linux.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"])


def moto_bodies(url: str, queue: str) -> Iterator[int]:
    sqs = boto3.client("sqs", region_name="us-east-1", endpoint_url=url)
    for _ in range(5):
        for message in sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
            yield json.loads(message["Body"])["id"]
