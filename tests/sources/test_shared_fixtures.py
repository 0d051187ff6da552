"""Payloads of other projects, kept beside this one: every one of them is read right."""

from collections.abc import Iterable

import pytest

from bot.core.alert import Kind
from bot.core.routing import named_pools
from bot.sources.registry import SOURCES
from tests.builders import rules
from tests.sources.payloads import SHARED, raw

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"{SHARED} is not here: payloads of other projects are kept beside this one"
)
READ = {
    "RECONSTRUCTED_seed_alert": ("Jobs are Queued - autoscaled-machines", Kind.QUEUE, ["dez2aomgvru2oe"], "P2"),
    "contact_point_test_notification": ("TestAlert", Kind.TEST, [None], None),
    "docs_group_of_two_alerts": ("High memory usage and High CPU usage", Kind.QUEUE, ["1afz29v7z", "d1rdpdv7k"], None),
    "firing_labels_team_priority": ("Runners Scale Up Failure", Kind.BLIND, [None], "P1"),
    "firing_missing_priority": ("TEST Alert that keeps toggling ~every 1 min", Kind.QUEUE, ["fex6jh8jaew3kc"], None),
    "firing_rule_with_values": ("TEST Alert that keeps toggling ~every 1 min", Kind.QUEUE, ["fex6jh8jaew3kc"], None),
    "resolved_labels_team_priority": ("Runners Scale Up Failure", Kind.BLIND, [None], "P1"),
}
"""Grafana payload: (title, kind, rule uids, priority)."""
POOLS = [rules("linux-x64-large"), rules("mac", {"queue": "macos-arm64"})]
NAMED = {1: (1,), 2: (2, 1), 3: (2, 1), 4: (2,), 5: (), 6: (), 7: (1,), 8: (2, 1), 9: (1,)}
"""Alertmanager recording: the pools that it names, 1 by its own name and 2 by its `match`."""


def bodies(folder: str, pattern: str = "*.json") -> Iterable[tuple[str, bytes]]:
    return [(path.stem, raw(path)) for path in sorted((SHARED / folder).glob(pattern))]


BACKLOG, FLOOD = '{}:{alertname="CIQueueBacklog"}', '{}/{team="flood"}:{alertname="CIRunnerOffline"}'
GROUPS = {**dict.fromkeys((1, 2, 3, 4, 7, 8), BACKLOG), **dict.fromkeys((5, 6), FLOOD)}
GROUPS[9] = '{}:{alertname="CIQueueOldestJob"}'
"""Alertmanager recording: its group key, as Alertmanager wrote it."""


@pytest.mark.parametrize(("name", "body"), bodies("grafana"))
def test_grafana(name: str, body: bytes) -> None:
    """Title, kind, rule uid and priority as docs/design/ gives them."""
    found = SOURCES["grafana"](body)
    uids = [alert.rule_uid for alert in found.alerts]
    assert (found.title, found.kind, uids, found.alerts[0].priority) == READ[name]
    assert found.firing is not name.startswith("resolved")
    assert all(alert.starts_at for alert in found.alerts)
    pools = named_pools(found.alerts, [rules("linux.2xlarge"), rules("macos")])
    assert (pools.named, pools.candidates) == ((), ("linux.2xlarge", "macos")), "none of them names a pool"


@pytest.mark.parametrize(("name", "body"), bodies("alertmanager", "webhook_*.json"))
def test_alertmanager(name: str, body: bytes) -> None:
    found = SOURCES["alertmanager"](body)
    assert found.alerts
    assert all(alert.teams and alert.starts_at for alert in found.alerts)
    assert (found.truncated == 5) is ("truncated" in name or "repeat" in name)
    number = int(name.split("_")[1])
    expected = tuple({1: "linux-x64-large", 2: "mac"}[one] for one in NAMED[number])
    assert named_pools(found.alerts, POOLS).named == expected
    assert found.kind is Kind.QUEUE
    assert found.group_key == GROUPS[number]
    assert all(a.links.silence.startswith("http://alertmanager.example:9093/#/silences/new?") for a in found.alerts)
