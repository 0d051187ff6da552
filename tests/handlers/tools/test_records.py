"""`tailback export` and `tailback audit` on a store: what is found, what is shown, and when the chain breaks."""

import json
from dataclasses import replace

import pytest

from bot.config import File
from bot.core.audit_chain import AuditEntry
from bot.core.incident.details.people import HandedOver
from bot.core.incident.incident import Incident
from bot.core.people.ownership import acked, handed_over
from bot.core.record import Change, Put, Stored
from bot.ports import Failure, Person, Refused
from handlers.tools.records import PAGE, exported, json_lines, moment_of, table, verified
from tests import builders
from tests.fakes import FakeChat, FakeClock
from tests.fakes_store import FakeStore

NOW = 1_800_000_000.0
DAY = 86400.0


def entry(number: int = 0, **parts: object) -> AuditEntry:
    """Somebody scaled."""
    given = {"at": NOW - DAY + number, "who": "U0ALEX", "what": "scale_up", "parameters": {"pool": "linux.2xlarge"},
             "before": "10", "after": "24", "outcome": "asked", "incident": "i1"}  # fmt: skip
    return AuditEntry(**{**given, **parts})  # type: ignore[arg-type]  # field names are checked by the dataclass itself


async def holding(*entries: AuditEntry, incident: Incident | None = None) -> FakeStore:
    """A store with these records."""
    clock = FakeClock(NOW)
    store = FakeStore(clock.now, clock.monotonic)
    await store.commit(Change(audit=entries))
    if incident is not None:
        put = Put(Stored(incident, 0), incident, None)
        point = {f"thread:{incident.thread.channel}:{incident.thread.root}": (incident.id, None)}
        await store.commit(Change(puts=(put,), point=point, join=(("open", incident.id),)))
    return store


@pytest.mark.parametrize(
    ("named", "form", "begins"),
    [
        ("i1", "markdown", "# Runner queue is long"),
        ("https://acme.slack.com/archives/C0CIONCALL/p1800000000000100", "sev", "## Current Status"),
        (
            "https://acme.slack.com/archives/C0CIONCALL/p1800000099000200?thread_ts=1800000000.000100&cid=C0CIONCALL",
            "json",
            '"id": "i1"',
        ),
    ],
)
async def test_an_incident_is_found_and_written_in_every_form(named: str, form: str, begins: str) -> None:
    """People have the link of the first message, or of a reply; scripts have the id."""
    store = await holding(incident=builders.incident())
    assert begins in await exported(store, File(), named, form, NOW)


@pytest.mark.parametrize("form", ["markdown", "sev", "json"])
async def test_people_have_their_names_in_texts_for_people(form: str) -> None:
    """The id stays where Slack does not tell the name, and everywhere in JSON."""
    given = handed_over(acked(builders.incident(), "U0ANA", NOW), HandedOver("U0BEN"), who="U0ANA", now=NOW, request="")
    chat = FakeChat(FakeClock(NOW))
    chat.people["U0ANA"] = Person("U0ANA", "T0", name="Ana *Alpha*")
    text = await exported(await holding(incident=given), File(), "i1", form, NOW, chat=chat)
    assert ("U0ANA" in text, "Ana" in text) == ((True, False) if form == "json" else (False, True))
    assert "U0BEN" in text
    assert form == "json" or r"Ana \*Alpha\* handed it over to U0BEN" in text
    chat.script.fail("person", Failure.UNCONNECTED)
    assert "U0ANA" in await exported(await holding(incident=given), File(), "i1", form, NOW, chat=chat)


async def test_an_unknown_incident_is_refused_with_those_that_are_open() -> None:
    """One line, with what to name instead."""
    store = await holding(incident=builders.incident())
    for named in ("nope", "https://acme.slack.com/archives/C0CIONCALL/p1111111111000100", "inc\n:i1"):
        with pytest.raises(Refused, match=r"There is no incident .* \(open now: i1\); name its id") as refused:
            await exported(store, File(), named, "json", NOW)
        assert "\n" not in str(refused.value)


