"""Priority, teams, links and figures, as labels, annotations and texts say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.labels import figures, link, machine, priority, runbook, silenceable, teams
from tests.examples import TWICE


@pytest.mark.parametrize(
    ("annotations", "labels", "found"),
    [
        ({"Priority": "P2"}, {}, "P2"),
        ({"priority": " 2 "}, {}, "P2"),
        ({"PRIORITY": "p0"}, {}, "P0"),
        ({}, {"priority": "P1"}, "P1"),
        ({"Priority": "P3"}, {"priority": "P1"}, "P3"),
        ({"Priority": "urgent"}, {"priority": "1"}, "P1"),
        ({"Priority": "P4"}, {}, None),
        ({"CustomAnnotationPriority": "P1"}, {}, None),
        ({"Priority": ""}, {}, None),
        ({}, {}, None),
    ],
)
def test_priority(annotations: dict[str, str], labels: dict[str, str], found: str | None) -> None:
    """The annotation wins over the label, and what is no priority is none."""
    assert priority(annotations, labels) == found


@pytest.mark.parametrize(
    ("annotations", "labels", "found"),
    [
        ({"Teams": "pytorch-dev-infra"}, {}, ("pytorch-dev-infra",)),
        ({"TEAM": "Dev  Infra"}, {}, ("dev-infra",)),
        ({"Team": "a"}, {"Teams": "b"}, ("b",)),
        ({"team": "a"}, {"team": "b"}, ("a",)),
        ({"Teams": "b, A ,b,, c d "}, {}, ("b", "a", "c-d")),
        ({"Teams": " , "}, {"team": "x"}, ("x",)),
        ({"Teams": ",".join("abcdefghijklmn")}, {}, tuple("abcdefghij")),
        ({"Team": "x" * 80}, {}, ("x" * 50,)),
        ({}, {}, ()),
    ],
)
def test_teams(annotations: dict[str, str], labels: dict[str, str], found: tuple[str, ...]) -> None:
    """`Teams` before `Team`, annotation before label, a comma list, lower case, hyphens."""
    assert teams(annotations, labels) == found


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://hud.pytorch.org/metrics", "https://hud.pytorch.org/metrics"),
        (" http://x.example:9090/graph?g0.expr=a+%3E+1 ", "http://x.example:9090/graph?g0.expr=a+%3E+1"),
        ("www.time.com", "https://www.time.com"),
        ("https://x.example/?q=a|b<c>", "https://x.example/?q=a%7Cb%3Cc%3E"),
        ("HTTPS://x.example/", "HTTPS://x.example/"),
        ("x.example/runbook", ""),
        ("javascript:alert(1)", ""),
        ("ftp://x.example", ""),
        ("slack://open", ""),
        ("?orgId=1", ""),
        ("https://", ""),
        ("https://good.example@evil.example/", ""),
        ("https://x.example/a b", ""),
        ("https://x.example/\n", "https://x.example/"),
        ("https://x.example/\nhttps://y.example", ""),
        ("https://x.example/\u202egpj", ""),
        ("https://[::1", ""),
        ("https://x.example/" + "a" * 2048, ""),
        ("", ""),
    ],
)
def test_only_safe_web_addresses_are_links(address: str, found: str) -> None:
    """Nothing from an alert can forge a link or break out of one (P12)."""
    assert link(address) == found


def test_a_runbook_is_found_under_either_name() -> None:
    assert runbook({"runbook_url": "www.time.com"}) == "https://www.time.com"
    assert runbook({"runbook_url": "see wiki", "Runbook": "https://wiki.example"}) == "https://wiki.example"
    assert runbook({}) == ""


@TWICE
@given(st.text(max_size=60) | st.text(max_size=40).map(lambda rest: f"https://{rest}"))
def test_no_link_can_end_itself(address: str) -> None:
    """Whatever the text, the result has no character that Slack reads as the end of a link."""
    found = link(address)
    assert not set(found) & set("<>| \n\"'")
    assert found == "" or found.lower().startswith(("http://", "https://"))


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("max_queue_size=14, max_queue_time_mins=114", {"max_queue_size": 14.0, "max_queue_time_mins": 114.0}),
        ("A = 1.5e3; B=-2, A=7", {"A": 1500.0, "B": -2.0}),
        ("queue_time_threshold=1", {"queue_time_threshold": 1.0}),
        ("a=1.2.3, b=NaN, c=, d=x9, e=5min", {}),
        ("[ var='B0' metric='size' labels={} value=114 ], [ var='B1' metric='mins' labels={} value=9 ]",
         {"size": 114.0, "mins": 9.0}),
        ("[no value]", {}),
        ("", {}),
        ("https://x.example/?a=1b", {}),
        ("a=" * 3000, {}),
    ],
)  # fmt: skip
def test_figures_of_a_reason(reason: str, found: dict[str, float]) -> None:
    """Names with whole numbers; what is no number is unknown, not zero."""
    assert figures(reason) == found


def test_what_a_silence_may_name() -> None:
    address = (
        "https://g.example/alerting/silence/new?alertmanager=grafana&matcher=__alert_rule_uid__%3Du1&matcher=a%3Db"
    )
    assert silenceable(address, "Queue") == ("u1", {"alertname": "Queue", "a": "b"})
    assert silenceable("", "Queue") == (None, {"alertname": "Queue"})


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("[Pytorch] Machine linux.2xlarge has a long queue", {"runner_label": "linux.2xlarge"}),
        ("machine m1 has a long queue", {"runner_label": "m1"}),
        ("Machine learning jobs queue", {}),
        ("Jobs are Queued - autoscaled-machines", {}),
    ],
)
def test_the_machine_of_a_title(title: str, found: dict[str, str]) -> None:
    assert machine(title) == found
