"""Payloads of other projects, kept beside this one: every one of them is read right."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from bot.adapters.github.pages import LINK
from bot.adapters.github.queue import job
from bot.adapters.github.runners import runner
from bot.core.alert import Kind, Status, merged
from bot.core.pool.job import JobState
from bot.core.routing import named_pools
from bot.sources.cloudwatch import alarm
from bot.sources.registry import SOURCES
from bot.sources.workflow_job import parse
from tests.adapters.metrics.test_hud import QUERY, look
from tests.builders import rules
from tests.ci_systems import hud
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


def bodies(folder: str, pattern: str = "*.json") -> Iterable[tuple[str, bytes]]:
    """Every payload of a folder, by its name."""
    return [(path.stem, raw(path)) for path in sorted((SHARED / folder).glob(pattern))]


@pytest.mark.parametrize(("name", "body"), bodies("grafana"))
def test_grafana(name: str, body: bytes) -> None:
    """Title, kind, rule uid and priority as docs/design/ gives them."""
    found = SOURCES["grafana"](body)
    uids = [alert.rule_uid for alert in found.alerts]
    assert (found.title, found.kind, uids, found.alerts[0].priority) == READ[name]
    assert found.firing is not name.startswith("resolved")
    assert all(alert.starts_at for alert in found.alerts)
    for alert in found.alerts:
        if alert.rule_uid:
            assert f"/{alert.rule_uid}/" in alert.links.alert
            assert f"matcher=__alert_rule_uid__%3D{alert.rule_uid}" in alert.links.silence
    assert bool(found.alerts[0].links.runbook) is (found.kind is not Kind.TEST)
    pools = named_pools(found.alerts, [rules("linux.2xlarge"), rules("macos")])
    assert (pools.named, pools.candidates) == ((), ("linux.2xlarge", "macos")), "no alert names a pool"


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


def read(path: str) -> Any:
    return json.loads((SHARED / path).read_text("utf-8"))


def test_cloudwatch() -> None:
    """An autoscaling group's alarm with pipes in its description."""
    found = [alarm(json.loads(read(f"cloudwatch/sns_{name}.json")["Message"])) for name in ("alarm", "ok")]
    firing, over = (delivery.alerts[0] for delivery in found)
    assert (firing.priority, firing.teams, firing.status) == ("P1", ("dev-infra",), Status.FIRING)
    assert firing.links.runbook == "https://runbooks.example.org/asg-scaling"
    assert firing.labels["AutoScalingGroupName"] == "gh-ci-canary"
    assert merged((firing,), (over,))[0].status is Status.RESOLVED
    assert found[0].key == found[1].key


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("queued", JobState.QUEUED),
        ("in_progress", JobState.IN_PROGRESS),
        ("completed.success.with-organization", JobState.COMPLETED),
    ],
)
def test_workflow_jobs(name: str, state: JobState) -> None:
    found = parse(raw(SHARED / "github" / f"workflow_job.{name}.json"), 1_790_000_000.0)
    assert found is not None
    assert (found.id, found.labels, found.state, found.workflow) == ("289782451", ("ubuntu-latest",), state, "CodeQL")
    assert found.created_at
    assert found.runner == ("" if state is JobState.QUEUED else "GitHub Actions 5")


def test_a_page_of_runners_of_github() -> None:
    """A real answer: one of 602 runners, and the number of the last page."""
    found = read("github/org_self_hosted_runners.recorded.json")[0]
    assert {name: page for page, name in LINK.findall(found["headers"]["Link"])} == {"next": "2", "last": "602"}
    one = runner(found["body"]["runners"][0])
    assert one is not None
    assert (one.online, one.busy) == (True, True)
    assert {"self-hosted", "linux", "func-tester"} <= one.labels


def test_jobs_of_a_run_of_github() -> None:
    rows = read("github/workflow_run_jobs.recorded.json")[0]["body"]["jobs"]
    found = [one for row in rows if (one := job(row))]
    assert len(found) == 5
    assert {one.state for one in found} == {JobState.COMPLETED}
    assert all(one.started_at and one.completed_at and one.completed_at >= one.started_at for one in found)


async def test_rows_of_hud() -> None:
    system = hud()
    for name in ("queued_jobs_by_label", "queued_jobs_aggregate"):
        system.says(f"{QUERY}{name}", read(f"pytorch/hud_{name}.rows.json"))
    few, other = await look(system, "linux.2xlarge few"), await look(system, "test_runner_type2")
    assert (few.queued, few.oldest_wait_seconds) == (10, 1801.0)
    assert (other.queued, other.oldest_wait_seconds) == (2, 1920.0)
