"""The `github_aws_runners` scaler: one SQS message per runner of the target, each with a real waiting job."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal

from pydantic import Field, field_validator

from bot.adapters.aws import Aws, AwsRegion, aws_of
from bot.adapters.build_context import BuildContext, read
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.json_answer import one_line
from bot.adapters.scalers.policy import PolicyTable
from bot.config import WrongSetting
from bot.core.alert import digest
from bot.core.pool.job import JobState, WorkflowJob
from bot.core.pool.outlook import Lever
from bot.core.scaling.limits import ScalePolicy
from bot.core.words import count
from bot.ports import Capacity, Failure, Refused, Unreachable, WebhookJobs

BATCH = 10
"""Messages per SQS batch."""
PAGES = 10
"""Largest number of pages, of 1,000 instances each."""
REMEMBERED = 50
"""Remembered requests, so that a retry sends no confirmed job again."""
WAITING = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed", "ApproximateNumberOfMessagesNotVisible")
CAUTION = (
    "One message is sent for each new runner, with the number of a job that waits. These runners end by themselves "
    "and are not returned."
)


class GithubAwsRunnersTable(PolicyTable, AwsRegion):
    queue_url: BaseUrl
    """URL of the queue that the scale-up lambda reads."""
    tags: dict[str, str] = Field(min_length=1)
    """Tags of this pool's instances and no others; without them the present size is unknown."""
    label: str = ""
    """The runner label of the jobs; empty: the pool's name."""
    format: Literal["upstream", "pytorch"] = "upstream"
    """Message format: github-aws-runners, or PyTorch's fork in test-infra."""
    owner_type: Literal["Organization", "User"] = "Organization"
    """Type of the repositories' owner, part of upstream's messages."""

    @field_validator("lease")
    @classmethod
    def _no_lease(cls, lease: float | None) -> float | None:
        if lease is not None:
            raise WrongSetting("these runners end by themselves and cannot be returned", "leave it out")
        return lease


@dataclass(slots=True)
class Order:
    """The jobs of one request, and those that SQS has confirmed."""

    jobs: tuple[WorkflowJob, ...]
    confirmed: set[str] = field(default_factory=set)


