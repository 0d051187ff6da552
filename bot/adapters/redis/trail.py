"""This process's part of the audit trail: what its next entry follows, and whether its last one is still there."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

import structlog

from bot.adapters.redis.calls import text
from bot.core.audit_chain import AuditEntry, linked, readable

log = structlog.get_logger()


class TrailEnds:
    """The hashes that the next audit entry follows. Commits run at once, because no entry waits for another's hash.

    A commit takes every hash that no entry has followed yet: this process's last ones, and the one that was the trail's
    last when it wrote. So the branches of all processes are joined again and again, without another request.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._ends: list[str] = []
        self._own: deque[str] = deque(maxlen=256)
        self._last_hash = ""
        self.last_id = ""
        """The stream id of this process's last entry; empty before the first."""
        self._before_loss = ""
        self.problem = ""
        """Set once the last entry was found missing; stays until the process is restarted."""

    @property
    def last(self) -> tuple[str, str]:
        """Stream id and hash of this process's last entry, which a commit expects to find; empty before the first."""
        return self.last_id, self._last_hash

    def take(self, entries: Iterable[AuditEntry]) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
        """(the hashes taken, the text and hash of each entry)."""
        follows = tuple(dict.fromkeys(self._ends)) or ((self._last_hash,) if self._last_hash else ())
        self._ends.clear()
        return follows, linked(entries, follows)

    def give_back(self, hashes: Iterable[str]) -> None:
        """Follow these with the next entry: nothing was written, or it is unknown whether."""
        self._ends += hashes

    def written(self, rows: list[tuple[str, str]], head: str = "", stream_id: str = "") -> None:
        """Entries are stored, after the one with the hash `head`."""
        self._last_hash, self.last_id = rows[-1][1], stream_id
        self._ends.append(self._last_hash)
        if head and head not in self._own and f'"{head}"' not in rows[0][0]:
            self._ends.append(head)
        self._own += (hashed for _, hashed in rows)
        logged(rows)

    def lost(self) -> None:
        """The store has lost data, perhaps the entries so far too."""
        self._before_loss = self.last_id

    def accept_loss(self) -> None:
        """Follow what is in the store now, but for what this process has written since the loss."""
        if self.last_id == self._before_loss:
            self._start_over()

    def begin_anew(self, missing: str, *, lost: bool) -> AuditEntry | None:
        """The entry with which a new chain begins, because that under the id `missing` is gone from the store.

        None if another commit has begun it already. `lost`: the store has lost data, which is told elsewhere.
        """
        if missing != self.last_id:
            return None
        if not lost:
            self._miss(missing, "")
        self._start_over()
        return AuditEntry(self._now(), "tailback", "audit trail", {"missing": missing}, outcome="a new chain begins")

    def _start_over(self) -> None:
        self._ends.clear()
        self._last_hash = self.last_id = ""

    def examine(self, stream_id: str, kept: Sequence[tuple[str, AuditEntry, str]]) -> None:
        """Compare the last entry with what the store has under its id."""
        found = kept[0][2] if kept else ""
        if stream_id != self.last_id or found == self._last_hash or self.problem:
            return
        self._miss(stream_id, found)

    def _miss(self, stream_id: str, found: str) -> None:
        if self.problem:
            return
        self.problem = (
            f"the audit trail has lost the entry {stream_id}, which this process wrote; run tailback audit --verify, "
            "keep this Redis as it is, and restart this process afterwards"
        )
        log.error("audit entry missing", id=stream_id, hash=self._last_hash, found=found)


def entries(reply: object) -> list[tuple[str, AuditEntry, str]]:
    """(stream id, entry, hash) of each row that Redis answered."""
    trail = []
    for stream_id, fields in reply if isinstance(reply, list) else []:
        try:
            entry = readable(text(fields[b"entry"]))
        except (ValueError, KeyError):
            entry = AuditEntry(0.0, "", "this entry of the trail cannot be read")
        trail.append((text(stream_id), entry, text(fields.get(b"hash", b""))))
    return trail


def logged(rows: Iterable[tuple[str, str]], written: str = "yes") -> None:
    """Log entries with their hashes, so that another place than Redis has them too."""
    for line, hashed in rows:
        entry = readable(line)
        log.info(
            "audit entry", hash=hashed, written=written, at=entry.at, who=entry.who, what=entry.what,
            parameters=entry.parameters, before=entry.before, after=entry.after, outcome=entry.outcome,
            incident=entry.incident,
        )  # fmt: skip
