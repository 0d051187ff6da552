"""IN-8: every payload that was recorded or is known from elsewhere arrives, and its thread shows what it says."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.faults.groups import webhook
from tests.faults.system import System
from tests.faults.verdict import OTHER
from tests.sources.payloads import SHARED

pytestmark = [pytest.mark.needs("redis-server"), pytest.mark.plan(webs=1, workers=1)]

HERE = Path(__file__).parents[1] / "fixtures"
RECORDED = sorted((HERE / "alertmanager").glob("webhook_*.json"))
WRITTEN = {
    "RECONSTRUCTED_seed_alert": "Jobs are Queued - autoscaled-machines",
    "bare_minimum": "Queue",
    "datasource_no_data": "has no data",
    "mixed_group": "Runner queue is long",
    "old_links_and_value_string": "+2 not shown",
}
"""Grafana payload → what its thread shows."""
OTHERS = {
    "docs_group_of_two_alerts": "High memory usage and High CPU usage",
    "firing_labels_team_priority": "Runners Scale Up Failure",
    "firing_missing_priority": "TEST Alert that keeps toggling ~every 1 min",
    "firing_rule_with_values": "TEST Alert that keeps toggling ~every 1 min",
}
"""The same of other projects, kept beside this one."""


def shown(system: System) -> list[str]:
    """All that each thread says: its first message and the replies, which tell the alert's words."""
    threads: dict[tuple[str, object], str] = {}
    for channel in system.stand_in.workspace.channels.values():
        for ts, message in sorted(channel.messages.items()):
            thread = (channel.id, message.get("thread_ts", ts))
            threads[thread] = f"{threads.get(thread, '')}{message['text']} {message.get('blocks')}\n"
    return list(threads.values())


async def taken(system: System, source: str, body: bytes) -> None:
    sent = await system.send(OTHER, body, source=source)
    assert sent.status == 200, (source, body[:200])


async def test_in_8_what_alertmanager_was_recorded_to_send_is_shown(system: System) -> None:
    """Nine deliveries in their order: two groups that fired have a thread each; of one, five alerts were left out."""
    assert len(RECORDED) == 9
    for path in RECORDED:
        await taken(system, "alertmanager", json.dumps(json.loads(path.read_text("utf-8"))["body"]).encode())
    await system.eventually(lambda: len(shown(system)) == 2, "two threads")
    for words in ("CIQueueBacklog", "CIRunnerOffline", "+5 not shown"):
        await system.says(partial(shown, system), words)


async def test_in_8_what_grafana_and_others_send_is_shown(system: System) -> None:
    """Version 1, a custom template, no data, both forms of links, a normalised event; the Test button opens nothing."""
    for name in (*WRITTEN, "test_button"):
        await taken(system, "grafana", (HERE / "grafana" / f"{name}.json").read_bytes())
    await taken(system, "event", (HERE / "event" / "firing.json").read_bytes())
    await taken(system, "event", (HERE / "event" / "resolved.json").read_bytes())
    await system.eventually(lambda: len(shown(system)) == len(WRITTEN) + 1, "their threads")
    for words in (*WRITTEN.values(), "Jobs wait too long on linux.2xlarge"):
        await system.says(partial(shown, system), words)
    assert not any("TestAlert" in text for text in shown(system))


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not here: payloads of other projects are kept there")
async def test_in_8_what_other_projects_recorded_is_shown(system: System) -> None:
    """Their payloads as they stand: a group without a key and one of two different alerts among them."""
    for path in sorted((SHARED / "grafana").glob("*.json")):
        await taken(system, "grafana", path.read_bytes())
    for words in OTHERS.values():
        await system.says(partial(shown, system), words)


async def test_in_8_what_is_left_out_or_new_in_a_payload_does_no_harm(system: System) -> None:
    """A truncated group, no version, unknown fields: each has its thread, and the number left out is shown."""
    cut = json.loads(webhook(1)) | {"truncatedAlerts": 37}
    bare = {"alerts": json.loads(webhook(2))["alerts"], "somethingNew": {"a": [1]}}
    for body in (cut, bare):
        await taken(system, "alertmanager", json.dumps(body).encode())
    await system.eventually(lambda: len(shown(system)) == 2, "two threads")
    await system.says(partial(shown, system), "+37 not shown")
