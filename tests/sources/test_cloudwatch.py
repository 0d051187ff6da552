"""CloudWatch alarms: state, pool by dimension, and what the description says by convention."""

import json

import pytest

from bot.core.alert import Alert, Delivery, Kind, Status, begun, merged
from bot.core.routing import named_pools
from bot.sources.cloudwatch import alarm
from bot.sources.payload import Unreadable
from tests.amazon import message
from tests.builders import rules
from tests.docs_pages import page

ARN = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:ci-queue-linux.2xlarge"


def read(name: str, **changed: object) -> Delivery:
    return alarm(json.loads(message(name, **changed)))


def only(name: str, **changed: object) -> Alert:
    (alert,) = read(name, **changed).alerts
    return alert


def test_an_alarm_is_read_whole() -> None:
    found = read("alarm")
    alert = found.alerts[0]
    assert (found.source, found.group_key, found.title) == ("sns", ARN, "ci-queue-linux.2xlarge")
    assert (alert.status, alert.kind, alert.starts_at, alert.ends_at) == (
        Status.FIRING,
        Kind.QUEUE,
        1796062980.412,
        None,
    )
    assert (alert.priority, alert.teams) == ("P1", ("pytorch-dev-infra",))
    assert alert.links.runbook == "https://runbooks.example/queue"
    assert alert.links.alert == (
        "https://us-east-1.console.aws.amazon.com/cloudwatch/home?region=us-east-1"
        "#alarmsV2:alarm/ci-queue-linux.2xlarge"
    )
    assert alert.values == {"OldestWaitMinutes": 74.0, "Threshold": 60.0}
    assert alert.summary == "Jobs wait for linux.2xlarge"
    assert alert.description == "The oldest waiting job of linux.2xlarge is too old.\nOWNER=nobody reads this"
    assert alert.labels["region"] == "us-east-1"
    assert alert.labels["aws_account_id"] == "123456789012"


def test_a_dimension_names_the_pool() -> None:
    """RunnerType is one of the names that a pool goes by; any other dimension can stand in a pool's `match`."""
    found = read("alarm")
    assert named_pools(found.alerts, [rules("linux.2xlarge"), rules("mac")]).named == ("linux.2xlarge",)
    scaling = read("alarm", Trigger={"Dimensions": [{"name": "AutoScalingGroupName", "value": "ci"}]})
    matched = [rules("linux", {"AutoScalingGroupName": "ci"}), rules("mac", {"AutoScalingGroupName": "mac"})]
    assert named_pools(scaling.alerts, matched).named == ("linux",)


def test_the_older_description_and_metric_math_are_read() -> None:
    """Pipes between the parts, any case, priority as a digit; dimensions inside of Metrics, the first of a name."""
    alert = only("math_piped")
    assert (alert.priority, alert.teams, alert.links.runbook) == ("P2", ("dev-infra", "build"), "")
    assert (alert.labels["RunnerType"], alert.labels["Stage"]) == ("linux.4xlarge", "x")
    assert alert.links.alert.startswith("https://console.amazonaws.cn/cloudwatch/home?region=cn-north-1#")
    assert alert.description == "Share of waiting jobs"


def test_line_breaks_that_are_written_out_are_line_breaks() -> None:
    alert = only("alarm", AlarmDescription="Jobs wait\\nTEAM=dev-infra\\nPRIORITY=P1\\nRUNBOOK=https://r.example/x")
    assert (alert.teams, alert.priority, alert.links.runbook) == (("dev-infra",), "P1", "https://r.example/x")
    assert alert.description == "Jobs wait"


def test_an_end_is_heard_and_keeps_the_start() -> None:
    """One alarm: fired, ended; a late copy of the firing changes nothing, a new firing does."""
    firing, over = only("alarm"), only("ok")
    (after,) = merged((firing,), (over,))
    assert (after.status, after.starts_at, after.ends_at) == (Status.RESOLVED, 1796062980.412, 1796065800.007)
    assert begun((after,), (firing,)) == ()
    again = only("alarm", StateChangeTime="2026-11-30T20:00:00.000+0000")
    assert begun((after,), (again,)) == (again,)
    assert read("alarm").key == read("ok").key


def test_no_data_is_a_blind_source_and_not_an_empty_queue() -> None:
    """INSUFFICIENT_DATA is its own kind of incident, as Grafana's DatasourceNoData is; its end is of that kind too."""
    blind = only("insufficient_data")
    assert (blind.kind, blind.firing, blind.values) == (Kind.BLIND, True, {})
    back = only("ok", OldStateValue="INSUFFICIENT_DATA")
    assert (back.kind, back.firing) == (Kind.BLIND, False)
    assert only("ok").kind is Kind.QUEUE


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"AlarmName": None}, "Message.AlarmName: missing; this is no CloudWatch alarm"),
        ({"AlarmArn": ""}, "Message.AlarmArn: missing"),
        ({"NewStateValue": None}, "Message.NewStateValue: is none of ALARM, OK, INSUFFICIENT_DATA"),
        ({"NewStateValue": "BROKEN"}, "Message.NewStateValue: is none of"),
    ],
)
def test_what_is_no_alarm_is_refused(changed: dict[str, object], sentence: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read("alarm", **changed)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    "changed",
    [
        {"Trigger": None},
        {"Trigger": {"Dimensions": [1, {"name": 1}, {}], "Metrics": [None]}},
        {"AlarmDescription": None, "NewStateReason": None},
        {"StateChangeTime": "yesterday"},
        {"AlarmArn": "something else"},
    ],
)
def test_a_poor_alarm_is_still_an_alarm(changed: dict[str, object]) -> None:
    found = only("alarm", **changed)
    assert found.firing
    assert found.name == "ci-queue-linux.2xlarge"


def test_the_description_on_the_page_is_read() -> None:
    """docs/integrations/sns.md: what somebody copies names team, priority and runbook, and keeps the sentence."""
    (text,) = page("docs/integrations/sns.md").code("text")
    alert = only("alarm", AlarmDescription=text)
    assert (alert.teams, alert.priority, alert.description) == (
        ("pytorch-dev-infra",),
        "P1",
        "The oldest waiting job of linux.2xlarge is too old.",
    )
    assert alert.links.runbook == "https://runbooks.example/queue"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\\n", "\\r\\n", "\u2028", "\x85"])
def test_conventions_are_found_whatever_ends_the_lines(end: str) -> None:
    """Consoles, Windows and templates write line ends of their own, some of them as characters."""
    alert = only("alarm", AlarmDescription=end.join(("Jobs wait", "TEAM=dev-infra", "PRIORITY=P1")))
    assert (alert.teams, alert.priority, alert.description) == (("dev-infra",), "P1", "Jobs wait")
