"""The normalised event: read whole, refused with every problem by name, and the same identity as PyTorch's."""

import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.alert import Status, merged, silence_matchers
from bot.core.ranking.readings import readings
from bot.core.routing import Route, named_pools, route
from bot.sources.event import FIELDS, IDENTITY, LINKS, REQUIRED, fingerprint, parse
from bot.sources.payload import Unreadable
from tests.builders import rules
from tests.examples import TWICE
from tests.sources.payloads import FIXTURES, SHARED

FIRING: dict[str, Any] = json.loads((FIXTURES / "event" / "firing.json").read_text("utf-8"))
RESOLVED: dict[str, Any] = json.loads((FIXTURES / "event" / "resolved.json").read_text("utf-8"))
GONE = object()
DECISIVE = {"schema_version", "source", "state", "title", "occurred_at", "identity"}
"""Without these it is open which alert fires or resolves, and since when."""


def event(**changed: Any) -> bytes:
    return json.dumps({name: value for name, value in {**FIRING, **changed}.items() if value is not GONE}).encode()


def refusal(**changed: Any) -> str:
    with pytest.raises(Unreadable) as refused:
        parse(event(**changed))
    return str(refused.value)


def odd(**changed: Any) -> tuple[str, ...]:
    return parse(event(**changed)).oddities


def test_an_event_is_read_whole() -> None:
    found = parse(event())
    alert = found.alerts[0]
    assert (found.source, found.receiver, found.title) == ("event", "datadog", "Jobs wait too long on linux.2xlarge")
    assert (alert.status, alert.priority, alert.teams) == (Status.FIRING, "P1", ("pytorch-dev-infra",))
    assert (alert.starts_at, alert.ends_at) == (1796062980.0, None)
    assert alert.summary == FIRING["summary"]
    assert alert.description.startswith("The oldest waiting job")
    assert (readings(alert).most_queued_jobs, readings(alert).longest_wait_minutes) == (31, 74)
    assert alert.links.runbook == "https://runbooks.example/queue"
    assert alert.links.dashboard == "https://app.datadog.example/dashboard/ci"
    assert alert.links.alert == "https://app.datadog.example/monitors/48151623"
    assert alert.links.silence == ""


def test_the_identity_is_pytorchs_fingerprint() -> None:
    """SHA-256 over the sorted `name=value` pairs, joined by `|`; what is empty is left out."""
    bare = "source=datadog|title=jobs wait too long on linux.2xlarge"
    whole = f"account_id=example-org|alarm_id=48151623|region=us-east-1|{bare}"
    assert parse(event()).group_key == fingerprint(FIRING) == sha256(whole.encode()).hexdigest()
    assert parse(event(identity={})).group_key == sha256(bare.encode()).hexdigest()


@pytest.mark.parametrize(
    "changed",
    [
        {"title": " JOBS wait too long on linux.2xlarge "},
        {"summary": "119 minutes", "description": "", "reason": "max_queue_time_mins=119"},
        {"priority": "P0", "teams": ["other"], "links": {}, "raw_provider": 1},
        {"state": "RESOLVED", "occurred_at": "2026-11-30T20:00:00Z"},
    ],
)
def test_nothing_else_enters_the_identity(changed: dict[str, Any]) -> None:
    """Text, figures, state and time may change while it is the same alert."""
    assert parse(event(**changed)).key == parse(event()).key


@pytest.mark.parametrize(
    "changed", [{"title": "other"}, {"source": "pagerduty"}, {"identity": {**FIRING["identity"], "alarm_id": "2"}}]
)
def test_another_alarm_is_another_incident(changed: dict[str, Any]) -> None:
    assert parse(event(**changed)).key != parse(event()).key


def test_resolved_ends_it_and_keeps_the_start() -> None:
    """`occurred_at` of an end may be the end, or the firing time once more, as Grafana's events have it."""
    firing, over = parse(event()).alerts, parse(json.dumps(RESOLVED).encode()).alerts
    (after,) = merged(firing, over)
    assert (after.status, after.starts_at, after.ends_at) == (Status.RESOLVED, 1796062980.0, 1796065800.0)
    same = parse(event(state="RESOLVED")).alerts
    assert merged(firing, same)[0].status is Status.RESOLVED


