"""Parses a CloudWatch alarm from SNS or EventBridge: state, pool from its dimensions, what its description says.

Format: docs/design/alert-formats.md#amazon-sns and pytorch/alerting-infra `transformers/cloudwatch.ts`.
"""

import json
import re
from collections.abc import Mapping
from urllib.parse import quote

from bot.core.alert import Alert, Delivery, Kind, Links, Status, digest
from bot.sources.group import FIRST_LABELS, MOST_DESCRIPTION_CHARS, MOST_KEY_CHARS, MOST_TITLE_CHARS
from bot.sources.labels import line_ends, link, priority, teams
from bot.sources.payload import MOST_CHARS, Unreadable, bounded, cut, fields, instant, items, number, pairs, text

STATES = {"ALARM": Status.FIRING, "OK": Status.RESOLVED, "INSUFFICIENT_DATA": Status.FIRING}
BLIND = "INSUFFICIENT_DATA"
"""The alarm's metric has no data: the queue is unknown, neither long nor empty."""
EVENT_SOURCE = "aws.cloudwatch"
"""Who sent an event of EventBridge."""
KEYS = frozenset({"TEAM", "TEAMS", "PRIORITY", "RUNBOOK", "SUMMARY"})
CONSOLES = {
    "aws": "console.aws.amazon.com",
    "aws-cn": "console.amazonaws.cn",
    "aws-us-gov": "console.amazonaws-us-gov.com",
}

_ARN = re.compile(r"arn:(aws[a-z-]{0,10}):cloudwatch:([a-z0-9-]{1,30}):(\d{12}):alarm:(.+)", re.ASCII | re.DOTALL)
_DATAPOINT = re.compile(r"\[([-+0-9.eE]{1,30})[ \]]")


def alarm(message: Mapping[str, object]) -> Delivery:
    """The delivery for an alarm's state change; raises Unreadable for anything else.

    An alarm of several series is one group: each series (contributor) tells its own change, beside that of the alarm.
    """
    if message.get("source") == EVENT_SOURCE:
        message = _of_event(message)
    name = " ".join(text(message.get("AlarmName"), MOST_TITLE_CHARS).split())
    arn = text(message.get("AlarmArn"), MOST_KEY_CHARS)
    if not name or not arn:
        missing = "AlarmArn" if name else "AlarmName"
        raise Unreadable(f"Message.{missing}: missing; this is no CloudWatch alarm, and only alarms are read here")
    state = text(message.get("NewStateValue")).strip().upper()
    if state not in STATES:
        raise Unreadable(f"Message.NewStateValue: is none of {', '.join(STATES)}")
    alert = _alert(message, name, arn, state)
    return Delivery(source="sns", receiver="cloudwatch", group_key=arn, title=name, alerts=(alert,))


def _alert(message: Mapping[str, object], name: str, arn: str, state: str) -> Alert:
    facts, description = _described(text(message.get("AlarmDescription"), 8000))
    at, status = instant(message.get("StateChangeTime")), STATES[state]
    reason = text(message.get("NewStateReason"), MOST_CHARS)
    was_blind = text(message.get("OldStateValue")).upper() == BLIND
    blind = state == BLIND or (state == "OK" and was_blind)
    trigger, place = fields(message.get("Trigger")), _ARN.fullmatch(arn)
    account = text(message.get("AWSAccountId")) or (place[3] if place else "")
    region = place[2] if place else text(message.get("Region"))
    series = text(message.get("AlarmContributorId"), MOST_KEY_CHARS)
    dimensions = {**_dimensions(trigger), **pairs(message.get("AlarmContributorAttributes"))}
    labels = {"alertname": name, "aws_account_id": account, "region": region, **dimensions}
    console = ""
    if place and place[1] in CONSOLES:
        host = CONSOLES[place[1]] if place[1] != "aws" else f"{region}.{CONSOLES['aws']}"
        console = f"https://{host}/cloudwatch/home?region={region}#alarmsV2:alarm/{quote(name, safe='')}"
    named = {"teams": facts.get("TEAMS", facts.get("TEAM", "")), "priority": facts.get("PRIORITY", "")}
    return Alert(
        fingerprint=digest(arn, series) if series else arn,
        status=status,
        name=name,
        labels=bounded(labels, FIRST_LABELS),
        starts_at=at,
        ends_at=at if status is Status.RESOLVED else None,
        values={} if blind else _figures(trigger, reason),
        links=Links(runbook=link(facts.get("RUNBOOK", "")), alert=link(console)),
        kind=Kind.BLIND if blind else Kind.QUEUE,
        priority=priority(named, {}),
        teams=teams(named, {}),
        summary=cut(facts.get("SUMMARY") or reason, MOST_CHARS),
        description=cut(description, MOST_DESCRIPTION_CHARS),
    )


