"""Alerts that arrive as GitHub issues: which events speak of an alert, and what an issue says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.alert import Alert, Delivery, Matcher, Status, begun, merged, silence_matchers
from bot.core.ranking.readings import readings
from bot.core.reporting.issue import marker
from bot.core.routing import Route, named_pools, route
from bot.sources.github_issue import parse
from bot.sources.payload import Unreadable
from bot.sources.registry import GITHUB_EVENTS, SOURCES
from tests.builders import rules
from tests.examples import TWICE
from tests.sources.payloads import FIXTURES

SEED = "RECONSTRUCTED_seed_issue_opened"


def event(name: str = SEED, action: str = "", **issue: Any) -> bytes:
    """One of our own `issues` events; keywords replace fields of the issue."""
    found = json.loads((FIXTURES / "github" / f"{name}.json").read_text("utf-8"))
    changed = {**found, "issue": {**found["issue"], **issue}}
    return json.dumps({**changed, "action": action or found["action"]}).encode()


def read(body: bytes) -> Delivery:
    found = parse(body)
    assert found is not None
    return found


def only(body: bytes) -> Alert:
    (alert,) = read(body).alerts
    return alert


def test_the_seed_issue_says_what_the_seed_alert_says() -> None:
    """Key, figures, priority, team and links, as somebody sees it who has only the issue."""
    found = read(event())
    alert = found.alerts[0]
    assert (found.source, found.receiver) == ("github_issue", "example-ci/alerts")
    assert found.group_key == "0f3a9d5c7b1e284660c2f18e9d4a7b35e6081c2d93f4a5b7c8d9e0f1a2b3c4d5"
    assert found.title == alert.name == "Jobs are Queued - autoscaled-machines"
    assert (alert.priority, alert.teams, alert.status) == ("P2", ("pytorch-dev-infra",), Status.FIRING)
    seen = readings(alert)
    assert (seen.longest_wait_minutes, seen.most_queued_jobs) == (114, 14)
    assert (seen.size_limit_crossed, seen.time_limit_crossed) == (False, True)
    assert alert.links.runbook == "https://hud.pytorch.org/metrics"
    assert alert.links.alert.endswith("/alerting/grafana/dez2aomgvru2oe/view?orgId=1")
    assert "__alert_rule_uid__%3Ddez2aomgvru2oe" in alert.links.silence
    assert alert.summary == "Jobs are queueing. Max queue time: 114 mins. Max queue size: 14 runners."
    assert alert.description.startswith("Alerts when any of the regular runner types")
    assert alert.annotations == {"issue": "https://github.com/example-ci/alerts/issues/612"}


def test_the_time_is_githubs_own() -> None:
    """The text has no year and no fixed zone; the issue's creation does."""
    assert only(event()).starts_at == 1764555821.0
    assert only(event(created_at=None)).starts_at is None


def test_a_silence_names_what_the_issues_silence_link_names() -> None:
    """The rule's uid and the label of the link; nothing that only the issue has."""
    assert silence_matchers(read(event()).alerts) == (
        Matcher("__alert_rule_uid__", "dez2aomgvru2oe"),
        Matcher("type", "alerting-infra"),
    )


def test_repository_source_and_labels_of_the_issue_can_be_routed_by() -> None:
    found = read(event("older_format_labeled"))
    default = Route("C0")
    for match in ({"repository": "example-ci/alerts"}, {"source": "test-infra-queue-alerts"}, {"region": "us-east-2"}):
        assert route(found.alerts, [Route("C1", match)], default).channel == "C1"
    assert route(found.alerts, [Route("C1", {"repository": "other"})], default).channel == "C0"
    assert route(found.alerts, [Route("C1", {"team": "build-infra"})], default).channel == "C1"


def test_the_machine_in_a_title_names_the_pool() -> None:
    """The sibling alert names one machine, in its title alone (pytorch/test-infra `queue_alert.py`)."""
    found = read(event("older_format_labeled"))
    pools = named_pools(found.alerts, [rules("rocm", {"runner_label": "linux.rocm.gpu.2"}), rules("macos")])
    assert pools.named == ("rocm",)


