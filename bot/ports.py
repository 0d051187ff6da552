"""The Protocols of external systems; the values they carry and their exceptions are in `bot.core.external`."""

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from bot.core.alert import Alert, Delivery, Matcher
from bot.core.audit_chain import AuditEntry
from bot.core.external import (
    Capacity,
    Failure,
    Outsider,
    Own,
    OwnMessages,
    Person,
    Posted,
    Problem,
    Refused,
    SilenceFound,
    Unreachable,
)
from bot.core.jobs.found import FoundJobs
from bot.core.message import Block, Message
from bot.core.paging.page import PageEvent
from bot.core.pool.job import WebhookCoverage, WorkflowJob
from bot.core.pool.merge import SourceAnswer
from bot.core.pool.pool import Snapshot
from bot.core.record import Change, Claim, Claims, KnownGroup, Record, Stored
from bot.core.reporting.issue import FiledIssue

R = TypeVar("R", bound=Record)


class Clock(Protocol):
    """The product's time for records and messages; time-outs, claims and Slack's limits use real seconds."""

    def now(self) -> float:
        """Epoch seconds."""

    def rate(self) -> float:
        """Its seconds in one real second, above 0: 1 in production, another number in the demo."""

    def ahead(self) -> float:
        """Seconds by which it is ahead of the clock of the store's server: 0 in production."""

    def follow(self, epoch_seconds: float) -> None:
        """Go by the store's server from here on, which says that it is so late now."""


class RateLanes(Protocol):
    """Rate limits that all processes share. Raises Unreachable("Redis", ...)."""

    async def acquire_slot(  # noqa: PLR0913 - one question in one round trip
        self, rate_lane: str, who: str, interval: float, burst: int, *, urgent: bool, unless: Sequence[str] = ()
    ) -> float:
        """Ask for one of a rate lane's slots, `interval` seconds apart: 0 when granted, else seconds of the clock.

        SHUT, and nothing is granted, while one of the indexes `unless` has a value other than OPEN. An urgent asker
        that waits has a slot reserved; one that does not come back within a grace period loses it.
        """

    async def arrange(self, rate_lane: str, order: Sequence[str]) -> None:
        """Let those of `order` that wait for a slot of their own have each other's slots, in this order."""

    async def pause_lane(self, rate_lane: str, seconds: float) -> None:
        """Grant nothing in a rate lane for this many real seconds: a 429 stops the whole queue."""


class Store(RateLanes, Protocol):
    """Records and their due times. Every method raises Unreachable("Redis", ...) if the store is unavailable."""

    async def get(self, kind: type[R], record_id: str) -> Stored[R] | None:
        """One record; None if it does not exist."""

    async def get_many(self, kind: type[R], ids: Sequence[str], *, newest: bool = False) -> dict[str, Stored[R]]:
        """The existing records by id; with `newest`, pools may come with their newest sample only."""

    async def find(self, index: str) -> str | None:
        """The id that an index points to."""

    async def find_many(self, indexes: Sequence[str]) -> tuple[str | None, ...]:
        """What each of `indexes` points to, in one round trip."""

    async def open_under(self, index: str, once_key: str, likeness: str) -> KnownGroup:
        """Whether `once_key` was applied, the incident that `index` points to, and its ended alerts; one round trip."""

    async def members(self, name: str) -> set[str]:
        """The members of a set."""

    async def listed(self, name: str) -> tuple[str, ...]:
        """Members of a list (`Change.listed`)."""

    async def done_by(self, once_key: str) -> str | None:
        """The object to which `once_key` was applied; None if it was not."""

    async def commit(self, change: Change) -> None:
        """Apply a change atomically; safe to repeat. Raises Conflict or AlreadyDone, then nothing was written."""

    async def claim(self, most: int) -> Claims:
        """Claim up to `most` due records for the length of the lease."""

    async def give_back(self, claim: Claim, seconds: float) -> None:
        """End a claim without writing its record, which is due again then; nothing happens if the claim is lost."""

    async def woken(self, timeout_seconds: float) -> bool:
        """Wait until a commit makes something due; False after the timeout."""

    def lost_data(self) -> bool:
        """Whether the store has lost records that this process wrote; stays so until `accept_loss` (P10)."""

    def accept_loss(self) -> None:
        """Continue with the data in the store; lost records have been recovered from outside."""

    async def audit_trail(self, after: str = "-", most: int = 1000) -> list[tuple[str, AuditEntry, str]]:
        """(stream id, entry, hash) in order; `after` is exclusive."""

    async def audit_head(self) -> str:
        """The hash of the last entry; empty before the first."""