def _described(description: str) -> tuple[dict[str, str], str]:
    """(values of known keys, other lines), from lines or the older form separated by `|`.

    Terraform and the console also leave line breaks as a backslash and an `n`, or as `\\r\\n`.
    """
    facts: dict[str, str] = {}
    rest: list[str] = []
    description = line_ends(description.replace("\\r\\n", "\n").replace("\\n", "\n"))
    for line in description.split("\n" if "\n" in description else "|"):
        key, equals, value = line.partition("=")
        if equals and (known := key.strip().upper()) in KEYS:
            facts[known] = value.strip()
        elif line.strip():
            rest.append(line.strip())
    return facts, "\n".join(rest)


def _of_event(event: Mapping[str, object]) -> dict[str, object]:
    """An event of EventBridge in the words of SNS (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html)."""
    detail = fields(event.get("detail"))
    state, before, made = (fields(detail.get(part)) for part in ("state", "previousState", "configuration"))
    series = fields(detail.get("alarmContributor"))
    metrics = [fields(fields(fields(one).get("metricStat")).get("metric")) for one in items(made.get("metrics"))]
    parts = [
        {
            "MetricName": one.get("name"),
            "Dimensions": [{"name": name, "value": value} for name, value in pairs(one.get("dimensions")).items()],
        }
        for one in metrics
    ]
    try:
        data = fields(json.loads(text(state.get("reasonData"), MOST_CHARS)))
    except ValueError:
        data = {}
    return {
        "AlarmName": detail.get("alarmName"),
        "AlarmArn": next(iter(items(event.get("resources"))), None),
        "AlarmDescription": made.get("description"),
        "AWSAccountId": event.get("account"),
        "Region": event.get("region"),
        "NewStateValue": state.get("value"),
        "OldStateValue": before.get("value"),
        "NewStateReason": state.get("reason"),
        "StateChangeTime": state.get("timestamp") or event.get("time"),
        "AlarmContributorId": series.get("id"),
        "AlarmContributorAttributes": series.get("attributes"),
        "Trigger": {"Metrics": [{"MetricStat": {"Metric": one}} for one in parts], "Threshold": data.get("threshold")},
    }


def _metrics(trigger: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The trigger's own metric, and those of metric math."""
    inner = (fields(fields(fields(one).get("MetricStat")).get("Metric")) for one in items(trigger.get("Metrics")))
    return [trigger, *inner]


def _dimensions(trigger: Mapping[str, object]) -> dict[str, str]:
    """Names and values of all dimensions, metric math included; the first of a name counts."""
    rows = [fields(row) for part in _metrics(trigger) for row in items(part.get("Dimensions"))]
    named = ((text(row.get("name")), text(row.get("value"))) for row in reversed(rows))
    return {name: value for name, value in named if name and value}


def _figures(trigger: Mapping[str, object], reason: str) -> dict[str, float]:
    """The newest datapoint in the reason, under the name of the only metric, and the threshold."""
    point, limit = _DATAPOINT.search(reason), number(trigger.get("Threshold"))
    names = {name for one in _metrics(trigger) if (name := text(one.get("MetricName")))}
    name = names.pop() if len(names) == 1 else "value"
    found = {name: number(point[1]) if point else None, "Threshold": limit}
    return {name: figure for name, figure in found.items() if figure is not None}