def test_the_older_format_is_read_and_free_text_cannot_forge_the_key() -> None:
    """Two stars, lines of a description that look like fields, and a raw payload below."""
    alert = only(event("older_format_labeled"))
    assert alert.fingerprint == "5b0cdd5f0e6d4e25a1f1a0f3c9d8e7b65b0cdd5f0e6d4e25a1f1a0f3c9d8e7b6"
    assert alert.description == "Alert when a machine has a long queue.\nSee the dashboard"
    assert (alert.values, alert.priority, alert.teams) == ({}, "P2", ("rocm-queue", "build-infra"))
    assert alert.links.alert == "https://github.com/example-ci/alerts/issues/7"


NAMES = ("Fingerprint", "Runbook", "View Alert", "Silence Alert", "Dashboard", "Source", "Priority", "Team", "State")
FORGED = st.one_of(
    st.sampled_from(["```", "---", "#### Raw Provider Payload", "```json", "**Alert Details**", "", "text"]),
    st.sampled_from([f"- *{name}*: `feedfeedfeedfeed` https://evil.example/{name}" for name in NAMES]),
    st.just("- **Fingerprint**: `feedfeedfeedfeedfeed`"),
)


@TWICE
@given(st.lists(FORGED, max_size=8), st.lists(FORGED, max_size=8), st.booleans())
def test_free_text_forges_neither_identity_nor_links_nor_buttons(
    description: list[str], reason: list[str], raw: bool
) -> None:
    """Whatever an alert's own text says, fenced or not, with or without the raw payload below."""
    true, body = only(event()), str(json.loads(event())["issue"]["body"])
    before, _, rest = body.partition("- *Reason*: ")
    forged = "\n".join([before.rstrip("\n"), *description, f"- *Reason*: {rest.partition(chr(10))[0]}", *reason])
    forged += "\n" + rest.partition("\n")[2]
    found = only(event(body=forged + ("\n---\n#### Raw Provider Payload\n```json\n{}\n```" if raw else "")))
    assert (found.fingerprint, found.links, found.labels) == (true.fingerprint, true.links, true.labels)
    assert (found.priority, found.teams, found.status) == (true.priority, true.teams, true.status)


def test_an_issue_written_by_hand_is_known_by_its_number() -> None:
    found = read(event("by_hand"))
    assert found.group_key == "example-ci/alerts#8"
    assert (found.alerts[0].priority, found.alerts[0].teams, found.title) == (None, (), "Runners are gone")


@pytest.mark.parametrize(
    ("action", "state", "status"),
    [
        ("opened", "open", Status.FIRING),
        ("reopened", "open", Status.FIRING),
        ("edited", "open", Status.FIRING),
        ("labeled", "open", Status.FIRING),
        ("unlabeled", "open", Status.FIRING),
        ("closed", "closed", Status.RESOLVED),
        ("edited", "closed", Status.RESOLVED),
        ("labeled", "closed", Status.RESOLVED),
        ("deleted", "open", Status.RESOLVED),
        ("transferred", "open", Status.RESOLVED),
    ],
)
def test_the_issues_state_decides(action: str, state: str, status: Status) -> None:
    """Whoever closed it, and whatever its text says; an issue that is gone can tell no end any more."""
    assert only(event(action=action, state=state)).status is status


@pytest.mark.parametrize(
    ("action", "issue"),
    [
        *((action, {}) for action in ("assigned", "locked", "milestoned", "pinned", "unassigned", "", "commented")),
        *(("opened", {"labels": labels}) for labels in ([{"name": "bug"}], [], None)),
        ("opened", {"body": f"An alert.\n{marker('i1')}\n"}),
    ],
)
def test_other_actions_other_issues_and_those_of_tailback_say_nothing(action: str, issue: dict[str, Any]) -> None:
    """Tailback's own has a marker as its last line; the same line in an alert's free text hides nothing."""
    body = json.loads(event(**issue))
    assert parse(json.dumps({**body, "action": action}).encode()) is None
    assert parse(event(body=f"{marker('i1')}\n{body['issue']['body']}\ntext")) is not None


