"""The records in the store, and the atomic change that writes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bot.core.alert import Alert
from bot.core.audit_chain import AuditEntry
from bot.core.finding import Finding
from bot.core.incident.incident import Incident
from bot.core.jobs.follow import Follows
from bot.core.kinds.jobs_now import JobsNow
from bot.core.kinds.store import JobKinds
from bot.core.message import MessageRecord
from bot.core.notifications.tell import Tell
from bot.core.paging.page import PageRecord
from bot.core.pool.backfill import Backfill
from bot.core.pool.early_warning import EarlyWarning
from bot.core.pool.history import PoolHistory
from bot.core.pool.job import WorkflowJob
from bot.core.pool.outlook import PooledCalibration
from bot.core.pool.pool import Pool, Snapshot
from bot.core.reporting.weekly import Weekly
from bot.core.requests.request import Request
from bot.core.requests.shown import Shown
from bot.core.scaling.lease import PoolLeases


@dataclass(frozen=True, slots=True)
class Digest(MessageRecord):
    """One message per channel that names every incident still waiting for its own thread (storm mode, P8)."""

    id: str
    """The channel."""
    named: tuple[str, ...] = ()
    begun_at: float = 0.0
    """When the first of them started to wait (epoch seconds); part of the digest's key."""
    in_replies: tuple[str, ...] = ()
    """Those that replies below it name."""
    thread: str | None = None
    """Of such a reply: the `ts` of the digest, ..."""
    channel: str = ""
    """... and its channel. The id of a reply is the channel and the first incident of `named`."""


@dataclass(frozen=True, slots=True)
class WarningRecord(MessageRecord):
    """The Slack message of an early warning."""

    id: str
    """The pool."""
    warning: EarlyWarning | None = None
    """The warning at the last check; its start is part of the message's key."""
    channel: str = ""
    """Where the message stands, or is to stand; empty when somebody deleted it."""
    finding: Finding | None = None
    """The likeliest cause when one was first known; the warning may have begun before."""
    linked: bool = False
    """Whether the incident that took over names it."""


@dataclass(frozen=True, slots=True)
class RejectedAlert(MessageRecord):
    """The notice that an authenticated sender's alert was refused for good."""

    id: str
    """Digest of source and address."""
    source: str = ""
    address: str = ""
    """The sender's host; empty if unknown."""
    why: str = ""
    at: float = 0.0
    """When it was refused (epoch seconds); the sender's next notice is at least an hour later."""


@dataclass(frozen=True, slots=True)
class Chore:
    """Periodic work of the whole installation, done by any worker, and its last result; times in epoch seconds."""

    id: str
    """The name of the duty in `bot/registry.py`."""
    note: str = ""
    """The problem as a sentence; empty if none."""
    since: float | None = None
    """Since when the problem exists; for `watch`: since when the oldest message has waited for Slack."""
    notified: bool = False
    """Whether the webhook outside Slack was."""


@dataclass(frozen=True, slots=True)
class SourceRound:
    """The newest samples of a source's pools, as one process read them for the others that share the source."""

    id: str
    """The source's configured name."""
    holder: str = ""
    """The process that reads the source; others use its samples while they are recent."""
    at: float = 0.0
    """When they were stored (epoch seconds)."""
    samples: tuple[Snapshot, ...] = ()


@dataclass(frozen=True, slots=True)
class EndedAlerts:
    """Alerts of a group that resolved while it had no incident; a late notification that they fire opens nothing.

    Opening an incident checks this record too, so that an opening and an end at the same moment cannot both succeed.
    """

    id: str
    """The group's likeness."""
    alerts: tuple[Alert, ...] = ()


Record = (Incident | EndedAlerts | RejectedAlert | PageRecord | Pool | Request | Shown | Digest | PoolLeases | Chore
        | PoolHistory | WorkflowJob | Weekly | WarningRecord | Backfill | SourceRound | PooledCalibration | Tell
        | Follows | JobKinds | JobsNow)  # fmt: skip
