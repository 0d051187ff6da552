"""The table of sources: the names in the path, and the promise that a parser raises one thing alone."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.records import decode, encode
from bot.core.alert import Delivery
from bot.core.incident.incident import Incident, Thread, opened
from bot.core.routing import Named
from bot.sources.payload import Unreadable
from bot.sources.registry import SOURCES, Parse
from tests.examples import TWICE
from tests.sources import payloads

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ALERT_FIELDS = st.sampled_from(
    [
        *("status", "labels", "annotations", "startsAt", "endsAt", "generatorURL", "fingerprint", "silenceURL"),
        *("dashboardURL", "panelURL", "ruleUID", "values", "valueString", "orgId"),
    ]
)
TOP_FIELDS = st.sampled_from(
    ["receiver", "status", "state", "groupLabels", "externalURL", "version", "groupKey", "truncatedAlerts", "title"]
)
ITEMS = st.dictionaries(ALERT_FIELDS, ANYTHING, max_size=6).map(
    lambda odd: {"status": "firing", "labels": {"alertname": "Queue"}, **odd}
)
TEXTS = st.text(max_size=40)
GROUPED = ("alertmanager", "grafana")
EACH_GROUPED = pytest.mark.parametrize("parse", [SOURCES[name] for name in GROUPED], ids=GROUPED)
"""The senders of groups; the others send one alert at a time."""


def parsed(parse: Parse, body: bytes) -> Delivery | None:
    """The delivery, or None when it was refused; anything else fails the test."""
    try:
        return parse(body)
    except Unreadable:
        return None


def test_the_paths_of_the_alert_sources() -> None:
    assert sorted(SOURCES) == ["alertmanager", "event", "grafana", "sns"]


@given(payload=st.dictionaries(TOP_FIELDS | st.just("alerts"), ANYTHING, max_size=6) | ANYTHING)
def test_any_json_is_read_or_refused(payload: object) -> None:
    body = json.dumps(payload).encode()
    for name, parse in SOURCES.items():
        found = parsed(parse, body)
        assert found is None or found.alerts, name


@TWICE
@given(odd=ITEMS, top=st.dictionaries(TOP_FIELDS, ANYTHING, max_size=4))
def test_an_odd_alert_does_not_cost_its_neighbour(odd: dict[str, object], top: dict[str, object]) -> None:
    """A readable alert is always taken in, whatever stands beside it."""
    body = json.dumps({**top, "alerts": [odd, payloads.item(fingerprint="good")]}).encode()
    for name in GROUPED:
        found = parsed(SOURCES[name], body)
        assert found is not None, name
        assert "good" in {alert.fingerprint for alert in found.alerts}, name
        assert len(found.alerts) + found.truncated >= 2, name


@TWICE
@given(odd=ITEMS, top=st.dictionaries(TOP_FIELDS, ANYTHING, max_size=4))
def test_an_incident_is_read_back_as_it_was_opened(odd: dict[str, object], top: dict[str, object]) -> None:
    """To the type of each number, since a process may draw either (`bot.adapters.redis.read_before`)."""
    body = json.dumps({**top, "alerts": [odd, payloads.item(values={"A": 14, "B": 1.5})]}).encode()
    for name in GROUPED:
        found = parsed(SOURCES[name], body)
        assert found is not None, name
        made = opened("i1", found, 1.5, Thread("C1"), Named((), (), ()))
        assert repr(decode(Incident, "i1", encode(made))) == repr(made)


@EACH_GROUPED
@given(words=st.lists(TEXTS, min_size=6, max_size=6), figures=st.dictionaries(TEXTS, st.integers(), max_size=3))
def test_identity_never_depends_on_text_or_values(parse: Parse, words: list[str], figures: dict[str, int]) -> None:
    """ "114 min" and "119 min" are one alert: neither key nor occurrence looks at what is written for people."""
    summary, description, title, message, spoken, link = words
    one = payloads.item(annotations={"summary": "114 min"}, values={"max_queue_time_mins": 114})
    other = {
        **one,
        "annotations": {"summary": summary, "description": description},
        "values": figures,
        "valueString": spoken,
        "dashboardURL": link,
    }
    for group in ({"groupKey": "g"}, {"groupLabels": {"alertname": "Queue"}, "groupKey": None}, {"groupKey": None}):
        before = parse(payloads.body(one, **group, title="[FIRING:1] Queue 114 min"))
        after = parse(payloads.body(other, **group, title=title, message=message, commonAnnotations={"a": summary}))
        assert (before.key, before.news) == (after.key, after.news)


@EACH_GROUPED
def test_the_other_senders_version_is_still_read(parse: Parse) -> None:
    """What counts is readable alerts; a payload on the wrong path is better shown than lost."""
    for body in (payloads.grafana("mixed_group"), payloads.alertmanager(3)):
        assert [alert.firing for alert in parse(body).alerts] == [False, True]


def test_the_same_group_of_two_senders_is_two_incidents() -> None:
    body = payloads.alertmanager(1)
    one, other = SOURCES["grafana"](body), SOURCES["alertmanager"](body)
    assert one.key != other.key
    assert one.key == replace(other, source="grafana").key
