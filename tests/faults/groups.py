"""The alert groups of fault tests, each with a name that is found again in Slack; in Alertmanager's format."""

import json
import time
from collections.abc import Mapping

from bot.playground.fleet.api.wire import written
from tests import webhooks
from tests.webhooks import Json

BEGAN = time.time() - 120


def name_of(number: int) -> str:
    """The alert name of a group: it stands in the thread's first message."""
    return f"Group{number:04d}Z"


def webhook(
    number: int, *, firing: bool = True, labels: Mapping[str, object] | None = None, began: float | None = None
) -> bytes:
    """One delivery of a group with a single alert."""
    alert = {**member(number, labels, began), "status": "firing" if firing else "resolved"}
    alert["endsAt"] = webhooks.NEVER if firing else written(time.time())
    name = name_of(number)
    return json.dumps(webhooks.webhook(f'alertname="{name}"', {"alertname": name}, [alert], alert["labels"])).encode()


def firing_group(number: int) -> Json:
    """The same group as Alertmanager's API shows it."""
    alert = {
        **member(number),
        "endsAt": written(time.time() + 300),
        "updatedAt": written(time.time()),
        "receivers": [{"name": "tailback"}],
        "status": {"state": "active", "silencedBy": [], "inhibitedBy": []},
    }
    return {"labels": {"alertname": name_of(number)}, "receiver": {"name": "tailback"}, "alerts": [alert]}


def member(number: int, labels: Mapping[str, object] | None = None, began: float | None = None) -> Json:
    return {
        "labels": {"alertname": name_of(number), "runner_label": "linux.big", "severity": "page", **(labels or {})},
        "annotations": {"summary": f"{name_of(number)}: jobs are waiting"},
        "startsAt": written(BEGAN if began is None else began),
        "generatorURL": "http://prometheus.example/graph",
        "fingerprint": f"{number:016x}",
    }
