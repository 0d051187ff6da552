"""Records that release 0.2.0 wrote can be read: every kind, every cause, every event, and the audit trail."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.migrations import CAUSES_0_2_0
from bot.adapters.records import KINDS, Codecs
from bot.core.audit_chain import readable
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Gap, Pool
from bot.core.statement import statement
from bot.diagnosis.registry import RULES
from bot.views.words.forecasts import REASONS, reason_words

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


def incidents() -> list[Incident]:
    """Every incident of 0.2.0."""
    return [CODECS.decode(Incident, one["id"], json.dumps(one).encode()) for one in documents("inc")]


def test_causes_become_the_ids_of_their_rules() -> None:
    """Each sentence that 0.2.0 kept of a cause is met, and each became an id that has words."""
    kept = {cause for one in documents("inc") for course in one["courses"].values() for cause in course["causes"]}
    read = {cause for one in incidents() for course in one.courses.values() for cause in course.causes}
    assert kept == set(CAUSES_0_2_0)
    assert read == set(CAUSES_0_2_0.values())
    assert read <= {rule.cause for rule in RULES}


def test_what_was_not_known_of_a_pool_becomes_a_value() -> None:
    """The figure, why it is not known, and what to do."""
    pools = [CODECS.decode(Pool, one["id"], json.dumps(one).encode()) for one in documents("pool")]
    found = {gap for pool in pools for sample in pool.samples for gap in sample.missing}
    assert Gap("unservable", "GitHub Actions does not say") in found
    assert Gap("runners", "GitHub: 403 Resource not accessible by integration") in found
    why = "no runner carries linux.2xlarge now"
    assert Gap("label", why, "correct it, unless the pool is scaled to zero") in found
    assert any(sample.missing for one in incidents() for entry in one.timeline for sample in entry.figures)


def test_the_reasons_of_forecasts_become_ids_with_values() -> None:
    """Each sentence of 0.2.0 is met, and none is left as a sentence."""
    pools = [CODECS.decode(Pool, one["id"], json.dumps(one).encode()) for one in documents("pool")]
    held = [*(pool.outlook for pool in pools), *(made for pool in pools for made in pool.forecasts)]
    scores = [
        score.forecast for of_one in (*(p.scores for p in pools), *(i.scores for i in incidents())) for score in of_one
    ]
    found = [made.reason for made in (*held, *scores) if made is not None and made.reason is not None]
    assert {reason.id for reason in found} <= set(REASONS)
    assert {reason.id for reason in found} >= {"rates", "too_close", "provider_down", "no_runners", "calibrated"}
    assert statement("rates", arrivals=4.7, finished=2.0) in found
    assert all(reason_words(reason) for reason in found)
