"""Alertmanager's webhook, on its own recordings."""

from urllib.parse import unquote

import pytest

from bot.core.alert import Kind
from bot.core.routing import named_pools
from bot.sources.alertmanager import parse
from bot.sources.payload import Unreadable
from tests.builders import rules
from tests.sources.payloads import alertmanager, body, item


def test_a_first_alert() -> None:
    found = parse(alertmanager(1))
    only = found.alerts[0]
    assert (found.source, found.receiver, found.title) == ("alertmanager", "bot", "CIQueueBacklog")
    assert found.group_key == '{}:{alertname="CIQueueBacklog"}'
    assert (only.fingerprint, only.starts_at, only.ends_at) == ("5663f757e2c2f955", 1795238156.178, None)
    assert (only.teams, only.priority, only.kind, only.rule_uid) == (("build-infra",), None, Kind.QUEUE, None)
    assert only.summary == "linux-x64-large: 212 jobs waiting"
    assert only.links.runbook == "https://runbooks.example/ci/queue-backlog"
    assert only.links.alert.startswith("http://prometheus.example:9090/graph?")
    assert unquote(only.links.silence).startswith(
        'http://alertmanager.example:9093/#/silences/new?filter={alertname="CIQueueBacklog", job="ci", queue='
    )


BACKLOG, FLOOD = '{}:{alertname="CIQueueBacklog"}', '{}/{team="flood"}:{alertname="CIRunnerOffline"}'
X64, MAC = "linux-x64-large", "mac"


@pytest.mark.parametrize(
    ("number", "firing", "truncated", "key", "pools"),
    [
        (1, [True], 0, BACKLOG, (X64,)),
        (2, [True, True], 0, BACKLOG, (MAC, X64)),
        (3, [False, True], 0, BACKLOG, (MAC, X64)),
        (4, [False], 0, BACKLOG, (MAC,)),
        (5, [True, True, True], 5, FLOOD, ()),
        (6, [True, True, True], 5, FLOOD, ()),
        (7, [True], 0, BACKLOG, (X64,)),
        (8, [True, False], 0, BACKLOG, (MAC, X64)),
        (9, [False], 0, '{}:{alertname="CIQueueOldestJob"}', (X64,)),
    ],
)
def test_every_recording_is_read(
    number: int, firing: list[bool], truncated: int, key: str, pools: tuple[str, ...]
) -> None:
    """Status per alert, also for a resolved member in a firing payload; a pool by its own name or by its `match`."""
    found = parse(alertmanager(number))
    assert [alert.firing for alert in found.alerts] == firing
    assert (found.firing, found.truncated, found.group_key, found.kind) == (any(firing), truncated, key, Kind.QUEUE)
    assert named_pools(found.alerts, [rules(X64), rules(MAC, {"queue": "macos-arm64"})]).named == pools
    assert all(alert.teams and alert.starts_at for alert in found.alerts)
    assert all(a.links.silence.startswith("http://alertmanager.example:9093/#/silences/new?") for a in found.alerts)


def test_the_identical_repeat_says_nothing_new_and_a_new_start_does() -> None:
    """Recordings 5 and 6 are one piece of news; 1 and 7 are two, although the fingerprint is the same."""
    assert parse(alertmanager(5)).news == parse(alertmanager(6)).news
    first, again = parse(alertmanager(1)), parse(alertmanager(7))
    assert first.key == again.key
    assert first.news != again.news
    assert first.alerts[0].fingerprint == again.alerts[0].fingerprint


def test_nanoseconds_are_cut_to_milliseconds() -> None:
    """The API gives the same instant in milliseconds; both must compare equal."""
    assert [alert.starts_at for alert in parse(alertmanager(5)).alerts] == [
        1795238188.622,
        1795238188.645,
        1795238188.661,
    ]


def test_a_missing_list_names_this_sender() -> None:
    with pytest.raises(Unreadable, match=r"alerts: missing; an Alertmanager webhook \(version 4\) has a list here"):
        parse(b"{}")


def test_newer_fields_are_no_trouble() -> None:
    """`notification_reason` and `routeLabels` of the newest payload change nothing."""
    more = {"notification_reason": "repeat interval elapsed", "routeLabels": {"a": "b"}, "version": "5"}
    assert parse(body(item(), **more)) == parse(body(item()))


def test_a_dashboard_may_stand_in_an_annotation() -> None:
    one = item(annotations={"dashboard_url": "www.x.example/d/1"})
    assert parse(body(one)).alerts[0].links.dashboard == "https://www.x.example/d/1"
    assert parse(body(item(annotations={"dashboard": "https://x"}))).alerts[0].links.dashboard == "https://x"


@pytest.mark.parametrize(
    ("external", "link"),
    [
        *((external, "") for external in ("", "no address", "javascript:alert(1)")),
        ("https://am.example/sub/", 'https://am.example/sub/#/silences/new?filter={alertname="a\\", b=\\"c\\\\"}'),
    ],
)
def test_a_silence_link_needs_an_address_and_quotes_cannot_break_it(external: str, link: str) -> None:
    odd = item(labels={"alertname": 'a", b="c\\'})
    assert unquote(parse(body(odd, externalURL=external)).alerts[0].links.silence) == link
