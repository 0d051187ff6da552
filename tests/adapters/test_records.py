"""Records as JSON: exact both ways, readable across releases, and never code."""

import json
import pickle
import re
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from bot.adapters.records import COMPACT, FORMAT, HEAD, KINDS, TOO_OLD, decode, encode, kind_name, written
from bot.core.alert import Alert, Kind, Links, Status
from bot.core.finding import Diagnosis, Finding, Scaling
from bot.core.incident.details.details import Details
from bot.core.incident.details.events import Diagnosed, PlainText, QueueingPool
from bot.core.incident.incident import Incident, Silence, Thread, noted
from bot.core.incident.membership import AlertGroup
from bot.core.incident.pools import Peak, Reported
from bot.core.incident.timeline import Event
from bot.core.pool.hour_stats import HourStats
from bot.core.pool.pool import Job, Pool, Snapshot, Tally, measured
from bot.core.pool.retention import KEPT_SAMPLES
from bot.core.record import Chore, Stored
from bot.core.statement import statement
from bot.ports import Failure, Unreachable
from tests.builders import FULL, NOW, POOL, sample, with_fields
from tests.views.words.test_timeline import ROWS


def full_incident() -> Incident:
    alert = Alert("f1", Status.FIRING, "Queue ü <!channel>", {"a": "b"}, values={"B": 1.0}, links=Links("https://r"))
    group = AlertGroup("k", "grafana", "r", "{}", "T", Kind.QUEUE, (alert,))
    made = Incident("i1", group, 1.5, Thread("C1", "1.2"))
    made = with_fields(made, peaks={"p": Peak(3, 4.5)}, reported=Reported(1.0, None, None, "p"), uses={"ack": 2})
    made = with_fields(made, silences=(Silence("s", "am", 9.0, "U1", "a1"),), seen={"p": float("inf")})
    return noted(made, 2.0, Event.STATUS, PlainText("text", ("one", "two")), figures=(Snapshot("p", 1.0, queued=0),))


def test_every_part_of_an_incident_comes_back() -> None:
    """Tuples, enums, nested values, unknown figures and infinity survive."""
    assert decode(Incident, "i1", encode(full_incident())) == full_incident()


FOUND = Finding(
    "limit", 0.8, (statement("limit", limit=20, share=0.5, pools=("a", "b")),), Scaling.HELPS, "raise_limit"
)
DIAGNOSIS = Diagnosed(("p",), ((Diagnosis("p", (FOUND,), ("idle",), waits=True),),), 2, (QueueingPool("p", 60.0),))


@pytest.mark.parametrize("details", [*ROWS, DIAGNOSIS])
def test_every_kind_of_details_comes_back(details: Details) -> None:
    made = noted(full_incident(), 3.0, Event.NOTED, details, who="U1", request="r1")
    assert decode(Incident, "i1", encode(made)) == made


def test_what_a_compact_record_leaves_out_says_nothing() -> None:
    """A default that said something could change its meaning, or be needed to tell two types apart."""
    defaults = [
        f"{kind.__name__}.{one.name}"
        for kind in stored_types(COMPACT)
        for one in fields(kind)
        for default in [one.default_factory() if one.default_factory is not MISSING else one.default]
        if default is not MISSING and default and not is_dataclass(default)
    ]
    assert defaults == []
    pool = Pool("p", (Snapshot("p", 1.0, queued=0, waiting=(Job("build", 2.0),)),), hour=HourStats(3, samples=2))
    assert decode(Pool, "p", encode(pool)) == pool
    assert b"create_failures" not in encode(pool)


def stored_types(kinds: Iterable[object]) -> set[type[Any]]:
    found: set[type[Any]] = set()
    left = list(kinds)
    while left:
        kind = left.pop()
        left += get_args(kind)
        if isinstance(kind, type) and is_dataclass(kind) and kind not in found:
            found.add(kind)
            left += get_type_hints(kind).values()
    return found