K = TypeVar(
    "K", Digest, WarningRecord, RejectedAlert, Weekly, Chore, PoolLeases, Pool, Backfill, PageRecord, Tell, Follows
)
"""The records that begin with nothing but their id."""
R_co = TypeVar("R_co", bound=Record, covariant=True)


@dataclass(frozen=True, slots=True)
class Stored(Generic[R_co]):
    """A record as read; `version` guards the write, `fence` proves the claim."""

    value: R_co
    version: int
    fence: int | None = None
    """Token of the claim; None if the record was only read."""
    in_doubt_since: float | None = None
    """When an earlier claim began that ended without a result (epoch seconds); None if there is none."""
    lease_ends: float = 0.0
    """Monotonic seconds of this process; nothing is sent after that."""


@dataclass(frozen=True, slots=True)
class KnownGroup:
    repeated: bool = False
    """Whether this very delivery was taken before."""
    incident: Stored[Incident] | None = None
    ended: Stored[EndedAlerts] | None = None


class Conflict(Exception):  # noqa: N818 - says what happened
    """Another process wrote the record first, or the claim was lost: read again and repeat the pure change."""


class AlreadyDone(Exception):  # noqa: N818 - says what happened
    """This was applied before; `by` is the object to which it was applied."""

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by


@dataclass(frozen=True, slots=True)
class Put:
    """Write one record.

    `due` is when to process it next (epoch seconds), None for never. With a fence, `release` ends the claim and
    `uncertain` leaves it in doubt for the next claim.
    """

    held: Stored[Record]
    value: Record
    due: float | None
    release: bool = True
    uncertain: bool = False
    keep_seconds: float | None = None
    """The record expires after this; None keeps it."""


@dataclass(frozen=True, slots=True)
class Change:
    """Writes that happen together or not at all."""

    puts: tuple[Put, ...] = ()
    unchanged: tuple[Stored[Record], ...] = ()
    """Records that must still be as they were read; they are not written."""
    point: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    """Index name → (new id, expected present id, None for absent)."""
    join: tuple[tuple[str, str], ...] = ()
    """(set, member) to add; sets: `waiting:<channel>`, `watch:<pool>`, `open`, `lost`,
    `follows:<user>`."""
    leave: tuple[tuple[str, str], ...] = ()
    listed: tuple[tuple[str, str, float], ...] = ()
    """(list, member, seconds until expiry); lists: `jobs:<label>`, `heard`, `unread:<user>`, `listening`."""
    wake: tuple[str, ...] = ()
    """Due keys to wake: `inc:<id>`, `pool:<name>`, `act:<id>`, `digest:<channel>`, `lease:<pool>`, `chore:<name>`,
    `weekly:<channel>`, `early:<pool>`, `fill:<pool>`, `page:<incident>`, `tell:<id>`, `follow:<id>`."""
    audit: tuple[AuditEntry, ...] = ()
    once: tuple[str, ...] = ()
    """Marks of things that this change applies; if one exists, the change raises AlreadyDone."""
    once_value: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request that passed its last check, and the writes that go with its intent."""

    request: Request
    point: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    """Index → (new id, expected present id): prevents two of a kind."""
    puts: tuple[Put, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A due key, claimed until its lease ends."""

    kind: str
    id: str
    held: Stored[Record] | None
    """None if the key is due but has no record yet (a pool or a digest that was woken)."""
    fence: int
    lease_ends: float

    def known(self, kind: type[R_co]) -> "Stored[R_co] | None":
        """The claimed record; None if there is none of this kind."""
        held = self.held
        if held is None or not isinstance(held.value, kind):
            return None
        return Stored(held.value, held.version, self.fence, held.in_doubt_since, self.lease_ends)

    def of(self, kind: type[K]) -> "Stored[K]":
        """The claimed record; a new one when there is none yet."""
        new = Stored(kind(self.id), self.held.version if self.held else 0, self.fence, None, self.lease_ends)
        return self.known(kind) or new


@dataclass(frozen=True, slots=True)
class Claims:
    claims: tuple[Claim, ...]
    next_due_in_seconds: float | None
    """Real seconds until the next record is due; None when none is."""