class Chat(Protocol):
    """Slack. Every method raises Unreachable("Slack", ...); one call is one request, without retries."""

    @property
    def in_turn(self) -> "Chat":
        """The same for callers with a slot of the rate lane, whose pauses they have waited for."""

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Post a message; the opaque `key` is stored as metadata for `find`."""

    async def update(self, channel: str, ts: str, message: Message, *, key: str = "") -> None:
        """Replace a message's text and blocks, and its key if given."""

    async def find(self, channel: str, key: str, *, since: float, thread: str | None = None) -> Posted | None:
        """Our message with `key`, posted after `since`; the oldest of several."""

    async def own(self, channel: str, *, since: float, thread: str | None = None) -> OwnMessages:
        """This installation's marked messages in a channel without replies, or in a thread, posted after `since`."""

    async def stranger(self, channel: str, ts: str) -> str:
        """The installation that posted this first message with our token; empty if this one did. Raises GONE."""

    async def whisper(self, channel: str, user: str, message: Message, *, thread: str | None = None) -> None:
        """Send a message that only one person sees."""

    async def respond(self, url: str, message: Message, *, thread: str | None = None) -> None:
        """The same by the `response_url` of what the person asked; raises GONE once Slack takes no more there."""

    async def open_view(self, trigger_id: str, view: Block) -> None:
        """Open a modal; a trigger lives 3 s and works once."""

    async def publish_home(self, user: str, view: Block) -> None:
        """Draw App Home for one person."""

    async def permalink(self, channel: str, ts: str) -> str:
        """The link of a message; empty if Slack gives none."""

    async def person(self, user: str) -> Person:
        """A person; cached for at most 60 s."""

    async def may_read(self, channel: str, user: str) -> bool:
        """Whether a member of this workspace sees a channel: a public one, or theirs; cached for at most 60 s."""

    async def in_channel(self, channel: str, user: str) -> bool:
        """Whether a person has joined a channel, public or private; cached for at most 60 s."""

    async def group_members(self, group: str) -> frozenset[str]:
        """Members of a user group; cached for at most 60 s."""

    async def connect(self) -> None:
        """Ask Slack who we are; it answers from memory for at most 5 min. Raises if Slack refuses the token."""


class Jobs(Protocol):
    """Single jobs of any system, by address."""

    async def find(self, url: str) -> FoundJobs:
        """The jobs of the address of a job, run, build or pull request, or of a stored job's number; else why not."""


class WebhookJobs(Protocol):
    """Jobs of GitHub Actions, from its webhooks."""

    async def under(self, label: str) -> tuple[WorkflowJob, ...]:
        """A label's jobs, unordered, ignoring case: all that wait or run, and those that ended in the last hour."""

    async def numbered(self, number: str) -> WorkflowJob | None:
        """One job by its number; None if it is not stored."""

    async def grouped(self, group: str) -> tuple[WorkflowJob, ...]:
        """The stored jobs of a run or commit (`of_run`, `of_commit`), unordered."""

    async def line(self) -> WebhookCoverage | None:
        """How long webhooks have arrived without a gap; None if none did in two hours. Raises Unreachable."""


class Metrics(Protocol):
    """A metrics source."""

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; single figures may be unknown. Raises Unreachable if there are none at all."""

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """The pool's history, oldest first; empty if the source has none."""


@runtime_checkable
class Answering(Protocol):
    """The metrics sources of a pool, each of which answers for itself."""

    async def answers(self, pool: str) -> Sequence[SourceAnswer]:
        """What each source knows of the pool now. Raises Unreachable if none gave anything."""


class Scaler(Protocol):
    """Sets one pool's size. Raises Unreachable (UNKNOWN: it may be set), or Refused with the back end's reason."""

    async def read(self) -> Capacity:
        """The present size."""

    async def set(self, target: int, request_id: str) -> str | None:
        """Set an absolute target; gives where people must agree first. `request_id` is the Idempotency-Key."""


@runtime_checkable
class Rehearsed(Protocol):
    """A back end that can check its permissions without changing anything."""

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions, a sentence with remedy each; None if unknown. Never raises."""


class Alertmanager(Protocol):
    """Silences and firing alerts, by the Alertmanager v2 API."""

    kind: str
    """grafana or alertmanager."""
    max_silence_seconds: float
    addresses: tuple[str, ...]
    """Its addresses: the configured one, and the one in its payloads."""

    async def silence(
        self, matchers: Sequence[Matcher], *, starts_at: float, ends_at: float, by: str, comment: str
    ) -> str:
        """Create a silence and return its id; raises Refused if the back end rejects it."""

    async def find(self, tag: str) -> SilenceFound | None:
        """The newest active or pending silence with `tag` in its comment."""

    async def get(self, silence_id: str) -> SilenceFound | None:
        """One silence; None if the back end does not know it."""

    async def silenced(self) -> tuple[SilenceFound, ...]:
        """All active silences, whoever created them."""

    async def extend(self, silence_id: str, ends_at: float) -> SilenceFound:
        """Change the end of an active silence; its id may change. Raises Refused if it has ended, Unreachable."""

    async def end(self, silence_id: str) -> None:
        """End a silence now; repeating it is harmless."""

    async def firing(self) -> tuple[Alert, ...]:
        """The firing alerts, silenced ones included."""

    async def groups(self) -> tuple[Delivery, ...]:
        """Firing alerts in the source's groups, one per receiver; silenced ones included."""


class Sns(Protocol):
    """Amazon SNS: certificates and subscriptions. Raises Unreachable."""

    async def verified(self, certificate_url: str, signed: bytes, signature: bytes, version: str) -> bool:
        """Whether the certificate's owner signed these bytes; `version` "1" is SHA-1, "2" is SHA-256."""

    async def confirm(self, address: str) -> None:
        """Request the address that confirms a subscription; raises Refused if SNS rejects it."""


class IssueTracker(Protocol):
    """Files issues in one repository. Raises Unreachable."""

    repository: str

    async def find(self, marker: str, since: str) -> FiledIssue | None:
        """The issue whose text ends with `marker`, among those changed since a time in ISO 8601."""

    async def create(self, title: str, text: str, labels: tuple[str, ...]) -> FiledIssue:
        """Create an issue; without permission for labels it has none."""


class Pager(Protocol):
    """Notifies people outside Slack. Raises Unreachable, and never retries."""

    label: str
    """What it is, for people: PagerDuty, Opsgenie, ..."""

    async def send(self, event: PageEvent) -> None:
        """Send one message; a repeated one changes nothing there."""
