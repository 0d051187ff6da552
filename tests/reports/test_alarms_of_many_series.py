"""CloudWatch's alarms in the forms that SNS brings them in: of several series, of a band, and as an event.

Each alarm here is in AWS's own format; the rows name where it stands.
"""

import json
from typing import Any

import pytest

from bot.core.alert import Alert, Kind, Status
from bot.core.incident.incident import State
from bot.sources.cloudwatch import alarm
from tests.amazon import message, sealed
from tests.builders import POOL
from tests.handlers.test_alerts_sns import SnsEndpoint

ARN = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:ci-queues"
QUERY = 'SELECT MAX(QueuedJobs) FROM "CI/Queue" GROUP BY RunnerType ORDER BY MAX() DESC'


def contributor(state: str, pool: str, at: str) -> bytes:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Acting_Alarm_Changes.html

    Each series tells its own change, under the name of the alarm that they share.
    """
    whole = json.loads(message("alarm", AlarmName="ci-queues", AlarmArn=ARN, NewStateValue=state, StateChangeTime=at))
    del whole["OldStateValue"]
    reason = "Threshold Crossed: 1 datapoint [14.0 (15/01/27 07:58:00)] was greater than the threshold (5.0)."
    trigger = {"Metrics": [{"Expression": QUERY, "Id": "q1", "Period": 60, "ReturnData": True}], "Threshold": 5.0}
    named = {"AlarmContributorId": f"id-of-{pool}", "AlarmContributorAttributes": {"RunnerType": pool}}
    return sealed(json.dumps({**whole, **named, "NewStateReason": reason, "Trigger": trigger}))


async def test_the_end_of_one_series_is_not_that_of_the_others() -> None:
    async with SnsEndpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        await endpoint.posts(contributor("ALARM", POOL, "2027-01-15T07:58:00.000+0000"))
        await endpoint.posts(contributor("ALARM", "gpu", "2027-01-15T07:58:30.000+0000"))
        await world.work()
        assert (len(world.incidents), POOL in world.incident.pools.affected) == (1, True)
        await endpoint.posts(contributor("OK", "gpu", "2027-01-15T08:03:00.000+0000"))
        assert [one.labels["RunnerType"] for one in world.incident.group.firing] == [POOL]
        await endpoint.posts(contributor("OK", POOL, "2027-01-15T08:05:00.000+0000"))
        assert world.incident.state is State.EASING


async def test_two_series_that_change_at_once_are_two() -> None:
    async with SnsEndpoint() as endpoint:
        world = endpoint.world
        at = "2027-01-15T07:58:00.000+0000"
        said = [(await endpoint.posts(contributor("ALARM", pool, at))).json()["outcome"] for pool in (POOL, "gpu")]
        assert (said, len(world.incident.group.firing)) == (["opened", "joined"], 2)


BAND = {
    "AlarmDescription": None,
    "NewStateReason": "Thresholds Crossed: 1 out of the last 5 datapoints [41.0 (09/02/21 14:23:00)] was not less than "
    "the lower thresholds [0.96] or not greater than the upper thresholds [1.04] (minimum 1 datapoint for OK -> ALARM "
    "transition).",
    "Trigger": {
        "Period": 60, "EvaluationPeriods": 5, "ComparisonOperator": "LessThanLowerOrGreaterThanUpperThreshold",
        "ThresholdMetricId": "ad1", "TreatMissingData": "- TreatMissingData:                    missing",
        "EvaluateLowSampleCountPercentile": "",
        "Metrics": [
            {"Id": "m1", "MetricStat": {"Metric": {
                "Dimensions": [{"value": POOL, "name": "RunnerType"}], "MetricName": "QueuedJobs",
                "Namespace": "CI/Queue"}, "Period": 60, "Stat": "Maximum"}, "ReturnData": True},
            {"Expression": "ANOMALY_DETECTION_BAND(m1, 2)", "Id": "ad1", "Label": "QueuedJobs (expected)",
             "ReturnData": True},
        ],
    },
}  # fmt: skip


def of(**changed: Any) -> Alert:
    return alarm(json.loads(message("alarm", **changed))).alerts[0]


def test_an_alarm_of_a_band_has_no_threshold() -> None:
    """arabold/aws-to-slack#98."""
    found = of(**BAND)
    assert (found.labels["RunnerType"], found.description, found.values) == (POOL, "", {"QueuedJobs": 41.0})


