"""Records that release 0.2.0 wrote can be read: every kind, every cause, every event, and the audit trail."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.records import KINDS, Codecs
from bot.core.audit_chain import readable
from bot.core.incident.timeline import Event

RECORDS = Path(__file__).parents[1] / "fixtures" / "records_0_2_0"
CODECS = Codecs.build()


def documents(kind: str) -> list[dict[str, Any]]:
    """What 0.2.0 kept of one kind."""
    found: list[dict[str, Any]] = json.loads((RECORDS / f"{kind}.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_is_read_and_stays_what_it_is(kind: str) -> None:
    """What is read and written again is read as the same."""
    found = documents(kind)
    assert found
    for document in found:
        record = CODECS.decode(KINDS[kind], document["id"], json.dumps(document).encode())
        assert CODECS.decode(KINDS[kind], document["id"], CODECS.encode(record)) == record


def test_the_audit_trail_is_read() -> None:
    """Each entry, with who, what and when."""
    entries = [readable(json.dumps(entry)) for entry in documents("audit")]
    assert {entry.what for entry in entries} >= {"ack", "silence", "scale_up", "hand_back", "approve", "resolve"}
    assert all(entry.at and entry.who and entry.what for entry in entries)


def test_the_incidents_hold_every_event_and_every_state() -> None:
    """So that a migration of the timeline meets each of them."""
    incidents = documents("inc")
    assert {entry["event"] for one in incidents for entry in one["timeline"]} == set(Event)
    assert {one["state"] for one in incidents} == {"open", "easing", "drained", "resolved"}
