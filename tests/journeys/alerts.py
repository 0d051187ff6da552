"""The alerts that journeys send: the mission's example, and groups in Alertmanager's webhook format (version 4)."""

import copy
import json
import time
from pathlib import Path

from bot.playground.fleet.api.wire import written
from tests.webhooks import NEVER, Json, webhook

SEED_FILE = Path(__file__).parents[1] / "fixtures" / "grafana" / "RECONSTRUCTED_seed_alert.json"
"""The alert that this project was made for: a reconstruction in Grafana's format, not a recording."""
NAME = "RunnerQueueTooLong"


def seed(*, firing: bool = True, **changes: object) -> Json:
    """The example alert; `changes` replace fields of its only member."""
    found: Json = json.loads(SEED_FILE.read_text("utf-8"))
    member: Json = copy.deepcopy(found["alerts"][0])  # type: ignore[index]  # the fixture's shape is known
    if not firing:
        member |= {"status": "resolved", "endsAt": written(time.time())}
        found |= {"status": "resolved", "state": "ok"}
    return {**found, "alerts": [{**member, **changes}]}


def queue_alert(
    *pools: str,
    firing: bool = True,
    name: str = NAME,
    started_at: float | None = None,
    minutes: int = 40,
    group: str = "",
    team: str = "ci",
) -> Json:
    """One group of the rule `name`, with a member for each pool; `started_at` (epoch seconds) tells occurrences apart.

    `group` makes it another group; `minutes` stands in the annotations, which change while an alert fires.
    """
    began = time.time() - 60 if started_at is None else started_at
    labels = {"alertname": name, "priority": "P1", "team": team}
    members = [_member({**labels, "runner_label": pool}, firing, began, minutes) for pool in pools]
    grouped = {"alertname": name, **({"cluster": group} if group else {})}
    return webhook(f'alertname="{name}"{f", cluster={group}" if group else ""}', grouped, members)


def _member(labels: dict[str, str], firing: bool, began: float, minutes: int) -> Json:
    return {
        "status": "firing" if firing else "resolved",
        "labels": labels,
        "annotations": {
            "summary": f"{labels['runner_label']}: jobs have been waiting for {minutes} min",
            "runbook_url": "https://runbooks.example/queue",
        },
        "startsAt": written(began),
        "endsAt": NEVER if firing else written(time.time()),
        "generatorURL": "http://prometheus.example/graph?g0.expr=queue",
        "fingerprint": f"{abs(hash(tuple(labels.values()))):016x}"[:16],
    }
