"""Payloads of other projects, kept beside this one: every one of them is read right."""

from collections.abc import Iterable

import pytest

from bot.core.alert import Kind, Matcher, readings, silence_matchers
from bot.sources.table import SOURCES
from tests.sources.payloads import SHARED, raw

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"{SHARED} is not here: payloads of other projects are kept beside this one"
)
READ = {
    "RECONSTRUCTED_seed_alert": ("Jobs are Queued - autoscaled-machines", Kind.QUEUE, ["dez2aomgvru2oe"], "P2"),
    "contact_point_test_notification": ("TestAlert", Kind.TEST, [None], None),
    "docs_group_of_two_alerts": (
        "High memory usage and High CPU usage",
        Kind.QUEUE,
        ["1afz29v7z", "d1rdpdv7k"],
        None,
    ),
    "firing_labels_team_priority": ("Runners Scale Up Failure", Kind.BLIND, [None], "P1"),
    "firing_missing_priority": (
        "TEST Alert that keeps toggling ~every 1 min",
        Kind.QUEUE,
        ["fex6jh8jaew3kc"],
        None,
    ),
    "firing_rule_with_values": (
        "TEST Alert that keeps toggling ~every 1 min",
        Kind.QUEUE,
        ["fex6jh8jaew3kc"],
        None,
    ),
    "resolved_labels_team_priority": ("Runners Scale Up Failure", Kind.BLIND, [None], "P1"),
}
"""Grafana payload: (title, kind, rule uids, priority)."""


def bodies(folder: str, pattern: str = "*.json") -> Iterable[tuple[str, bytes]]:
    """Every payload of a folder, by its name."""
    return [(path.stem, raw(path)) for path in sorted((SHARED / folder).glob(pattern))]


@pytest.mark.parametrize(("name", "body"), bodies("grafana"))
def test_grafana(name: str, body: bytes) -> None:
    """Title, kind, rule uid and priority as causes.md and formats.md give them."""
    found = SOURCES["grafana"](body)
    uids = [alert.rule_uid for alert in found.alerts]
    assert (found.title, found.kind, uids, found.alerts[0].priority) == READ[name]
    assert found.firing is not name.startswith("resolved")
    assert all(alert.starts_at for alert in found.alerts)


@pytest.mark.parametrize(("name", "body"), bodies("alertmanager", "webhook_*.json"))
def test_alertmanager(name: str, body: bytes) -> None:
    """Every recording has its alerts, its team and a start."""
    found = SOURCES["alertmanager"](body)
    assert found.alerts
    assert all(alert.teams and alert.starts_at for alert in found.alerts)
    assert (found.truncated == 5) is ("truncated" in name or "repeat" in name)


def test_the_seed_alert() -> None:
    """The readings of causes.md section 1, from the file itself."""
    found = SOURCES["grafana"](raw(SHARED / "grafana" / "RECONSTRUCTED_seed_alert.json"))
    seen = readings(found.alerts[0])
    assert (seen.longest_wait_minutes, seen.most_queued_jobs) == (114, 14)
    assert (seen.size_limit_crossed, seen.time_limit_crossed) == (False, True)
    assert Matcher("__alert_rule_uid__", "dez2aomgvru2oe") in silence_matchers(found.alerts)
    assert found.alerts[0].teams == ("pytorch-dev-infra",)


def test_resolved_and_firing_are_one_alert() -> None:
    """The same fingerprint and start, resolved: one incident, two pieces of news."""
    firing, over = (
        SOURCES["grafana"](raw(SHARED / "grafana" / f"{name}_labels_team_priority.json"))
        for name in ("firing", "resolved")
    )
    assert firing.key == over.key
    assert firing.news != over.news
    assert firing.alerts[0].fingerprint == over.alerts[0].fingerprint


def test_a_body_without_a_group_key_has_a_stable_one() -> None:
    """One recorded body has none; its key is made of receiver and group labels."""
    found = SOURCES["grafana"](raw(SHARED / "grafana" / "firing_missing_priority.json"))
    assert found.group_key.startswith("groupLabels:")
    assert "alertname" in found.group_key
