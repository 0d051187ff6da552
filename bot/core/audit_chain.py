"""The audit trail's hash chain: every entry contains the hashes of the entries that it follows (C11)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the audit trail; `at` in epoch seconds (UTC)."""

    at: float
    who: str
    what: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    before: str = ""
    after: str = ""
    outcome: str = ""
    act: str = ""
    incident: str = ""
    follows: tuple[str, ...] = ()
    """The hashes of the entries that it follows; the store sets them."""


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
    if not isinstance(follows := given.get("follows", []), list) or not all(isinstance(one, str) for one in follows):
        raise ValueError("an audit entry follows a list of hashes")
    return AuditEntry(**{**given, "follows": tuple(follows)})


def hash_of(text: str) -> str:
    """The hash of an entry's canonical text, 64 hex digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def linked(entries: Iterable[AuditEntry], follows: tuple[str, ...]) -> list[tuple[str, str]]:
    """(canonical text, hash) of entries that are written together: the first follows `follows`, each later one the one
    before it.
    """
    rows = []
    for entry in entries:
        line = canonical(replace(entry, follows=follows))
        rows.append((line, hash_of(line)))
        follows = (rows[-1][1],)
    return rows


class ChainCheck:
    """Checks a trail entry by entry, so that it need not be in memory.

    An entry names the hashes that it follows; the first one names none. Several processes write at once, so the chain
    branches, and later entries join the branches.
    """

    def __init__(self) -> None:
        self.known = {""}

    def fits(self, entry: AuditEntry, hashed: str) -> bool:
        """Whether the next entry has the right hash and everything that it follows came before."""
        first = self.known == {""}
        right = hash_of(canonical(entry)) == hashed and self.known.issuperset(entry.follows)
        self.known.add(hashed)
        return right and bool(entry.follows) != first
