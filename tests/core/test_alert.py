"""Alerts, their identity, and how a group's latest word is kept."""

from typing import Any

import pytest

from bot.core.alert import CUT, SHOWN_ALERTS, Alert, Kind, Links, Matcher, begun, digest, merged, silence_matchers
from bot.core.alert_holder import Holder, holders
from bot.core.ranking.readings import Readings, readings
from tests.builders import NOW, alert, delivery, resolved


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (alert(), alert(summary="119 min", values={"max": 119.0}), True),
        (alert(starts_at=NOW + 0.1784), alert(starts_at=NOW + 0.1776), True),
        (alert(), alert(starts_at=NOW + 1), False),
        (alert(), resolved(), False),
        (alert(), alert("b2"), False),
        (alert(starts_at=None), alert(starts_at=None), True),
    ],
)
def test_an_occurrence_is_fingerprint_start_and_status(one: Alert, other: Alert, *, same: bool) -> None:
    assert (one.occurrence == other.occurrence) is same
    assert (delivery(one).news == delivery(other).news) is same


@pytest.mark.parametrize(
    ("parts", "same"),
    [
        ({"title": "119 min"}, True),
        ({"truncated": 3}, True),
        ({"alerts": (alert("z"),)}, True),
        ({"source": "alertmanager"}, False),
        ({"receiver": "other"}, False),
        ({"group_key": "other"}, False),
        ({"receiver": "tailback{}", "group_key": ':{alertname="Runner queue is long"}'}, False),
    ],
)
def test_an_incident_is_source_receiver_and_group(parts: dict[str, Any], *, same: bool) -> None:
    """Keys made of text would turn one alert into many (docs/design/alert-formats.md#recognition)."""
    assert (delivery().key == delivery(**parts).key) is same


def test_news_does_not_depend_on_the_order_of_alerts() -> None:
    assert delivery(alert("a"), resolved("b")).news == delivery(resolved("b"), alert("a")).news
    assert delivery(alert("a")).news != delivery(alert("a"), resolved("b")).news


def test_a_digest_knows_where_a_part_ends() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("a", "bc", "")
    assert len(digest("\ud800", "\0")) == 32


@pytest.mark.parametrize(
    ("alerts", "firing", "kind"),
    [
        ((alert("a"), resolved("b")), True, Kind.QUEUE),
        ((resolved("a"),), False, Kind.QUEUE),
        ((alert(kind=Kind.BLIND), resolved("b", kind=Kind.BLIND)), True, Kind.BLIND),
        ((alert(kind=Kind.BLIND), alert("b")), True, Kind.QUEUE),
        ((alert(kind=Kind.TEST),), True, Kind.TEST),
    ],
)
def test_a_group_is_judged_by_its_members(alerts: tuple[Alert, ...], kind: Kind, *, firing: bool) -> None:
    assert (delivery(*alerts).firing, delivery(*alerts).kind) == (firing, kind)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (
            {
                "max_queue_size": 14.0,
                "max_queue_time_mins": 114.0,
                "queue_size_threshold": 0.0,
                "queue_time_threshold": 1.0,
                "threshold_breached": 1.0,
            },
            Readings(14.0, 114.0, size_limit_crossed=False, time_limit_crossed=True),
        ),
        ({"max_queue_size": 0.0}, Readings(0.0, None, None, None)),
        ({"B": 44.2, "C": 1.0}, Readings(None, None, None, None)),
        *(
            ({"max_queue_size": odd, "max_queue_time_mins": odd}, Readings(None, None, None, None))
            for odd in (-1.0, 1e308, float("nan"), float("inf"))
        ),
        ({}, Readings(None, None, None, None)),
    ],
)
def test_readings(values: dict[str, float], found: Readings) -> None:
    assert readings(alert(values=values)) == found


START = NOW - 60


@pytest.mark.parametrize(
    ("known", "arrived", "firing", "begins"),
    [
        (None, alert(), True, True),
        (None, resolved(), False, False),
        (alert(), alert(), True, False),
        (alert(), resolved(), False, False),
        (resolved(), resolved(), False, False),
        (resolved(), alert(), False, False),
        (resolved(), alert(starts_at=START + 0.0004), False, False),
        (resolved(), alert(starts_at=START + 0.002), True, True),
        (resolved(), alert(starts_at=START + 30), True, True),
        (alert(), alert(starts_at=START + 30), True, True),
        (alert(starts_at=START + 30), resolved(ends_at=START + 20), True, False),
        (alert(starts_at=START + 30), resolved(ends_at=START + 60), False, False),
        (resolved(heard_at=NOW), alert(heard_at=NOW + 299), False, False),
        (resolved(heard_at=NOW), alert(heard_at=NOW + 300), True, True),
        (resolved(heard_at=NOW, starts_at=START + 30), alert(heard_at=NOW + 300), True, True),
        (resolved(starts_at=START + 30), alert(), False, False),
        (resolved(starts_at=None), alert(starts_at=None), True, True),
        (alert(starts_at=None), alert(starts_at=None), True, False),
        (alert(), resolved(starts_at=None), False, False),
        (resolved(), alert(starts_at=None), True, True),
    ],
)
def test_the_latest_word_on_an_alert(known: Alert | None, arrived: Alert, *, firing: bool, begins: bool) -> None:
    before = (known,) if known else ()
    after = merged(before, (arrived,))
    assert [found.firing for found in after] == [firing]
    assert begun(before, (arrived,)) == ((arrived,) if begins else ())