def test_raw_provider_may_name_the_pool_and_identity_may_be_routed_by() -> None:
    """The schema has no labels; `raw_provider.labels` and `commonLabels` count for pools and routes alone."""
    found = parse(event())
    assert named_pools(found.alerts, [rules("big", {"runner_label": "linux.2xlarge"}), rules("mac")]).named == ("big",)
    grouped = parse(event(raw_provider={"commonLabels": {"pool": "mac", "n": 1}}))
    assert named_pools(grouped.alerts, [rules("big"), rules("mac")]).named == ("mac",)
    assert route(found.alerts, [Route("C1", {"region": "us-east-1"})], Route("C0")).channel == "C1"
    assert [matcher.name for matcher in silence_matchers(found.alerts)] == ["alertname"]
    spoken = parse(event(title="[Pytorch] Machine linux.rocm has a long queue", raw_provider="text"))
    assert named_pools(spoken.alerts, [rules("linux.rocm"), rules("mac")]).named == ("linux.rocm",)


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-11-30T18:23:00Z", 1796062980.0),
        ("2026-11-30T18:23:00.25+01:00", 1796059380.25),
        ("1796062980", 1796062980.0),
        (1796062980123, 1796062980.123),
        ("1796062980123", 1796062980.123),
    ],
)
def test_the_time_may_be_epoch_seconds_or_milliseconds(written: str | int, at: float) -> None:
    """More than the schema allows, because Datadog's templates know no other time."""
    assert parse(event(occurred_at=written)).alerts[0].starts_at == at


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"schema_version": 2}, "schema_version: is not 1, the version that is read here"),
        ({"schema_version": "1"}, "schema_version: is a text, read as the number 1"),
        ({"schema_version": "2"}, "schema_version: is not a whole number"),
        ({"schema_version": True}, "schema_version: is not a whole number"),
        ({"source": "a b"}, "source: has other characters than letters, digits, _ and -"),
        ({"source": ""}, "source: is empty"),
        ({"source": "x" * 51}, "source: has 51 characters, and 50 are the most"),
        ({"source": "a\n"}, "source: has other characters"),
        ({"state": "firing"}, "state: is read as FIRING"),
        ({"state": "closed"}, "state: is none of FIRING, RESOLVED"),
        ({"source": "my.script"}, "source: has other characters"),
        ({"source": 7}, "source: is a number, read as the text 7"),
        ({"identity": {"account_id": 123456789012}}, "identity.account_id: is a number, read as the text 123456789012"),
        ({"identity": {"alarm_id": 5.0}}, "identity.alarm_id: is a number, read as the text 5"),
        ({"identity": {"alarm_id": ["x"]}}, "identity.alarm_id: is not a string"),
        ({"title": " "}, "title: is empty"),
        ({"title": 5}, "title: is a number, read as the text 5"),
        ({"title": ["x"]}, "title: is not a string"),
        ({"title": "x" * 501}, "title: has 501 characters, and 500 are the most"),
        ({"description": "x" * 4001}, "description: has 4,001 characters"),
        ({"summary": None}, "summary: is not a string"),
        ({"reason": "x" * 2001}, "reason: has 2,001 characters"),
        ({"priority": "P4"}, "priority: is none of P0, P1, P2, P3"),
        ({"priority": 2}, "priority: is none of P0, P1, P2, P3"),
        ({"occurred_at": "2026-11-30"}, "occurred_at: is not a date and time with a zone"),
        ({"occurred_at": "2026-11-30T18:23:00"}, "occurred_at: has no zone, so it counts as UTC"),
        ({"occurred_at": 179606}, "occurred_at: is not a date and time with a zone"),
        ({"occurred_at": True}, "occurred_at: is not a date and time with a zone"),
        ({"occurred_at": "179606298012"}, "occurred_at: is not a date and time with a zone"),
        ({"teams": "x"}, "teams: is not a list"),
        ({"teams": []}, "teams: has 0 teams, and 1 to 10 are allowed"),
        ({"teams": ["t"] * 11}, "teams: has 11 teams, and 1 to 10 are allowed"),
        ({"teams": ["ok", "a b"]}, "teams[1]: has other characters"),
        ({"teams": [1]}, "teams[0]: is not a string"),
        ({"identity": []}, "identity: is not an object"),
        ({"identity": {"account_id": ""}}, "identity.account_id: is empty"),
        ({"identity": {"region": "eu west"}}, "identity.region: has other characters"),
        ({"identity": {"alarm_id": "x" * 1025}}, "identity.alarm_id: has 1,025 characters"),
        ({"identity": {"arn": "x"}}, "identity.arn: there is no such field"),
        ({"links": None}, "links: is not an object"),
        ({"links": {"source_url": "javascript:alert(1)"}}, "links.source_url: is not an http(s) address"),
        ({"links": {"wiki": "https://x.example"}}, "links.wiki: there is no such field"),
        ({"labels": {}}, "labels: there is no such field"),
        ({"links": GONE}, "links: is required"),
        ({"teams": GONE}, "teams: is required"),
    ],
)
def test_a_broken_rule_is_named_with_its_place(changed: dict[str, Any], sentence: str) -> None:
    """In the 400 answer if it leaves open which alert it is; else in the thread, and the incident opens."""
    words = refusal(**changed) if _refused(changed) else "; ".join(odd(**changed))
    assert words.startswith(sentence)


