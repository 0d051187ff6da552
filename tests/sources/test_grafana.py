"""Grafana's webhook: the seed alert read as it is meant, both forms of every link, and the alerts that are no queue."""

from typing import Any

import pytest

from bot.core.alert import Kind, Matcher, silence_matchers
from bot.core.ranking.readings import readings
from bot.core.routing import named_pools
from bot.sources.grafana import parse
from bot.sources.labels import matchers, spoken_values
from tests.builders import rules
from tests.sources.payloads import FIXTURES, body, grafana, item, raw

EXTERNAL = {"externalURL": "https://g.example/grafana/", "orgId": 7}
SILENCE = "https://g.example/grafana/alerting/silence/new?alertmanager=grafana"


def test_the_seed_alert_is_read_as_it_is_meant() -> None:
    """Booleans are not limits, and no pool is named (docs/design/diagnosis.md#reading-the-alert)."""
    found = parse(raw(FIXTURES / "grafana" / "RECONSTRUCTED_seed_alert.json"))
    only = found.alerts[0]
    seen = readings(only)
    assert (seen.longest_wait_minutes, seen.most_queued_jobs) == (114, 14)
    assert (seen.size_limit_crossed, seen.time_limit_crossed) == (False, True)
    assert silence_matchers(found.alerts)[0] == Matcher("__alert_rule_uid__", "dez2aomgvru2oe")
    assert (only.priority, only.teams) == ("P2", ("pytorch-dev-infra",))
    assert found.title == only.name == "Jobs are Queued - autoscaled-machines"
    assert only.starts_at == 1764555780.0
    assert only.links.runbook == "https://hud.pytorch.org/metrics"
    assert only.links.alert.endswith("/alerting/grafana/dez2aomgvru2oe/view?orgId=1")
    assert "__alert_rule_uid__%3Ddez2aomgvru2oe" in only.links.silence
    pools = named_pools(found.alerts, [rules("linux.2xlarge", {"runner_label": "linux.2xlarge"}), rules("macos")])
    assert (pools.named, pools.candidates, pools.unknown) == ((), ("linux.2xlarge", "macos"), ())


def test_a_mixed_group_is_read_per_alert() -> None:
    """A resolved member inside a firing payload stays resolved; each alert has its own links and figures."""
    found = parse(grafana("mixed_group"))
    over, firing = found.alerts
    assert (over.firing, firing.firing, found.firing) == (False, True, True)
    assert (over.starts_at, over.ends_at) == (1772600767.123, 1772601967.5)
    assert (firing.starts_at, firing.ends_at) == (1772601367.25, None)
    assert dict(firing.values) == {"oldest_wait": 95.0, "queued": 31.0}
    assert firing.rule_uid == "queue-rule-1"
    assert (firing.priority, firing.teams) == ("P1", ("build-infra", "ci-platform"))
    assert over.links.dashboard == "https://grafana.example/d/ci?orgId=7"
    assert firing.links.dashboard == "https://grafana.example/d/ci?orgId=7&viewPanel=2"
    assert firing.links.silence.endswith("matcher=runner_label%3Dmacos-m2&orgId=7")


def test_the_older_forms_are_read() -> None:
    """`/edit`, `matchers=` joined, a `valueString` alone, an offset in the time."""
    found = parse(grafana("old_links_and_value_string"))
    only = found.alerts[0]
    assert only.rule_uid == "oLd_uid-9"
    assert dict(only.values) == {"B": 17.0, "D": 15.0}
    assert only.starts_at == 1772564767.1
    assert (only.priority, only.teams) == ("P0", ("gpu-owners",))
    assert only.links.silence.endswith("matchers=alertname%3DGPU%20queue%2Cgpu%3Da100%2CTeam%3DGPU%20Owners")
    assert found.truncated == 2


