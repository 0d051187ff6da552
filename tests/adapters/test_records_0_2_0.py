"""Records that release 0.2.0 wrote can be read: every kind, every cause, every event, and the audit trail."""

import json
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.adapters.migrations import CAUSES_0_2_0, DECISIONS_0_2_0, NEW_THREAD_0_2_0
from bot.adapters.records import KINDS, decode, encode
from bot.core.alert import digest
from bot.core.audit_chain import canonical, chained, linked, readable
from bot.core.incident.details.events import Note, Noted
from bot.core.incident.details.requests import EndReason, ReturnBlock, ReturnReason
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Decision, Event
from bot.core.pool.pool import Gap, Pool
from bot.core.record import Record, WarningRecord
from bot.core.requests.request import EndSilence, HandBack, Request, parameters
from bot.core.scaling.lease import PoolLeases
from bot.core.statement import statement
from bot.diagnosis.registry import RULES
from bot.views.export.export_json import as_json
from bot.views.words.diagnosis import likely_cause
from bot.views.words.forecasts import REASONS, reason_words
from bot.views.words.timeline import DECISIONS, NOTES
from tests.audit import broken_at

RECORDS = Path(__file__).parents[1] / "fixtures" / "records_0_2_0"
SINCE_0_2_0 = {Event.UNACKED}
R = TypeVar("R", bound=Record)


