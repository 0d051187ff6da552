"""What Tailback needs of the outside: Protocols, the values they carry, and the two exceptions that cross floors."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol, TypeVar, runtime_checkable

from bot.core.alert import Alert, Delivery, Matcher
from bot.core.charts.drawing import Drawing
from bot.core.external import Capacity as Capacity  # noqa: PLC0414 - re-exported, as mypy reads it
from bot.core.external import Own as Own  # noqa: PLC0414 - re-exported, as mypy reads it
from bot.core.external import Person as Person  # noqa: PLC0414 - re-exported, as mypy reads it
from bot.core.external import Posted as Posted  # noqa: PLC0414 - re-exported, as mypy reads it
from bot.core.external import SilenceFound as SilenceFound  # noqa: PLC0414 - re-exported, as mypy reads it
from bot.core.incident.incident import Incident
from bot.core.message import Block as Block  # noqa: PLC0414 - re-exported, as mypy reads it
from bot.core.message import Message as Message  # noqa: PLC0414 - re-exported, as mypy reads it
from bot.core.pool.job import WebhookCoverage, WorkflowJob
from bot.core.pool.pool import Snapshot
from bot.core.record import AuditEntry, Change, Claims, Record, Stored

R = TypeVar("R", bound=Record)


class Refused(Exception):  # noqa: N818 - a refusal is an answer to a person, not an error
    """A sentence for a person: what was not done, why, and what helps.

    `who` did it already, if somebody did; `may` are the people and user groups who are allowed to; `where` the channels
    in which it can be asked.
    """

    def __init__(
        self, sentence: str, who: str | None = None, may: Sequence[str] = (), where: Sequence[str] = ()
    ) -> None:
        super().__init__(sentence)
        self.who, self.may, self.where = who, tuple(may), tuple(where)


class Failure(StrEnum):
    """What a failed call means for what was asked (docs/reliability.md#what-slack-errors-do)."""

    LATER = "later"
    """Not accepted; try again after a while."""
    UNKNOWN = "unknown"
    """It may have happened: look before asking again."""
    UNCONNECTED = "unconnected"
    """Never reached the system; not done."""
    SHAPE = "shape"
    """The message itself was refused; not done."""
    PLACE = "place"
    """The channel cannot be used; not done."""
    CREDENTIALS = "credentials"
    """The token is not accepted; not done, and nothing will be until it is mended."""
    GONE = "gone"
    """The thing to change does not exist any more."""


class Unreachable(Exception):  # noqa: N818 - named by what is true of the system
    """`system` could not do `what`; `failure` says whether it may have happened all the same."""

    def __init__(
        self,
        system: str,
        what: str,
        *,
        failure: Failure = Failure.UNCONNECTED,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{system}: {what}")
        self.system = system
        self.what = what
        self.failure = failure
        self.retry_after_seconds = retry_after_seconds

    @property
    def retryable(self) -> bool:
        """Whether asking the same again later can help."""
        return self.failure in {Failure.LATER, Failure.UNKNOWN, Failure.UNCONNECTED}


class Store(Protocol):
    """Records and their due times. Every method raises Unreachable("Redis", ...) when the store cannot be used."""

    async def get(self, kind: type[R], record_id: str) -> Stored[R] | None:
        """One record; None when there is none."""

    async def get_many(self, kind: type[R], ids: Sequence[str]) -> dict[str, Stored[R]]:
        """The records that exist, by id."""

    async def find(self, index: str) -> str | None:
        """The id that an index points to."""

    async def open_under(self, index: str, mark: str) -> tuple[bool, Stored[Incident] | None]:
        """(was `mark` applied before?, the incident that `index` points to), in one round trip."""

    async def members(self, name: str) -> set[str]:
        """The members of a set."""

    async def listed(self, name: str) -> tuple[str, ...]:
        """Who stands in a list now (`Change.listed`)."""

    async def done_by(self, mark: str) -> str | None:
        """What the thing behind `mark` was applied to; None when it was not."""

    async def commit(self, change: Change) -> None:
        """Apply a change atomically; safe to repeat. Raises Conflict or AlreadyDone, and then nothing was written."""

    async def claim(self, most: int) -> Claims:
        """Take up to `most` due records for the length of the lease."""

    async def acquire_slot(self, rate_lane: str, who: str, interval: float, burst: int, *, urgent: bool) -> float:
        """Ask for one of a rate lane's slots, `interval` seconds apart: 0 when granted, else seconds to wait."""

    async def pause_lane(self, rate_lane: str, seconds: float) -> None:
        """Grant nothing in a rate lane for that long: a 429 stops the queue, not one coroutine."""

    async def woken(self, timeout_seconds: float) -> bool:
        """Wait until a commit anywhere made something due; False after the timeout."""

    def lost_data(self) -> bool:
        """Whether the store knows less than this process saw it keep; stays so until `accept_loss` (P10)."""

    def accept_loss(self) -> None:
        """Go on from what the store holds now: what was lost has been recovered from outside."""

    async def audit_trail(self, after: str = "-", most: int = 1000) -> list[tuple[str, AuditEntry, str]]:
        """(stream id, entry, hash) in order; `after` is exclusive."""

    async def audit_head(self) -> str:
        """The hash of the entry that was written last; empty before the first."""


class Chat(Protocol):
    """Slack. Every method raises Unreachable("Slack", ...); one call is one request, never repeated by itself."""

    async def post(
        self, channel: str, message: Message, *, mark: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Post; `mark` (opaque) is stored as message metadata, so that `find` can answer later."""

    async def update(self, channel: str, ts: str, message: Message, *, mark: str = "") -> None:
        """Replace a message's text and blocks, and its mark when one is given."""

    async def find(self, channel: str, mark: str, *, since: float, thread: str | None = None) -> Posted | None:
        """Our own message that carries `mark`, posted after `since`; the oldest when there are several."""

    async def own(self, channel: str, *, since: float) -> tuple[Own, ...]:
        """Our own marked messages in a channel, posted after `since`, oldest first; replies are left out."""

    async def whisper(self, channel: str, user: str, message: Message, *, thread: str | None = None) -> None:
        """Tell one person alone."""

    async def upload(self, name: str, title: str, content: bytes) -> str:
        """A file that stands in no channel, to be shown by a message of ours; gives its id. Three requests in a row.

        CREDENTIALS without the scope `files:write`. A message may be refused (SHAPE) until Slack has looked at it.
        """

    async def open_view(self, trigger_id: str, view: Block) -> None:
        """Open a modal; a trigger lives 3 s and works once."""

    async def publish_home(self, user: str, view: Block) -> None:
        """Draw App Home for one person."""

    async def permalink(self, channel: str, ts: str) -> str:
        """The address of a message; empty when Slack does not give one."""

    async def person(self, user: str) -> Person:
        """Who somebody is; cached at most 60 s."""

    async def group_members(self, group: str) -> frozenset[str]:
        """User ids of a user group; cached at most 60 s."""


class Jobs(Protocol):
    """The jobs of GitHub Actions as its webhooks told them."""

    async def under(self, label: str) -> tuple[WorkflowJob, ...]:
        """The jobs that ask for a runner label: all that wait or run, and those that ended in the last hour.

        In no order; labels match without regard to case. Empty when no webhook ever told of the label. Raises
        Unreachable("Redis", ...).
        """

    async def line(self) -> WebhookCoverage | None:
        """How long webhooks have come without a gap; None when none came in two hours. Raises Unreachable."""


class Metrics(Protocol):
    """A source of queue figures."""

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; single figures may be unknown. Raises Unreachable when the source gives nothing at all."""

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """The pool's past, oldest first; empty when the source has none."""


class Scaler(Protocol):
    """A lever on one pool's capacity. Raises Unreachable, or Refused with the back end's own reason."""

    async def read(self) -> Capacity:
        """What is set now."""

    async def set(self, target: int, request_id: str) -> None:
        """Set an absolute target; `request_id` is the Idempotency-Key. Raises Unreachable(UNKNOWN) on no answer."""


@runtime_checkable
class Rehearsed(Protocol):
    """A back end that knows, without changing anything, whether it would be allowed to do what is asked of it later."""

    async def lacking(self) -> tuple[str, ...] | None:
        """The rights that are missing, a sentence each with its remedy; None when that cannot be told. Never raises."""


class Alertmanager(Protocol):
    """Silences, and what fires, by the Alertmanager v2 API."""

    kind: str
    """grafana or alertmanager."""
    max_silence_seconds: float
    addresses: tuple[str, ...]
    """Under which it is known: the configured one, and the one that stands in what it sends."""

    async def silence(
        self, matchers: Sequence[Matcher], *, starts_at: float, ends_at: float, by: str, comment: str
    ) -> str:
        """Create a silence and return its id; raises Refused when the back end will not have it."""

    async def find(self, tag: str) -> SilenceFound | None:
        """The newest silence that is active or pending and whose comment carries `tag`."""

    async def get(self, silence_id: str) -> SilenceFound | None:
        """One silence; None when the back end does not know it."""

    async def silenced(self) -> tuple[SilenceFound, ...]:
        """The silences that are active now, whoever made them."""

    async def extend(self, silence_id: str, ends_at: float) -> SilenceFound:
        """Give an active silence another end (epoch seconds); its id may be another one afterwards.

        Raises Refused when it is over, Unreachable(failure=UNKNOWN) on no answer.
        """

    async def end(self, silence_id: str) -> None:
        """End a silence now; ending it twice is fine."""

    async def firing(self) -> tuple[Alert, ...]:
        """The alerts that fire now, silenced ones included."""

    async def groups(self) -> tuple[Delivery, ...]:
        """What fires now, in the groups that the source sends, one for each receiver; silenced ones included."""


class Sns(Protocol):
    """Amazon SNS: its certificates and its subscriptions. Raises Unreachable when it cannot be asked."""

    async def vouched(self, certificate_url: str, signed: bytes, signature: bytes, version: str) -> bool:
        """Whether the owner of that certificate signed these bytes; `version` "1" is SHA-1, "2" is SHA-256."""

    async def confirm(self, address: str) -> None:
        """Ask for the address that confirms a subscription; raises Refused when SNS will not have it."""


class Artist(Protocol):
    """Turns drawings into pictures."""

    async def png(self, drawing: Drawing) -> bytes:
        """The picture as a PNG file."""


class Outside(Protocol):
    """Somebody who is told when Slack cannot be reached for too long."""

    async def tell(self, event: str, text: str) -> None:
        """Send one small JSON document."""