def test_a_group_keeps_the_alerts_that_fire() -> None:
    """At most 50 are kept, firing ones first and the youngest first."""
    many = tuple(alert(f"f{i}", starts_at=NOW + i, firing=i % 2 == 0) for i in range(120))
    kept = merged((), many)
    assert len(kept) == SHOWN_ALERTS
    assert all(found.firing for found in kept)
    assert [found.starts_at for found in kept[:2]] == [NOW + 118, NOW + 116]


def labelled(*, uid: str | None = None, **labels: str) -> Alert:
    return alert(labels=labels, rule_uid=uid)


RULE = Matcher("__alert_rule_uid__", "u1")


@pytest.mark.parametrize(
    ("alerts", "matchers"),
    [
        ((), ()),
        ((labelled(uid="u1"),), (RULE,)),
        ((labelled(uid="u1", alertname="Q", grafana_folder="F", type="t"),), (RULE, Matcher("type", "t"))),
        ((labelled(uid="u1", pool="a"), labelled(uid="u1", pool="b")), (RULE,)),
        ((labelled(uid="u1", team="t", pool="a"), labelled(uid="u2", team="t", pool="b")), (Matcher("team", "t"),)),
        ((labelled(uid="u1", team="t"), labelled(team="t")), (Matcher("team", "t"),)),
        ((labelled(uid="", team="t"),), (Matcher("team", "t"),)),
        ((labelled(alertname="Q", pool="a"),), (Matcher("alertname", "Q"), Matcher("pool", "a"))),
        ((labelled(pool="a"), labelled(pool="b")), ()),
        ((labelled(pool=""),), ()),
        ((labelled(pool="x" + CUT, team="t"),), (Matcher("team", "t"),)),
        ((labelled(pool="a.*b|c"),), (Matcher("pool", "a.*b|c", is_regex=False, is_equal=True),)),
    ],
)
def test_a_silence_is_exact_and_as_narrow_as_the_group(
    alerts: tuple[Alert, ...], matchers: tuple[Matcher, ...]
) -> None:
    """The rule's uid with the labels all alerts share, never a pattern, never everything, never a text that was cut."""
    assert silence_matchers(alerts) == matchers


@pytest.mark.parametrize(
    ("known", "arrived", "start"),
    [
        (alert(), resolved(starts_at=NOW, ends_at=NOW), NOW - 60),
        (alert(), resolved(starts_at=NOW, ends_at=NOW + 9), NOW),
        (alert(starts_at=None), resolved(starts_at=NOW, ends_at=NOW), NOW),
        (alert(starts_at=NOW + 5), resolved(starts_at=NOW, ends_at=NOW), NOW + 5),
    ],
)
def test_an_end_that_is_all_that_is_told_keeps_the_start(known: Alert, arrived: Alert, start: float) -> None:
    """CloudWatch tells when a state changed: equal start and end; an end before the known start is an old one."""
    (after,) = merged((known,), (arrived,))
    assert after.starts_at == start
    assert after.firing is (start == NOW + 5)


def test_a_revision_is_news_and_no_other_identity() -> None:
    first, second = delivery(revision="a"), delivery(revision="b")
    assert first.key == second.key == delivery().key
    assert len({first.news, second.news, delivery().news}) == 3


PROD = Holder("prod", "grafana", ("https://prod.example/grafana",))
DEV = Holder("dev", "grafana", ("http://10.0.0.5:3000", "https://dev.example"))
HOST = Holder("host", "grafana", ("https://prod.example",))
AM = Holder("am", "alertmanager", ("http://am:9093",))
PAIR = Holder("pair", "alertmanager", ("http://am-2:9093",))


@pytest.mark.parametrize(
    ("source", "link", "known", "found"),
    [
        ("grafana", "", [], ()),
        ("grafana", "", [PROD], ("prod",)),
        ("grafana", "https://elsewhere.example/x", [PROD], ("prod",)),
        ("grafana", "", [PROD, AM], ("prod",)),
        ("grafana", "", [AM], ("am",)),
        ("grafana", "", [AM, PAIR], ()),
        ("grafana", "", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://elsewhere.example/x", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://prod.example/grafana/alerting/silence/new?x=1", [PROD, DEV], ("prod",)),
        ("grafana", "http://prod.example:80/grafana/alerting", [PROD, DEV], ("prod",)),
        ("grafana", "https://prod.example/grafana2/alerting", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://prod.example:8443/grafana/x", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://PROD.example/grafana/alerting", [HOST, PROD, DEV], ("prod",)),
        ("grafana", "https://prod.example/other", [HOST, PROD], ("host",)),
        ("grafana", "https://dev.example/alerting", [PROD, DEV], ("dev",)),
        ("grafana", "https://[broken", [PROD, DEV], ("prod", "dev")),
        ("grafana", "http://am:9093/x", [PROD, DEV, AM], ("prod", "dev")),
        ("alertmanager", "http://am-2:9093/#/silences/new", [AM, PAIR], ("pair",)),
        ("alertmanager", "", [AM, PAIR, PROD], ("am", "pair")),
        ("sns", "", [PROD], ()),
        ("sns", "https://us-east-1.console.aws.amazon.com/x", [PROD], ()),
        ("event", "https://dev.example/alerting/silence/new", [PROD, DEV], ("dev",)),
        ("github_issue", "https://prod.example/grafana/alerting/silence/new", [PROD, AM], ("prod",)),
        ("github_issue", "", [PROD], ()),
    ],
)
def test_who_holds_an_alert(source: str, link: str, known: list[Holder], found: tuple[str, ...]) -> None:
    assert holders(source, [alert(links=Links(silence=link))], known) == found


def test_any_link_of_any_alert_counts() -> None:
    alerts = [alert("a1"), alert("a2", links=Links(alert="https://dev.example/alerting/grafana/u1/view"))]
    assert holders("grafana", alerts, [PROD, DEV]) == ("dev",)