def documents(kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((RECORDS / f"{kind}.json").read_text("utf-8"))
    return found


def as_read(kind: type[R], document: dict[str, Any]) -> R:
    return decode(kind, document["id"], json.dumps(document).encode())


@pytest.mark.parametrize(
    "kind", sorted(KINDS.keys() - {"shown", "ended", "rejected", "round", "page", "calibration"})
)  # kinds that 0.2.0 had not
def test_every_record_is_read_and_stays_what_it_is(kind: str) -> None:
    found = documents(kind)
    assert found
    for document in found:
        record = as_read(KINDS[kind], document)
        assert decode(KINDS[kind], document["id"], encode(record)) == record


def earlier_incidents() -> list[dict[str, Any]]:
    keys = json.loads((RECORDS.parent / "records" / "0.1.0.json").read_text("utf-8"))["keys"]
    return [json.loads(key["value"]["doc"]) for name, key in keys.items() if name.startswith("{tailback}:rec:inc:")]


REWORDED = {old: DECISIONS[Decision(new)] for old, new in DECISIONS_0_2_0.items()} | {
    NEW_THREAD_0_2_0: NOTES[Note.NEW_THREAD]
}
"""Sentences that are kept by id follow today's words."""


@pytest.mark.parametrize("release", ["0.1.0", "0.2.0"])
def test_the_timeline_says_what_it_said(release: str) -> None:
    found = documents("inc") if release == "0.2.0" else earlier_incidents()
    assert found
    for document in found:
        incident = as_read(Incident, document)
        exported = json.loads(as_json(incident, 0.0))["timeline"]
        for told, entry in zip(exported, document["timeline"], strict=True):
            see = [f"The warning: {entry['see']}"] if entry.get("see") else []
            said = REWORDED.get(entry["text"], entry["text"])
            assert (told["text"], told["event"], told["who"]) == (said, entry["event"], entry["who"])
            assert told["lines"] == [*(REWORDED.get(line, line) for line in entry["lines"]), *see]


def test_a_deleted_thread_is_known_as_one() -> None:
    """It is replaced once in an hour: what counts is that it happened, not how it was told."""
    (told,) = [
        entry
        for document in documents("inc")
        for entry in as_read(Incident, document).log.timeline
        if entry.details == Noted(Note.NEW_THREAD)
    ][:1]
    assert told.event is Event.NOTED


@pytest.mark.parametrize(
    ("why", "values"),
    [
        ("the queue has drained", (EndReason.DRAINED, None, None)),
        ("the incident is over, and nobody measures the queue any more", (EndReason.NOT_MEASURED, None, None)),
        ("1,300 jobs wait, more than 1,200", (EndReason.TOO_MANY_JOBS, 1300, 1200)),
    ],
)
def test_a_silence_that_was_ending_says_why(why: str, values: tuple[object, ...]) -> None:
    """The request was written by 0.2.0, and is done by this release."""
    (ending,) = [one for one in documents("act") if one["name"] == "unsilence" and one["progress"] == "awaiting"][:1]
    body = as_read(Request, {**ending, "params": {**ending["params"], "why": why}}).of(EndSilence)
    assert (body.why, body.waiting, body.above) == values


def test_a_warning_keeps_its_cause_and_the_evidence_that_was_written() -> None:
    """A message that 0.2.0 posted is edited by this release, and says the same."""
    written = [document for document in documents("early") if document["why"]]
    assert written
    for document in written:
        record = as_read(WarningRecord, document)
        assert record.finding is not None
        assert record.finding.cause == "limit"
        assert f"Likely cause: {likely_cause(record.finding)}" == document["why"][0]


@pytest.mark.parametrize(
    ("outcome", "target", "result", "last"),
    [
        ("handed back extra runners: p is set to 10 again (was 24).", "10", "returned", "0"),
        ("left p at 30: somebody else set that since Tailback had set 1,024.", "", "moved", "1024"),
        ("handed nothing back: p is set to 8 runners.", "", "nothing_left", "0"),
    ],
)
def test_a_lease_that_was_ending_says_how(outcome: str, target: str, result: str, last: str) -> None:
    (ending,) = [one for one in documents("act") if one["name"] == "hand_back" and one["progress"] == "requested"][:1]
    params = {**ending["params"], **({"target": target} if target else {})}
    body = as_read(Request, {**ending, "outcome": outcome, "before": "24", "params": params}).of(HandBack)
    assert (body.why, body.result, body.last) == (ReturnReason.ENDED, result, int(last))
    assert body.target == (int(target) if target else None)


def test_a_request_asks_for_the_same_as_before() -> None:
    """In every state: its parameters, its pool and what a second person agreed to are those of 0.2.0."""
    told = {"why"}
    for document in documents("act"):
        known = {name: value for name, value in document["params"].items() if document["name"] != "sizes"}
        request = as_read(Request, document)
        found = parameters(request.body)
        assert {name: found.get(name) for name in known.keys() - told} == {n: known[n] for n in known.keys() - told}
        assert found.keys() == known.keys()
        assert (request.pool, request.progress) == (document["pool"] or "", document["progress"])


def test_an_agreement_of_0_2_0_still_binds() -> None:
    (asked,) = [one for one in documents("act") if one["name"] == "scale_up" and one["progress"] == "requested"][:1]
    words = sorted(f"{name}={value}" for name, value in asked["params"].items())
    assert as_read(Request, asked).fingerprint == digest("scale_up", asked["pool"], *words)


def test_why_a_lease_could_not_end_is_known() -> None:
    lease = {"act": "a", "who": "U1", "channel": "C1", "target": 24, "before": 10, "asked_at": 1.0}
    stuck = {**lease, "stuck": "actions are switched off (`actions.enabled = false` in tailback.toml)"}
    document = json.dumps({"id": "p", "shares": [stuck, {**lease, "stuck": ""}]}).encode()
    assert [one.stuck for one in decode(PoolLeases, "p", document).leases] == [ReturnBlock.ACTIONS_OFF, None]


def test_the_audit_trail_is_read() -> None:
    entries = [readable(json.dumps(entry)) for entry in documents("audit")]
    assert {entry.what for entry in entries} >= {"ack", "silence", "scale_up", "hand_back", "approve", "resolve"}
    assert all(entry.at and entry.who and entry.what for entry in entries)


def test_a_trail_of_0_2_0_is_verified_and_goes_on() -> None:
    """Its entries follow each other by place. Entries of this release name what they follow, and then all must."""
    rows, head = [], ""
    for number, document in enumerate(documents("audit")):
        line = json.dumps(document, sort_keys=True, separators=(",", ":"))
        head = chained(head, line)
        rows.append((f"{number}-0", readable(line), head))
    assert broken_at(rows) is None
    for line, hashed in linked([rows[0][1], rows[1][1]], (head,)):
        rows.append((f"{len(rows)}-0", readable(line), hashed))
    assert broken_at(rows) is None
    foreign = (f"{len(rows)}-0", rows[0][1], chained(rows[-1][2], canonical(rows[0][1])))
    assert broken_at([*rows, foreign]) == foreign[0]


def test_the_incidents_hold_every_event_and_every_state() -> None:
    """So that a migration of the timeline meets each of them; later events are in no record of 0.2.0."""
    incidents = documents("inc")
    assert {entry["event"] for one in incidents for entry in one["timeline"]} == set(Event) - SINCE_0_2_0
    assert {one["state"] for one in incidents} == {"open", "easing", "drained", "resolved"}


def incidents() -> list[Incident]:
    return [as_read(Incident, one) for one in documents("inc")]


def pools() -> list[Pool]:
    return [as_read(Pool, one) for one in documents("pool")]


def test_causes_become_the_ids_of_their_rules() -> None:
    """Each sentence that 0.2.0 kept of a cause is met, and each became an id that has words."""
    kept = {cause for one in documents("inc") for course in one["courses"].values() for cause in course["causes"]}
    read = {cause for one in incidents() for course in one.pools.courses.values() for cause in course.causes}
    assert kept == set(CAUSES_0_2_0)
    assert read == set(CAUSES_0_2_0.values())
    assert read <= {rule.cause for rule in RULES}


def test_what_was_not_known_of_a_pool_becomes_a_value() -> None:
    found = {gap for pool in pools() for sample in pool.samples for gap in sample.missing}
    assert Gap("unservable", "GitHub Actions does not say") in found
    assert Gap("runners", "GitHub: 403 Resource not accessible by integration") in found
    why = "no runner carries linux.2xlarge now"
    assert Gap("label", why, "correct it, unless the pool is scaled to zero") in found
    assert any(sample.missing for one in incidents() for entry in one.log.timeline for sample in entry.figures)


def test_the_reasons_of_forecasts_become_ids_with_values() -> None:
    """Each sentence of 0.2.0 is met, and none is left as a sentence."""
    held = [*(pool.outlook for pool in pools()), *(made for pool in pools() for made in pool.forecasts)]
    scores = [
        score.forecast
        for of_one in (*(p.scores for p in pools()), *(i.pools.scores for i in incidents()))
        for score in of_one
    ]
    found = [made.reason for made in (*held, *scores) if made is not None and made.reason is not None]
    assert {reason.id for reason in found} <= set(REASONS)
    assert {reason.id for reason in found} >= {"rates", "too_close", "provider_down", "no_runners", "calibrated"}
    assert statement("rates", arrivals=4.7, finished=2.0) in found
    assert all(reason_words(reason) for reason in found)