@pytest.mark.parametrize("name", ["DatasourceNoData", "DatasourceError"])
def test_a_blind_source_is_not_a_queue_of_zero(name: str) -> None:
    labels = {"alertname": name, "rulename": "Long queue"}
    only = parse(body(item(labels=labels, values={"B": 0}))).alerts[0]
    assert (only.kind, only.name, dict(only.values)) == (Kind.BLIND, "Long queue", {})
    assert parse(grafana("datasource_no_data")).kind is Kind.BLIND


@pytest.mark.parametrize(
    ("labels", "top", "kind"),
    [
        ({"alertname": "TestAlert", "instance": "Grafana"}, {"receiver": "test", "groupKey": "test-1-2"}, Kind.TEST),
        ({"alertname": "TestAlert", "instance": "Grafana"}, {"receiver": "tailback"}, Kind.TEST),
        ({"alertname": "Mine"}, {"receiver": "test", "groupKey": "test-1-2"}, Kind.TEST),
        ({"alertname": "Queue"}, {"receiver": "test"}, Kind.QUEUE),
        ({"alertname": "TestAlert"}, {"receiver": "tailback"}, Kind.QUEUE),
        ({"alertname": "Queue"}, {"groupKey": "test-1-2"}, Kind.QUEUE),
    ],
)
def test_the_test_button_opens_nothing(labels: dict[str, str], top: dict[str, Any], kind: Kind) -> None:
    assert parse(body(item(labels=labels), **top)).kind is kind


def test_the_test_buttons_own_payload() -> None:
    """`values` is null and the generator link is relative; neither is taken for a fact."""
    found = parse(grafana("test_button"))
    assert found.kind is Kind.TEST
    assert dict(found.alerts[0].values) == {}
    assert found.alerts[0].links.alert == ""


@pytest.mark.parametrize(
    ("parts", "uid"),
    [
        ({"ruleUID": "a-1_Z"}, "a-1_Z"),
        ({"generatorURL": "https://g.example/alerting/grafana/u1/view?orgId=1"}, "u1"),
        ({"generatorURL": "https://g.example/sub/alerting/u2/edit"}, "u2"),
        ({"silenceURL": f"{SILENCE}&matcher=__alert_rule_uid__%3Du3&orgId=1"}, "u3"),
        ({"silenceURL": f"{SILENCE}&matchers=a%3Db%2C__alert_rule_uid__%3Du4"}, "u4"),
        ({"silenceURL": f"{SILENCE}&matcher=alert_rule_uid%3Du5"}, "u5"),
        ({"ruleUID": "u1", "generatorURL": "https://g.example/alerting/grafana/u2/view"}, "u1"),
        ({"ruleUID": "not a uid", "generatorURL": "https://g.example/alerting/grafana/u2/view"}, "u2"),
        ({"ruleUID": "x" * 65}, None),
        ({"generatorURL": "https://g.example/graph/d/abc/runners?tab=alert"}, None),
        ({"silenceURL": f"{SILENCE}&matcher=__alert_rule_uid__%3D~.*"}, None),
        ({"silenceURL": "https://[broken"}, None),
        ({"silenceURL": f"{SILENCE}{'&matcher=a%3Db' * 300}"}, None),
        ({}, None),
    ],
)
def test_the_rules_uid_is_found_wherever_it_stands(parts: dict[str, str], uid: str | None) -> None:
    """ruleUID, else the generator link in either form, else the silence link's matcher."""
    assert parse(body(item(**parts))).alerts[0].rule_uid == uid