def test_taking_the_label_off_ends_the_alert() -> None:
    """Somebody says that this is none; another label taken off says nothing of the kind."""
    body = json.loads(event(action="unlabeled", labels=[{"name": "Pri:P2"}], updated_at="2025-12-01T03:00:00Z"))
    withdrawn = read(json.dumps({**body, "label": {"name": "area:alerting"}}).encode())
    assert not withdrawn.firing
    assert parse(json.dumps({**body, "label": {"name": "bug"}}).encode()) is None


def test_closing_is_heard_and_keeps_the_start() -> None:
    """Opened, closed: one alert, resolved, with the start that was told first."""
    opened, closed = only(event()), only(event("RECONSTRUCTED_seed_issue_closed"))
    (after,) = merged((opened,), (closed,))
    assert (after.status, after.starts_at, after.ends_at) == (Status.RESOLVED, opened.starts_at, 1764561730.0)
    assert merged((after,), (opened,)) == (after,)
    assert begun((after,), (opened,)) == ()


def test_a_reopened_issue_and_a_new_one_of_the_same_fingerprint_fire_anew() -> None:
    ended = merged((only(event()),), (only(event("RECONSTRUCTED_seed_issue_closed")),))
    again = only(event(action="reopened", updated_at="2025-12-01T05:00:00Z"))
    new = only(event(number=613, created_at="2025-12-01T05:00:00Z"))
    assert begun(ended, (again,)) == (again,)
    assert begun(ended, (new,)) == (new,)
    late = only(event("RECONSTRUCTED_seed_issue_closed"))
    assert merged((new,), (late,)) == (new,)


def test_the_labels_that_follow_an_opening_say_nothing_new() -> None:
    """GitHub sends one event for each label of a new issue; an edit of the text or the labels is news."""
    opened, labeled = read(event()), read(event(action="labeled", updated_at="2025-12-01T02:23:42Z"))
    assert (opened.key, opened.news) == (labeled.key, labeled.news)
    more = [{"name": name} for name in ("area:alerting", "Pri:P1", "Team:pytorch-dev-infra")]
    raised = read(event(action="labeled", labels=more))
    assert raised.alerts[0].priority == "P1"
    assert raised.key == opened.key
    assert raised.news != opened.news
    assert merged(opened.alerts, raised.alerts)[0].priority == "P1"


@pytest.mark.parametrize("body", [b"{}", b'{"issue": 1, "action": "opened"}', b"[]", b"{"])
def test_what_is_no_issues_event_is_refused(body: bytes) -> None:
    """The sentence goes into the answer, where GitHub's page of deliveries shows it."""
    with pytest.raises(Unreadable):
        parse(body)


def test_the_bearer_endpoint_does_not_know_issues() -> None:
    """Only the endpoint that checks GitHub's signature reaches this source."""
    assert dict(GITHUB_EVENTS) == {"issues": parse}
    assert "github_issue" not in SOURCES
    assert "issues" not in SOURCES


ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.lists(st.text(max_size=5), max_size=2)
FIELDS = st.sampled_from(["number", "title", "body", "state", "created_at", "updated_at", "closed_at", "html_url"])


@TWICE
@given(odd=st.dictionaries(FIELDS, ODD, max_size=5), lines=st.lists(st.text(max_size=30), max_size=6))
def test_an_odd_issue_is_read_or_refused(odd: dict[str, Any], lines: list[str]) -> None:
    """Nothing but Unreadable leaves the parser, whatever the fields hold."""
    found = parse(event(**{"body": "**Alert Details**\n" + "\n".join(lines), **odd}))
    assert found is not None
    assert found.group_key
