"""A stand-in for AWS where moto differs from it or cannot fail: Auto Scaling, SQS and EC2 over HTTP, with faults."""

import hashlib
import json
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.aws import Aws
from bot.playground.serving import ABORT
from tests.answering import answering
from tests.patience import PATIENCE_SECONDS

Parameters = dict[str, Any]
MADE_UP = {
    "AWS_ACCESS_KEY_ID": "AKIAMADEUP",
    "AWS_SECRET_ACCESS_KEY": "made-up",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
}
"""Credentials by the usual variables; with them nothing of this machine's own is looked for."""
NOT_ALLOWED = "User: arn:aws:sts::123456789012:assumed-role/tailback is not authorized to perform: {action}"


@dataclass
class Sent:
    body: dict[str, object]
    group: str = ""
    deduplication: str = ""


@dataclass
class AwsApi:
    """One Auto Scaling group, one queue and some instances; AWS's own rules, which moto does not keep."""

    group: str = "ci-linux"
    desired: int = 10
    minimum: int = 0
    most: int = 40
    there: int = 10
    """Instances in service; they follow `desired` unless `delivers` is False."""
    instances: int = 10
    """Runners of github-aws-runners."""
    delivers: bool = True
    failure: str = ""
    """StatusMessage of a scaling activity that failed just now."""
    launches: list[str] = field(default_factory=list)
    """StatusMessages of launches, newest first; an empty one went well."""
    named: list[str] = field(default_factory=list)
    """The description of each, where it is not that of a usual launch."""
    details: str = ""
    """What each of them says in JSON."""
    launched_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended: int = 0
    """Activities that ended instances."""
    states: dict[str, int] = field(default_factory=dict)
    """Instances by life-cycle state, instead of `there`."""
    suspended: str = ""
    weight: str = ""
    """What each instance counts for; empty: AWS does not say."""
    policy_weight: str = ""
    """The same of a type that the group's policy may start."""
    sent: list[Sent] = field(default_factory=list)
    takes: int = 10
    """How many messages of a batch are accepted."""
    faults: dict[str, str] = field(default_factory=dict)
    """Action → an error code with which it fails, or `silent`: done, and the answer is lost."""
    requests: list[tuple[str, Parameters]] = field(default_factory=list)

    def url(self) -> AbstractAsyncContextManager[str]:
        """At a real address."""
        return answering(self.endpoint)

    async def endpoint(self, request: Request) -> Response:
        body = await request.body()
        target = request.headers.get("x-amz-target", "")
        if target:
            action, parameters = target.split(".")[1], json.loads(body)
        else:
            parameters = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            action = parameters["Action"]
        self.requests.append((action, parameters))
        fault = self.faults.get(action, "")
        if fault and fault != "silent":
            return self.error(fault, NOT_ALLOWED.format(action=action), plain=bool(target))
        answer: Response = getattr(self, f"on_{action}")(parameters)
        if fault == "silent":
            request.scope["extensions"][ABORT]()
        return answer

    def error(self, code: str, message: str, status: int = 400, *, plain: bool = False) -> Response:
        """AWS's error in the call's own protocol; a code of three digits is a status without any body of AWS's."""
        if code.isdigit():
            return Response("<html>Internal Server Error</html>", int(code), media_type="text/html")
        status = 403 if code.startswith(("AccessDenied", "Unauthorized", "InvalidClient", "ExpiredToken")) else status
        if plain:
            return Response(json.dumps({"__type": f"com.amazonaws.sqs#{code}", "message": message}), status)
        inside = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
        return Response(f"<ErrorResponse>{inside}<RequestId>r</RequestId></ErrorResponse>", status)

    def on_DescribeAutoScalingGroups(self, parameters: Parameters) -> Response:  # noqa: N802 - AWS's name
        if parameters["AutoScalingGroupNames.member.1"] != self.group:
            return xml("DescribeAutoScalingGroups", "<AutoScalingGroups/>")
        weight = f"<WeightedCapacity>{self.weight}</WeightedCapacity>" if self.weight else ""
        kinds = f"<member><WeightedCapacity>{self.policy_weight}</WeightedCapacity></member>"
        policy = f"<LaunchTemplate><Overrides>{kinds if self.policy_weight else ''}</Overrides></LaunchTemplate>"
        one = f"<member><InstanceId>i</InstanceId><LifecycleState>InService</LifecycleState>{weight}</member>"
        other = "<member><InstanceId>i</InstanceId><LifecycleState>Terminating</LifecycleState></member>"
        if self.states:
            one, other = "", "".join(one.replace("InService", state) * n for state, n in self.states.items())
        reason = (
            f"<member><ProcessName>Launch</ProcessName><SuspensionReason>{self.suspended}</SuspensionReason></member>"
        )
        return xml(
            "DescribeAutoScalingGroups",
            f"<AutoScalingGroups><member><AutoScalingGroupName>{self.group}</AutoScalingGroupName>"
            f"<MinSize>{self.minimum}</MinSize><MaxSize>{self.most}</MaxSize>"
            f"<DesiredCapacity>{self.desired}</DesiredCapacity><Instances>{one * self.there}{other}</Instances>"
            f"<MixedInstancesPolicy>{policy}</MixedInstancesPolicy>"
            f"<SuspendedProcesses>{reason if self.suspended else ''}</SuspendedProcesses>"
            "</member></AutoScalingGroups>",
        )

    def on_DescribeScalingActivities(self, parameters: Parameters) -> Response:  # noqa: N802 - AWS's name
        """Launches in pages; without any, one that went well, and the one that failed."""
        if self.launches:
            return self.launched(int(str(parameters.get("NextToken", "0"))), int(str(parameters["MaxRecords"])))
        now = datetime.now(UTC).isoformat()
        one = "<member><ActivityId>a</ActivityId><StatusCode>{}</StatusCode><StartTime>{}</StartTime>{}</member>"
        good = one.format("Successful", now, "")
        bad = one.format("Failed", now, f"<StatusMessage>{self.failure}</StatusMessage>") if self.failure else ""
        return xml("DescribeScalingActivities", f"<Activities>{good}{bad}</Activities>")

    def launched(self, start: int, most: int) -> Response:
        usual = ["Launching a new EC2 instance"] * len(self.launches)
        rows = list(zip(self.named or usual, self.launches, strict=True))
        rows += [("Terminating EC2 instance: i", "")] * self.ended
        members = "".join(
            f"<member><ActivityId>a</ActivityId><Description>{what}</Description>"
            f"<StatusCode>{'Failed' if message else 'Successful'}</StatusCode>"
            f"<StartTime>{self.launched_at.isoformat()}</StartTime><StatusMessage>{escape(message)}</StatusMessage>"
            f"<Details>{escape(self.details)}</Details></member>"
            for what, message in rows[start : start + most]
        )
        token = f"<NextToken>{start + most}</NextToken>" if start + most < len(rows) else ""
        return xml("DescribeScalingActivities", f"<Activities>{members}</Activities>{token}")

    def on_SetDesiredCapacity(self, parameters: Parameters) -> Response:  # noqa: N802 - AWS's name
        target = int(str(parameters["DesiredCapacity"]))
        if target > self.most:
            text = f"New SetDesiredCapacity value {target} is above max value {self.most} for the AutoScalingGroup."
            return self.error("ValidationError", text)
        self.desired = target
        self.there = target if self.delivers else self.there
        return xml("SetDesiredCapacity", "", result=False)

    def on_GetMetricData(self, _: Parameters) -> Response:  # noqa: N802 - AWS's name
        return Response(json.dumps({"MetricDataResults": []}))

    def on_GetQueueAttributes(self, _: Parameters) -> Response:  # noqa: N802 - AWS's name
        return Response(json.dumps({"Attributes": {"ApproximateNumberOfMessages": str(len(self.sent))}}))

    def on_SendMessageBatch(self, parameters: Parameters) -> Response:  # noqa: N802 - AWS's name
        """Takes the first ones of a batch; a FIFO queue drops what it has seen."""
        good, bad = list[Parameters](), list[Parameters]()
        for place, entry in enumerate(parameters["Entries"]):
            if place >= self.takes:
                bad.append({"Id": entry["Id"], "Code": "InternalError", "Message": "try again", "SenderFault": False})
                continue
            one = Sent(
                json.loads(entry["MessageBody"]),
                entry.get("MessageGroupId", ""),
                entry.get("MessageDeduplicationId", ""),
            )
            if not one.deduplication or one.deduplication not in {known.deduplication for known in self.sent}:
                self.sent.append(one)
            good.append({"Id": entry["Id"], "MessageId": "m", "MD5OfMessageBody": md5(entry["MessageBody"])})
        return Response(json.dumps({"Successful": good, "Failed": bad}))

    def on_DescribeInstances(self, parameters: Parameters) -> Response:  # noqa: N802 - AWS's name
        page = int(str(parameters.get("NextToken", "0")))
        here = min(8, self.instances - page)
        token = f"<nextToken>{page + here}</nextToken>" if page + here < self.instances else ""
        one = "<item><instancesSet><item><instanceId>i</instanceId></item></instancesSet></item>"
        inside = f"<reservationSet>{one * here}</reservationSet>{token}"
        return Response(f"<DescribeInstancesResponse>{inside}</DescribeInstancesResponse>")


def xml(action: str, inside: str, *, result: bool = True) -> Response:
    body = f"<{action}Result>{inside}</{action}Result>" if result else ""
    return Response(f"<{action}Response>{body}<ResponseMetadata/></{action}Response>", media_type="text/xml")


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def patient_aws(url: str) -> Aws:
    return Aws("us-east-1", url, total_seconds=PATIENCE_SECONDS)