def test_a_document_is_one_json_object() -> None:
    document = json.loads(encode(Chore("p", note="why")))
    assert document == {"format": FORMAT, "id": "p", "note": "why", "since": None, "notified": False}


def test_a_field_of_a_newer_release_is_ignored_and_a_missing_one_has_its_default() -> None:
    """During a rolling update both releases read the same records."""
    assert decode(Pool, "p", HEAD + b'"id":"p","newer":{"x":1}}') == Pool("p")


UNREADABLE = {
    "empty": b"",
    "cut": b"{",
    "list": b"[]",
    "no id": HEAD + b'"samples":[]}',
    "wrong type": HEAD + b'"id":"p","samples":[{"pool":5}]}',
    "half a score": HEAD + b'"id":"p","scores":[{}]}',
    "pickle": pickle.dumps(Pool("p")),
    "deep": b"[" * 100_000,
    "deep value": HEAD + b'"id":"p","samples":' + b"[" * 100_000,
}


@pytest.mark.parametrize("document", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_names_the_record_and_the_remedy(document: bytes) -> None:
    """Nothing is guessed and no pickle is loaded (C21); the value itself is not repeated, it may be private."""
    with pytest.raises(Unreachable, match=r"pool:p cannot be read .*update Tailback") as refused:
        decode(Pool, "p", document)
    assert refused.value.failure is Failure.SHAPE


def test_a_document_that_a_tool_wrote_again_is_read_as_it_was() -> None:
    spaced = json.dumps(json.loads(encode(full_incident())), indent=1).encode()
    assert decode(Incident, "i1", spaced) == full_incident()


def test_what_a_newer_release_wrote_is_left_alone() -> None:
    """This one would write it back without what it does not know."""
    newer = encode(Pool("p")).replace(b'"format":%d' % FORMAT, b'"format":%d' % (FORMAT + 1))
    with pytest.raises(Unreachable, match=f"format {FORMAT + 1}, of a newer Tailback.*update Tailback"):
        decode(Pool, "p", newer)


@pytest.mark.parametrize("head", [b"", b'"format":1,', b'"format":"x",'])
def test_what_a_release_wrote_that_nobody_has_is_left_alone(head: bytes) -> None:
    with pytest.raises(Unreachable, match=f"of an older Tailback.*{re.escape(TOO_OLD)}"):
        decode(Pool, "p", b"{" + head + b'"id":"p"}')


def test_half_a_character_is_refused_by_name() -> None:
    """Python's own JSON parser lets lone surrogates in (docs/design/measurements.md#json); they never reach Redis."""
    with pytest.raises(Unreachable, match="pool:p cannot be written") as refused:
        encode(Pool("p", trouble="\ud800"))
    assert not refused.value.retryable


def test_every_kind_has_a_name() -> None:
    """The names in keys and due members are fixed: changing one would lose what is stored."""
    names = "inc pool act shown digest lease chore past job weekly early fill ended rejected round page calibration"
    more = "tell follow kinds jobs"
    assert {name: kind_name(kind) for name, kind in KINDS.items()} == {name: name for name in KINDS}
    assert KINDS.keys() == {*names.split(), *more.split()}


def test_a_full_pool_with_many_sources_fits_into_70_kb() -> None:
    """As docs/operations/capacity.md tells; with sources in each of its samples it had 154 kB and more."""
    sources = tuple(Tally(f"example-org/repository-{number} / continuous integration", 9.0) for number in range(20))
    jobs = tuple(Job(f"ci / test {n}", 600.0, "example-org/engine", f"https://ci.test/{n}") for n in range(20))
    pool = Pool(POOL)
    for number in range(KEPT_SAMPLES):
        at = NOW + 30 * number
        seen = sample(7, at=at, arrivals_by_source=sources, usual_by_source=sources, waiting=jobs, **FULL)
        pool = measured(pool, seen, at)
    document, older = written(pool, Stored(pool, 0))
    assert len(document) + sum(map(len, older.values())) < 70_000
    assert pool.latest is not None
    assert pool.latest.arrivals_by_source == sources
