"""Priority, teams and links, as labels and annotations say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.labels import link, priority, runbook, teams
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