class GithubAwsRunnersScaler:
    """The scale-up lambda's queue: each message becomes a runner, so the size is instances plus waiting messages.

    Upstream drops a message whose job is no longer queued (`enable_job_queued_check`), so real job ids are sent.
    PyTorch's queue serves every label, so its messages are not counted. A retry in one process repeats only unconfirmed
    messages with the same jobs. A FIFO queue drops repeats for 5 min; elsewhere the job may get a second runner, which
    takes another job or ends.
    """

    def __init__(self, pool: str, table: GithubAwsRunnersTable, aws: Aws, jobs: WebhookJobs | None) -> None:
        self._table, self._aws, self._jobs = table, aws, jobs
        self._label, self._system = table.label or pool, f"Scaler of {pool}"
        self._orders: OrderedDict[tuple[str, int], Order] = OrderedDict()

    async def read(self) -> Capacity:
        """Instances, waiting messages, and how many more the waiting jobs allow."""
        there, messages = await asyncio.gather(self._instances(), self._messages())
        shared = self._table.format == "pytorch"
        level = there if shared else there + messages
        most = None if self._jobs is None else level + len(await self._waiting())
        by = f"the jobs that wait for {self._label}, since each new runner needs one"
        return Capacity(there, maximum=most, desired=None if shared else level, limited_by=by)

    async def set(self, target: int, request_id: str) -> None:
        """Send the messages missing to `target`. Refused if fewer jobs wait, or if it would go down."""
        key = (request_id, target)
        if key not in self._orders:
            self._orders[key] = Order(await self._waiting_jobs(target))
            for old in list(islice(self._orders, max(0, len(self._orders) - REMEMBERED))):
                del self._orders[old]
        order = self._orders[key]
        missing = [job for job in order.jobs if job.id not in order.confirmed]
        for start in range(0, len(missing), BATCH):
            await self._send(missing[start : start + BATCH], order, request_id)

    async def _waiting_jobs(self, target: int) -> tuple[WorkflowJob, ...]:
        level = (await self.read()).level or 0
        if target < level:
            raise Refused(f"Runners for {self._label} end by themselves and are not returned; {level:,} are set now.")
        waiting = await self._waiting() if target > level else ()
        if target - level > len(waiting):
            words = f"{count(len(waiting), 'job')} for {self._label} {'waits' if len(waiting) == 1 else 'wait'}"
            most = f"{level + len(waiting):,} is the highest target now, {target:,} was asked"
            raise Refused(f"Each new runner needs a job that waits, and only {words}: {most}. Nothing was sent.")
        return waiting[: target - level]

    async def _waiting(self) -> tuple[WorkflowJob, ...]:
        """The waiting jobs, oldest first, so that every process picks the same ones."""
        if self._jobs is None:
            raise Refused("GitHub's jobs are not known here", remedy="send its workflow_job webhooks to POST /github")
        found = [job for job in await self._jobs.under(self._label) if job.state is JobState.QUEUED]
        usable = [job for job in found if job.id.isdecimal() and "/" in job.repository]
        return tuple(sorted(usable, key=lambda job: (job.created_at or job.seen_at, job.id)))

    async def _send(self, jobs: Sequence[WorkflowJob], order: Order, request_id: str) -> None:
        entries = [self._entry(number, job, request_id) for number, job in enumerate(jobs)]
        arguments = {"QueueUrl": self._table.queue_url, "Entries": entries}
        answer: Any = await self._aws.tell(self._system, "sqs", "send_message_batch", arguments)
        order.confirmed |= {jobs[int(one["Id"])].id for one in answer.get("Successful", [])}
        if failed := answer.get("Failed", []):
            why = f"{failed[0].get('Code')}: {one_line(str(failed[0].get('Message', '')))}"
            what = f"SQS took {len(order.confirmed):,} of {count(len(order.jobs), 'message')} ({why})"
            lasting = failed[0].get("SenderFault") and not order.confirmed
            raise Unreachable(self._system, what, failure=Failure.SHAPE if lasting else Failure.LATER)

    def _entry(self, number: int, job: WorkflowJob, request_id: str) -> dict[str, str]:
        entry = {"Id": str(number), "MessageBody": json.dumps(self._message(job))}
        if self._table.queue_url.endswith(".fifo"):
            entry |= {"MessageGroupId": job.id, "MessageDeduplicationId": digest(request_id, job.id)}
        return entry

    def _message(self, job: WorkflowJob) -> dict[str, object]:
        """The message that the webhook would send for this job (docs/design/back-ends.md#scalers).

        Installation 0: the lambda looks up its own. With another App's installation the lambda could do nothing, not
        even for other jobs of the batch (scale-up.ts).
        """
        owner, _, name = job.repository.partition("/")
        message: dict[str, object] = {
            "id": int(job.id),
            "eventType": "workflow_job",
            "repositoryName": name,
            "repositoryOwner": owner,
            "installationId": 0,
        }
        if self._table.format == "pytorch":
            return {**message, "runnerLabels": list(job.labels) or [self._label], "callbackUrl": job.url}
        return {**message, "repoOwnerType": self._table.owner_type, "labels": list(job.labels)}

    async def _messages(self) -> int:
        arguments = {"QueueUrl": self._table.queue_url, "AttributeNames": list(WAITING)}
        answer: Any = await self._aws.read(self._system, "sqs", "get_queue_attributes", arguments)
        return sum(int(answer.get("Attributes", {}).get(name, 0)) for name in WAITING)

    async def _instances(self) -> int:
        tags = [{"Name": f"tag:{name}", "Values": [value]} for name, value in self._table.tags.items()]
        filters = [*tags, {"Name": "instance-state-name", "Values": ["pending", "running"]}]
        found, page = 0, dict[str, object]()
        for _ in range(PAGES):
            arguments = {"Filters": filters, "MaxResults": 1000, **page}
            answer: Any = await self._aws.read(self._system, "ec2", "describe_instances", arguments)
            found += sum(len(one.get("Instances", [])) for one in answer.get("Reservations", []))
            if not answer.get("NextToken"):
                return found
            page = {"NextToken": answer["NextToken"]}
        what = f"over {PAGES * 1000:,} instances have these tags; narrow `tags`"
        raise Unreachable(self._system, what, failure=Failure.SHAPE)


def build(
    pool: str, place: str, raw: Mapping[str, object], context: BuildContext
) -> tuple[GithubAwsRunnersScaler, ScalePolicy]:
    table = read(GithubAwsRunnersTable, place, raw)
    scaler = GithubAwsRunnersScaler(pool, table, aws_of(context, table), context.jobs)
    return scaler, replace(table.policy, caution=CAUTION, lever=Lever.REQUESTS)
