"""Converts records to JSON documents and back: typed, never pickled, tolerant of newer fields."""

import json
from dataclasses import replace
from types import GenericAlias
from typing import TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from bot.core.incident.incident import Incident
from bot.core.jobs.follow import Follows
from bot.core.kinds.jobs_now import JobsNow
from bot.core.kinds.store import JobKinds
from bot.core.notifications.tell import Tell
from bot.core.paging.page import PageRecord
from bot.core.pool.backfill import Backfill
from bot.core.pool.history import PoolHistory
from bot.core.pool.job import WorkflowJob
from bot.core.pool.outlook import PooledCalibration
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Chore, Digest, EndedAlerts, Record, RejectedAlert, SourceRound, Stored, WarningRecord
from bot.core.reporting.weekly import Weekly
from bot.core.requests.request import Request
from bot.core.requests.shown import Shown
from bot.core.scaling.lease import PoolLeases
from bot.ports import Failure, Unreachable

R = TypeVar("R", bound=Record)
T = TypeVar("T")

SAMPLES, SAMPLES_END = b',"samples":[', b"]}"
"""What stands before and after the newest sample, with which the document of a pool ends."""

KINDS: dict[str, type[Record]] = {
    "inc": Incident,
    "pool": Pool,
    "act": Request,
    "shown": Shown,
    "digest": Digest,
    "lease": PoolLeases,
    "chore": Chore,
    "past": PoolHistory,
    "job": WorkflowJob,
    "weekly": Weekly,
    "early": WarningRecord,
    "fill": Backfill,
    "ended": EndedAlerts,
    "rejected": RejectedAlert,
    "round": SourceRound,
    "page": PageRecord,
    "calibration": PooledCalibration,
    "tell": Tell,
    "follow": Follows,
    "kinds": JobKinds,
    "jobs": JobsNow,
}
"""Kind, as in keys and due members → the record's type."""

COMPACT = frozenset({Pool})
"""Kinds of many samples, whose fields are left out while they are empty: a third of the size, read in half the time.

A default that says something (`kind` of a timeline entry) must be written; a test watches over that.
"""

_NAMES: dict[type[object], str] = {kind: name for name, kind in KINDS.items()}


def kind_name(kind: type[object]) -> str:
    """Its kind, as in keys: `inc`, `pool`, `act`, ..."""
    return _NAMES[kind]


FORMAT = 3
"""Of every document. Increase it when one release must not use the records of another."""
NEWER = "update Tailback to the release that wrote it, or delete the key"
TOO_OLD = "give this release an empty folder (TAILBACK_DATA), or an empty Redis"
HEAD = b'{"format":%d,' % FORMAT
"""How the document of a record of this release begins."""


def _check_format(kind: type[object], record_id: str, document: bytes) -> None:
    """Raise Unreachable for a document of another release: read here, it would be written back poorer.

    One that is no JSON object, or was written with other spaces, is left to whoever reads it.
    """
    try:
        found = json.loads(document)
    except (ValueError, RecursionError):
        return
    known = found.get("format", 0) if isinstance(found, dict) else FORMAT
    if isinstance(known, int) and known > FORMAT:
        what = f"format {known}, of a newer Tailback; this release knows formats up to {FORMAT}"
        raise _unreadable(kind, record_id, what)
    if known != FORMAT:
        what = f"format {known}, of an older Tailback; this release reads format {FORMAT}"
        raise _unreadable(kind, record_id, what, TOO_OLD)


def _unreadable(kind: type[object], record_id: str, why: str, remedy: str = NEWER) -> Unreachable:
    return Unreachable(
        "Redis", f"{kind_name(kind)}:{record_id} cannot be read ({why})", remedy=remedy, failure=Failure.SHAPE
    )


def _adapter(kind: type[T]) -> TypeAdapter[tuple[T]]:
    """Compiles its type at its first use, since no process needs all of them.

    Each is wrapped in a tuple, because pydantic takes no configuration on a foreign dataclass.
    """
    exact = ConfigDict(ser_json_inf_nan="constants", defer_build=True)
    return TypeAdapter(GenericAlias(tuple, (kind,)), config=exact)  # type: ignore[arg-type]  # made at run time


ADAPTERS: dict[type[object], TypeAdapter[tuple[Record]]] = {kind: _adapter(kind) for kind in KINDS.values()}
SAMPLE = _adapter(Snapshot)


def encode(record: Record) -> bytes:
    """One JSON object. Raises Unreachable if the record cannot be encoded (half a surrogate pair)."""
    kind = type(record)
    try:
        return HEAD + ADAPTERS[kind].dump_json((record,), exclude_defaults=kind in COMPACT)[2:-1]
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        what = f"{kind_name(kind)}:{record.id} cannot be written as JSON ({error})"
        raise Unreachable("Redis", what, remedy="drop the text at fault", failure=Failure.SHAPE) from None


def written(record: Record, held: Stored[Record]) -> tuple[bytes, dict[str, bytes]]:
    """(the document to store, fields to set beside it, empty for those to delete).

    A pool's older samples are fields, so that a measurement writes its own sample and the one before, not an hour.
    Raises Unreachable as `encode` does.
    """
    if not isinstance(record, Pool):
        return encode(record), {}
    older = record.samples[:-1]
    known = {s.at for s in held.value.samples[:-1]} if held.version and isinstance(held.value, Pool) else set()
    fields = {_field(at): b"" for at in known - {sample.at for sample in older}}
    fields |= {_field(sample.at): _sample(sample) for sample in older if sample.at not in known}
    head = encode(replace(record, samples=()))
    if record.samples:
        head = head[:-1] + SAMPLES + _sample(record.samples[-1]) + SAMPLES_END
    return head, fields


def _sample(sample: Snapshot) -> bytes:
    return SAMPLE.dump_json((sample,), exclude_defaults=True)[1:-1]


def decode(kind: type[R], record_id: str, document: bytes, older: bytes = b"") -> R:
    """The record in a document, and in the `older` samples of a pool, with commas between them, in any order.

    Raises Unreachable with the record's name if the document is invalid.
    """
    try:
        if not document.startswith(HEAD):
            _check_format(kind, record_id, document)
        if older:
            document = document.removesuffix(SAMPLES_END) + b"," + older + SAMPLES_END
        (record,) = ADAPTERS[kind].validate_json(b"[" + document + b"]")
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, problem["loc"][1:])) or "document"
        raise _unreadable(kind, record_id, f"{place}: {problem['msg']}") from None
    if not isinstance(record, kind):
        raise TypeError(f"a document of kind {kind_name(kind)} became {type(record).__name__}")
    if older and isinstance(record, Pool):
        return replace(record, samples=tuple(sorted(record.samples, key=lambda sample: sample.at)))
    return record


def _field(at: float) -> str:
    """The field of an older sample; the script that reads them knows it by its first letter."""
    return f"@{float(at)!r}"