def event(state: str, before: str, at: str, **changed: Any) -> dict[str, Any]:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html"""
    reason = "Threshold Crossed: 1 datapoint [14.0 (15/01/27 07:58:00)] was greater than the threshold (5.0)."
    data = {"version": "1.0", "queryDate": at, "statistic": "Maximum", "recentDatapoints": [14.0], "threshold": 5.0}
    metric = {"dimensions": {"RunnerType": POOL}, "name": "QueuedJobs", "namespace": "CI/Queue"}
    part = {"id": "m1", "metricStat": {"metric": metric, "period": 60, "stat": "Maximum"}, "returnData": True}
    told = {"reason": reason, "reasonData": json.dumps(data), "timestamp": at, "value": state}
    detail = {
        "alarmName": "ci-queues",
        "configuration": {"description": "Jobs wait.\nTEAM=dev-infra\nPRIORITY=P1", "metrics": [part]},
        "previousState": {**told, "value": before},
        "state": told,
    }
    return {
        "version": "0", "id": "c4c1c1c9-6542-e61b-6ef0-8c4d36933a92", "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch", "account": "123456789012", "time": "2027-01-15T07:59:10Z", "region": "us-east-1",
        "resources": [ARN], "detail": {**detail, **changed},
    }  # fmt: skip


async def test_an_event_bus_may_bring_the_alarm() -> None:
    """Rules of EventBridge send alarms of other accounts and regions to one topic, with the event as the message."""
    async with SnsEndpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        began = event("ALARM", "OK", "2027-01-15T07:59:00.000+0000")
        said = await endpoint.posts(sealed(json.dumps(began)))
        assert (said.status_code, said.json()) == (200, {"outcome": "opened"})
        await world.work()
        (found,) = world.incident.group.firing
        assert (found.fingerprint, found.name, found.labels["RunnerType"]) == (ARN, "ci-queues", POOL)
        assert (found.labels["region"], found.labels["aws_account_id"]) == ("us-east-1", "123456789012")
        assert (found.teams, found.priority, found.values["QueuedJobs"]) == (("dev-infra",), "P1", 14.0)
        ended = event("OK", "ALARM", "2027-01-15T08:05:00.000+0000")
        await endpoint.posts(sealed(json.dumps(ended)))
        assert world.incident.state is State.EASING


@pytest.mark.parametrize(
    ("state", "before", "kind", "status"),
    [
        ("INSUFFICIENT_DATA", "ALARM", Kind.BLIND, Status.FIRING),
        ("OK", "INSUFFICIENT_DATA", Kind.BLIND, Status.RESOLVED),
        ("OK", "ALARM", Kind.QUEUE, Status.RESOLVED),
    ],
)
def test_an_event_without_data_is_blind(state: str, before: str, kind: Kind, status: Status) -> None:
    (found,) = alarm(event(state, before, "2027-01-15T07:59:00.000+0000")).alerts
    assert (found.kind, found.status) == (kind, status)


def test_an_event_of_one_series_names_it() -> None:
    series = {"id": "id-of-gpu", "attributes": {"RunnerType": "gpu"}}
    whole = event("ALARM", "OK", "2027-01-15T07:59:00.000+0000", alarmContributor=series)
    whole["detail-type"] = "CloudWatch Alarm Contributor State Change"
    delivery = alarm(whole)
    (found,) = delivery.alerts
    assert (delivery.group_key, found.labels["RunnerType"]) == (ARN, "gpu")
    assert found.fingerprint != ARN
