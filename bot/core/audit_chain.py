"""The audit trail's hash chain: every entry contains the hash of everything before it (C11)."""

import json
from collections.abc import Iterable
from dataclasses import fields
from hashlib import sha256

from bot.core.record import AuditEntry


def canonical(entry: AuditEntry) -> str:
    """The entry as canonical JSON; empty fields are omitted, so that new fields break nothing."""
    given = {field.name: getattr(entry, field.name) for field in fields(entry)}
    kept = {name: dict(value) if name == "parameters" else value for name, value in given.items() if value}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"))


def readable(text: str) -> AuditEntry:
    """Parse an entry from `canonical`; fields of a newer release are ignored. Raises ValueError."""
    raw = json.loads(text)
    known = {field.name for field in fields(AuditEntry)}
    if not isinstance(raw, dict):
        raise ValueError("an audit entry is a JSON object")  # noqa: TRY004 - the text is wrong, not a type
    given = {"at": 0.0, "who": "", "what": "", **{name: value for name, value in raw.items() if name in known}}
    return AuditEntry(**given)


def chained(previous: str, text: str) -> str:
    """The hash of an entry (64 hex digits), given the hash before it; the first entry follows the empty string."""
    return sha256(f"{previous}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def broken_at(trail: Iterable[tuple[str, AuditEntry, str]], previous: str = "") -> str | None:
    """The stream id of the first entry with a wrong hash; None if all are right."""
    for stream_id, entry, hashed in trail:
        if chained(previous, canonical(entry)) != hashed:
            return stream_id
        previous = hashed
    return None
