"""Where the payload fixtures are, and how a test asks for one."""

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent.parent / "fixtures"
SHARED = Path(__file__).parents[3] / "shared" / "fixtures"
"""Payloads of other projects, kept beside this one and not part of it."""


def raw(path: Path) -> bytes:
    """The body as a sender sends it; recordings hold it under `body`."""
    found = json.loads(path.read_text("utf-8"))
    return json.dumps(found.get("body", found)).encode()


def grafana(name: str) -> bytes:
    return raw(FIXTURES / "grafana" / f"{name}.json")


def alertmanager(number: int) -> bytes:
    return raw(next((FIXTURES / "alertmanager").glob(f"webhook_{number:02}_*.json")))


def body(*alerts: dict[str, Any], **top: Any) -> bytes:
    """A payload with these alerts and nothing but what is given."""
    return json.dumps({"receiver": "r", "groupKey": "g", "alerts": list(alerts), **top}).encode()


def item(**parts: Any) -> dict[str, Any]:
    return {"status": "firing", "labels": {"alertname": "Queue"}, "fingerprint": "f1", **parts}