@pytest.mark.parametrize(
    ("parts", "link"),
    [
        ({"silenceURL": f"{SILENCE}&matcher=__alert_rule_uid__%3Du1&matcher=alertname%3DQueue"}, None),
        ({"silenceURL": f"{SILENCE}&matchers=alertname%3DQueue%2Cpool%3Dx"}, None),
        ({"silenceURL": f"{SILENCE}&matcher=alert_rule_uid%3Du1"}, "&matcher=__alert_rule_uid__%3Du1&matcher=pool%3Dx"),
        ({"silenceURL": f"{SILENCE}&matcher=pool%3Dother"}, "&matcher=__alert_rule_uid__%3Du1&matcher=pool%3Dx"),
        ({"silenceURL": SILENCE}, "&matcher=__alert_rule_uid__%3Du1&matcher=pool%3Dx"),
        ({"silenceURL": "javascript:alert(1)"}, "&matcher=__alert_rule_uid__%3Du1&matcher=pool%3Dx"),
        ({}, "&matcher=__alert_rule_uid__%3Du1&matcher=pool%3Dx"),
        ({"labels": {"alertname": "Queue", "pool": "x" * 3000}}, "&matcher=__alert_rule_uid__%3Du1"),
    ],
)
def test_a_silence_link_names_only_what_this_alert_has(parts: dict[str, Any], link: str | None) -> None:
    """Grafana's link is taken over when every matcher fits; a link that would silence nothing is replaced."""
    given = {"labels": {"alertname": "Queue", "pool": "x"}, "ruleUID": "u1", **parts}
    found = parse(body(item(**given), **EXTERNAL)).alerts[0].links.silence
    assert found == (parts["silenceURL"] if link is None else f"{SILENCE}{link}&orgId=7")


def test_no_silence_link_is_made_up() -> None:
    """Without the rule's uid or Grafana's own address there is nothing safe to link to."""
    assert parse(body(item(), **EXTERNAL)).alerts[0].links.silence == ""
    assert parse(body(item(ruleUID="u1"))).alerts[0].links.silence == ""
    assert parse(body(item(ruleUID="u1"), externalURL="javascript:x")).alerts[0].links.silence == ""


def test_matchers_of_a_link() -> None:
    """Only equality is read; other operators are left to Grafana's page."""
    link = "https://x?matcher=a%3Db%3Dc&matcher=d!%3De&matcher=f%3D~g&matchers=h%3Di,j%3D&other=k%3Dl"
    assert list(matchers(link)) == [("a", "b=c"), ("h", "i"), ("j", "")]


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        ("[ var='a' labels={} value=1 ], [ var='b c' labels={x=y, z=w} value=-2.5e3 ]", {"a": 1.0, "b c": -2500.0}),
        ("[ metric='foo' labels={instance=bar} value=10 ]", {"foo": 10.0}),
        ("[ var='a' labels={x={y}, z=}[]} value=1 ], [ var='b' labels={x=a\nb} value=2 ]", {"a": 1.0, "b": 2.0}),
        ("[ var='a' labels={x=}} value=of no number ], [ var='b' labels={} value=2 ]", {"b": 2.0}),
        ("[ var='B0' metric='max_queue_size' labels={} value=114 ]", {"max_queue_size": 114.0}),
        ("[ var='a' labels={} value=1 ], [ var='a' labels={x=y} value=2 ]", {"a": 1.0}),
        ("[ var='a' labels={} value=NaN ], [ var='b' labels={} value=null ]", {}),
        ("[no value]", {}),
        ("", {}),
        ("[ var='" * 5000, {}),
    ],
)
def test_a_value_string_is_parsed(sentence: str, values: dict[str, float]) -> None:
    """Older versions send figures in this sentence alone; what is no number is unknown, not zero."""
    assert spoken_values(sentence) == values


def test_values_win_over_the_sentence() -> None:
    """The deprecated `valueString` is read only where `values` is not an object."""
    spoken = "[ var='B' labels={} value=2 ]"
    assert dict(parse(body(item(values={"A": 1}, valueString=spoken))).alerts[0].values) == {"A": 1.0}
    assert dict(parse(body(item(values=None, valueString=spoken))).alerts[0].values) == {"B": 2.0}
    assert dict(parse(body(item(values={}, valueString=spoken))).alerts[0].values) == {}