async def test_the_trail_is_read_whole_page_by_page() -> None:
    """More entries than one page has; the chain holds over the pages."""
    store = await holding(*(entry(n) for n in range(PAGE + 5)))
    rows = store.data.trail
    assert len([line async for line in json_lines(store)]) == PAGE + 5
    report = await verified(store)
    assert report.startswith("The chain of 1,005 entries holds, from 2027-01-14 08:00:00 to 2027-01-14 08:16:44 UTC.")
    assert rows[-1][2] in report


async def test_an_empty_trail_is_no_failure() -> None:
    store = await holding()
    assert await verified(store) == "The audit trail is empty, so there is nothing to verify."
    assert [line async for line in table(store)] == ["No entry of the audit trail matches."]


async def test_a_known_hash_is_looked_for() -> None:
    """Whoever kept a hash elsewhere finds a trail that was cut or written anew."""
    store = await holding(*(entry(n) for n in range(6)))
    known = store.data.trail[4][2]
    assert "It has the entry that you know." in await verified(store, known)
    del store.data.trail[4:]
    with pytest.raises(Refused, match=f"4 entries are there and fit, but the one that you know, with the hash {known}"):
        await verified(store, known)


@pytest.mark.parametrize("change", ["alter", "remove", "insert", "swap", "hash"])
async def test_a_changed_trail_names_the_first_entry_that_does_not_fit(change: str) -> None:
    """N21: whatever is done to the third entry, verification points there."""
    store = await holding(*(entry(n) for n in range(6)))
    rows = list(store.data.trail)
    stream_id, third, hashed = rows[2]
    spoilt = {
        "alter": [*rows[:2], (stream_id, replace(third, who="U0EVE"), hashed), *rows[3:]],
        "remove": [*rows[:2], *rows[3:]],
        "insert": [*rows[:2], ("2-5", entry(99), "0" * 64), *rows[2:]],
        "swap": [*rows[:2], rows[3], rows[2], *rows[4:]],
        "hash": [*rows[:2], (stream_id, third, "0" * 64), *rows[3:]],
    }[change]
    store.data.trail[:] = spoilt
    with pytest.raises(Refused) as refused:
        await verified(store)
    assert f"The chain breaks at entry 3 of {len(spoilt)} (id {spoilt[2][0]}, " in str(refused.value)


async def test_the_table_shows_who_did_what_and_what_came_of_it() -> None:
    """One line for each entry, under a heading, nothing forged."""
    store = await holding(entry(), entry(1, who="U0EVE\n2027 forged", outcome="refused\x1b[2J", before="", after=""))
    head, first, second = [line async for line in table(store)]
    assert head.split() == ["time", "(UTC)", "who", "what", "incident", "parameters", "before", "→", "after", "outcome"]
    assert " ".join(first.split()) == "2027-01-14 08:00:00 U0ALEX scale_up i1 pool=linux.2xlarge 10 → 24 asked"
    assert "U0EVE\\n2027 forged" in second
    assert second.isprintable()


async def test_filters_choose_by_person_and_time() -> None:
    store = await holding(entry(0), entry(10, who="U0SAM"), entry(20), entry(30, who="U0SAM"))
    shown = [json.loads(line) async for line in json_lines(store, NOW - DAY + 15, "U0SAM")]
    assert [row["at"] for row in shown] == ["2027-01-14T08:00:30.000Z"]
    assert shown[0]["hash"] == store.data.trail[3][2]
    assert shown[0]["parameters"] == {"pool": "linux.2xlarge"}


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2h", NOW - 7200),
        ("1d 12h", NOW - 1.5 * DAY),
        ("2027-01-14", 1_799_884_800.0),
        ("2027-01-14T08:00:00Z", NOW - DAY),
        ("2027-01-14T09:00:00+01:00", NOW - DAY),
        ("2027-01-14 08:00", NOW - DAY),
    ],
)
def test_since_takes_a_span_or_a_time(text: str, at: float) -> None:
    """A time without a zone is UTC, as everything the trail shows."""
    assert moment_of(text, NOW) == at


@pytest.mark.parametrize("text", ["yesterday", "", "2", "2027-13-01"])
def test_a_time_that_is_none_is_refused_with_examples(text: str) -> None:
    with pytest.raises(Refused, match=r"--since: .* is not a time; write for example 2h"):
        moment_of(text, NOW)
