"""The group shape that both senders share: what is read, what falls back, what is refused."""

import json
from typing import Any

import pytest

from bot.core.alert import CUT, Kind, Status
from bot.sources.grafana import parse
from bot.sources.group import MOST_READ
from bot.sources.payload import Unreadable
from tests.sources.payloads import body, grafana, item


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        ({}, "alerts: missing; a Grafana webhook (version 1) has a list here"),
        ({"alerts": None}, "alerts: not a list; a Grafana webhook (version 1) has a list here"),
        ({"alerts": {}}, "alerts: not a list; a Grafana webhook (version 1) has a list here"),
        ({"alerts": []}, "alerts: empty; a Grafana webhook (version 1) has at least one alert here"),
        ({"alerts": [1]}, "alerts[0].labels: missing; every alert has an object of labels"),
        ({"alerts": [{"status": "firing"}]}, "alerts[0].labels: missing; every alert has an object of labels"),
        ({"alerts": [{"status": "firing", "labels": []}]}, "alerts[0].labels: missing"),
        ({"alerts": [{"labels": {}}]}, "alerts[0].status: neither firing nor resolved"),
        ({"alerts": [{"status": "suppressed", "labels": {}}]}, "alerts[0].status: neither firing nor resolved"),
        ({"alerts": [{"status": 1, "labels": {}}]}, "alerts[0].status: neither firing nor resolved"),
    ],
)
def test_a_payload_without_a_readable_alert_says_what_is_missing(payload: dict[str, Any], sentence: str) -> None:
    """The sentence goes into the 400 answer, where the sender's log shows it."""
    with pytest.raises(Unreadable) as refused:
        parse(json.dumps(payload).encode())
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("own", "top", "status"),
    [
        ("firing", {"status": "resolved"}, Status.FIRING),
        ("resolved", {"status": "firing"}, Status.RESOLVED),
        ("Alerting", {}, Status.FIRING),
        ("ok", {}, Status.RESOLVED),
        ("normal", {}, Status.RESOLVED),
        (None, {"status": "resolved"}, Status.RESOLVED),
        (None, {"state": "alerting"}, Status.FIRING),
    ],
)
def test_the_status_is_decided_per_alert(own: str | None, top: dict[str, str], status: Status) -> None:
    """The group's status counts only for an alert that has none of its own."""
    assert parse(body(item(status=own), **top)).alerts[0].status is status


def test_a_missing_group_key_falls_back_to_receiver_and_group_labels() -> None:
    """A template that leaves `groupKey` out still gives one incident per group, the same for every delivery."""
    labels = {"folder": "CI", "alertname": "Queue"}
    first = parse(body(item(), groupKey=None, groupLabels=labels))
    second = parse(body(item(status="resolved"), groupKey="", groupLabels=dict(reversed(labels.items()))))
    assert first.key == second.key
    assert first.key != parse(body(item(), groupKey=None, groupLabels=labels, receiver="other")).key
    assert first.key != parse(body(item(), groupKey=None, groupLabels={"alertname": "Queue"})).key


def test_without_group_labels_the_rule_is_the_group() -> None:
    """The barest template has one incident per rule, whichever instances it lists."""
    bare = {"groupKey": None, "groupLabels": None}
    one, two = item(), item(fingerprint="f2")
    assert parse(body(one, **bare)).key == parse(body(two, one, **bare)).key
    assert parse(body(one, **bare)).key != parse(body(item(labels={"alertname": "Other"}), **bare)).key


def test_a_missing_fingerprint_is_made_of_the_labels() -> None:
    """Same labels, same alert; order does not matter, and a value that is cut for the record still counts."""
    long = "x" * 3000
    one = parse(body(item(fingerprint=None, labels={"a": "1", "b": long + "1"}))).alerts[0]
    same = parse(body(item(fingerprint="", labels={"b": long + "1", "a": "1"}, annotations={"s": "t"}))).alerts[0]
    other = parse(body(item(fingerprint=None, labels={"a": "1", "b": long + "2"}))).alerts[0]
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert one.labels["b"] == other.labels["b"]
    assert one.labels["b"].endswith(CUT)


def test_an_identity_that_is_too_long_to_keep_is_digested_and_not_cut() -> None:
    """Two group keys that differ only at their end stay two incidents."""
    one, other = (parse(body(item(), groupKey="k" * 5000 + end)) for end in "ab")
    assert one.key != other.key
    assert len(one.group_key) == len(other.group_key) == 32


@pytest.mark.parametrize(
    ("labels", "top", "name"),
    [
        ({"rulename": "Rule", "alertname": "DatasourceNoData"}, {}, "Rule"),
        ({"alertname": "Queue"}, {"title": "T"}, "Queue"),
        ({}, {"groupLabels": {"alertname": "Group"}, "title": "T"}, "Group"),
        ({"alertname": " "}, {"title": "T"}, "T"),
        ({"alertname": "two\nlines  here"}, {}, "two lines here"),
        ({}, {}, "Alert without a name"),
    ],
)
def test_the_name_is_the_rules_own(labels: dict[str, str], top: dict[str, Any], name: str) -> None:
    """The order is in docs/design/alert-formats.md#normalised-event."""
    found = parse(body(item(labels=labels), **top))
    assert (found.title, found.alerts[0].name) == (name, name)


def test_a_title_names_the_rules_that_fire() -> None:
    """A group of several rules is titled by those that fire, not by the ones that are over."""
    rows = [item(labels={"alertname": name}, fingerprint=name, status=status) for name, status in RULES]
    assert parse(body(*rows)).title == "A and B"
    assert parse(body(rows[2])).title == "C"


RULES = [("A", "firing"), ("B", "firing"), ("C", "resolved"), ("A", "firing")]


def test_alerts_that_cannot_be_read_or_shown_are_counted() -> None:
    """ "+N more" includes what the sender cut, what could not be read, and what is beyond our own limit."""
    assert parse(body(item(), {"status": "x"}, truncatedAlerts=5)).truncated == 6
    assert parse(body(item(), truncatedAlerts=-1)).truncated == 0
    assert parse(body(item(), truncatedAlerts="many")).truncated == 0
    many = [item(fingerprint=str(i), status="resolved") for i in range(MOST_READ)]
    found = parse(body(*many, item(fingerprint="fires")))
    assert (len(found.alerts), found.truncated, found.firing) == (MOST_READ, 1, True)


def test_a_bare_payload_is_read() -> None:
    found = parse(grafana("bare_minimum"))
    only = found.alerts[0]
    assert (found.title, found.receiver, found.truncated) == ("Queue", "custom template", 0)
    assert (only.starts_at, only.ends_at, only.priority, only.teams) == (None, None, None, ())
    assert only.kind is Kind.QUEUE


def test_texts_are_cut_with_a_mark() -> None:
    found = parse(body(item(annotations={"summary": "s" * 50_000, "description": "d" * 50_000}))).alerts[0]
    assert (len(found.summary), len(found.description)) == (1000, 1500)
    assert found.summary.endswith(CUT)
    assert found.description.endswith(CUT)
    assert parse(body(item(annotations={"message": "old name"}))).alerts[0].summary == "old name"
