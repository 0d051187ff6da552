"""A group of thousands of alerts, as an Alertmanager without `max_alerts` sends it."""

import json

import pytest

from tests.handlers.endpoint import Endpoint
from tests.world import LABELS

ALERT = {
    "status": "firing",
    "annotations": {"summary": "Jobs are queueing", "description": "Jobs have waited for a runner. " * 5},
    "startsAt": "2027-01-15T07:59:00Z",
    "endsAt": "0001-01-01T00:00:00Z",
    "generatorURL": "http://prometheus.example:9090/graph?g0.expr=ci_jobs_queued+%3E+10&g0.tab=1",
}


def group(size: int) -> bytes:
    """One group, each alert with labels of its own."""
    labels = {**LABELS, "alertname": "JobsQueued", "severity": "page"}
    alerts = [
        {**ALERT, "fingerprint": f"{number:016x}", "labels": {**labels, "instance": f"host-{number}"}}
        for number in range(size)
    ]
    return json.dumps({"version": "4", "groupKey": "{}:{}", "receiver": "tailback", "alerts": alerts}).encode()


async def test_a_group_of_five_thousand_alerts_opens_and_says_what_is_left_out(endpoint: Endpoint) -> None:
    """2.5 MB. The record holds fifty; the thread counts the others."""
    whole = group(5000)
    assert 2_000_000 < len(whole) < 4 * 1024 * 1024
    endpoint.world.queues(14)
    answer = await endpoint.alert(whole, "alertmanager")
    await endpoint.world.work()
    found = endpoint.world.incident
    assert (answer.status_code, answer.json()) == (200, {"outcome": "opened"})
    assert len(found.group.alerts) + found.group.truncated == 5000
    assert f"{found.group.truncated:,} more not shown" in repr(endpoint.world.chat.parents())


@pytest.mark.parametrize("quoted", ["{" * 26_000, "," * 55_000])
async def test_one_alert_with_much_quoted_in_its_text_opens(quoted: str, endpoint: Endpoint) -> None:
    """A description may hold a stack trace or JSON."""
    alert = {**ALERT, "labels": LABELS, "annotations": {"description": quoted}}
    whole = json.dumps({"version": "4", "groupKey": "g", "receiver": "r", "alerts": [alert]}).encode()
    assert (await endpoint.alert(whole, "alertmanager")).json() == {"outcome": "opened"}