def _refused(changed: dict[str, Any]) -> bool:
    """Another version, an unknown state, a time that is none, and no text where alerts are told apart."""
    ((name, value),) = changed.items()
    if name in {"schema_version", "state", "occurred_at"}:
        return value not in {"1", "firing", "2026-11-30T18:23:00"}
    if name == "identity":
        return not isinstance(value, dict) or isinstance(value.get("alarm_id"), list)
    return name in {"source", "title"} and (isinstance(value, list) or (isinstance(value, str) and not value.strip()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"identity": {"account_id": 123456789012}}, {"identity": {"account_id": "123456789012"}}),
        ({"identity": {"alarm_id": 48151623.0}}, {"identity": {"alarm_id": "48151623"}}),
        ({"source": 7}, {"source": "7"}),
        ({"title": 7}, {"title": "7"}),
        ({"state": "firing"}, {"state": "FIRING"}),
        ({"schema_version": "1"}, {"schema_version": 1}),
        ({"occurred_at": "2026-11-30T18:23:00"}, {"occurred_at": "2026-11-30T18:23:00Z"}),
    ],
)
def test_what_can_be_read_without_doubt_is_the_same_alert(one: dict[str, Any], other: dict[str, Any]) -> None:
    """A number and its digits, either case, a time without a zone: one identity, one occurrence."""
    found, same = parse(event(**one)), parse(event(**other))
    assert (found.key, found.alerts[0].occurrence) == (same.key, same.alerts[0].occurrence)
    assert len(found.oddities) == len(same.oddities) + 1


@pytest.mark.parametrize("name", [*FIELDS, "teams", "identity", "links", "labels"])
def test_whatever_else_is_missing_or_wrong_the_alert_is_read(name: str) -> None:
    """A P4, a team with a space, a field of a newer schema: an alert is not lost for it."""
    for value in ("P4", ["a b"], {"x": 1}, None, 5, "x" * 5000, [], GONE):
        try:
            found = parse(event(**{name: value}))
        except Unreadable:
            assert name in DECISIVE
        else:
            assert found.firing
            assert found.group_key == parse(event()).group_key or name in DECISIVE


def test_a_team_with_a_space_and_a_p4_are_read_as_far_as_they_go() -> None:
    """The team is routed by, and the priority is unknown, which is not the least one."""
    (alert,) = parse(event(teams=["Dev Infra"], priority="P4")).alerts
    assert (alert.teams, alert.priority) == (("dev-infra",), None)


def test_all_problems_are_named_at_once() -> None:
    """One answer is enough to mend a template; very many are counted."""
    found = refusal(priority="high", teams=[], links=GONE, extra=1, title="").split("; ")
    assert [problem.partition(":")[0] for problem in found] == ["links", "title", "priority", "extra", "teams"]
    assert odd(**{f"extra{n}": 1 for n in range(30)})[-1] == "and 10 more problems"
    with pytest.raises(Unreadable, match="schema_version: is required; source: is required"):
        parse(b"{}")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the schema is kept beside this project")
def test_the_rules_are_those_of_the_schema() -> None:
    """Same fields, same required ones, same lengths; the schema's own examples are read."""
    schema = json.loads((SHARED / "pytorch" / "alert-event.schema.json").read_text("utf-8"))
    parts = schema["properties"]
    assert {*FIELDS, "teams", "identity", "links"} == set(parts)
    assert sorted(REQUIRED) == sorted(schema["required"])
    assert set(IDENTITY) == set(parts["identity"]["properties"])
    assert set(LINKS) == set(parts["links"]["properties"])
    lengths = {name: getattr(rule, "most", None) for name, rule in FIELDS.items()}
    assert {n: most for n, most in lengths.items() if most} == {
        name: part["maxLength"] for name, part in parts.items() if "maxLength" in part
    }
    for example in schema["examples"]:
        assert parse(json.dumps(example).encode()).firing


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@TWICE
@given(odd=st.dictionaries(st.sampled_from([*FIELDS, "teams", "identity", "links"]), ODD, max_size=4))
def test_an_odd_event_is_read_or_refused(odd: dict[str, object]) -> None:
    try:
        key = parse(event(**odd)).group_key
    except Unreadable:
        key = "refused"
    assert key == "refused" or len(key) == 64
