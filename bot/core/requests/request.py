"""A person's request: the record that makes one click one effect."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from bot.core.alert import Matcher, digest
from bot.core.incident.details.details import Details
from bot.core.incident.incident import Silence
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Snapshot
from bot.core.requests.body import Body, parameters, pool_of

B = TypeVar("B", bound=Body)


class Progress(StrEnum):
    """The progress of a request; requested, sent and done are three different things."""

    DRAFT = "draft"
    """Requested in a dialog and not confirmed yet."""
    AWAITING = "awaiting"
    """Confirmed, and waiting for approval."""
    REQUESTED = "requested"
    SENT = "sent"
    """The intent is stored; the effect may or may not have happened."""
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The back end did not answer; its state is being checked."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of one person; `id` travels as the button's opaque value and as Idempotency-Key."""

    id: str
    name: str
    who: str
    """User id of the person who asked."""
    channel: str
    requested_at: float
    body: Body
    """The request's parameters."""
    incident: str | None = None
    progress: Progress = Progress.REQUESTED
    sent_at: float | None = None
    finished_at: float | None = None
    outcome: str = ""
    """The result as a sentence."""
    before: str = ""
    after: str = ""
    attempts: int = 0
    lapses_at: float | None = None
    """Until when it may be approved (epoch seconds); None: no approval needed."""
    agreed_by: str | None = None
    """User id of the approver."""
    agreed_to: str = ""
    """The fingerprint of the approved request."""
    waits_for: str = ""
    """The condition for its execution while AWAITING: `drained`; empty: an approval."""
    shadow: bool = False
    """Only describe the effect; decided with the intent, so that it cannot change meanwhile."""
    doubtful: bool = False
    """Given up with an unknown outcome."""

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.progress in {Progress.DONE, Progress.FAILED}

    @property
    def fingerprint(self) -> str:
        """Equal for equal requests; different parameters under one id are an error (docs/design/storage.md#rules)."""
        return digest(self.name, self.pool, *(f"{k}={v}" for k, v in sorted(parameters(self.body).items())))

    @property
    def pool(self) -> str:
        """The pool that it is about; empty when it is about none, or about all of them."""
        return pool_of(self.body)

    def of(self, kind: type[B]) -> B:
        """The stored parameters, checked against their class."""
        if not isinstance(self.body, kind):
            raise TypeError(f"request {self.id} of {self.name} holds {type(self.body).__name__}, not {kind.__name__}")
        return self.body


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an effect, for the thread, the audit trail and the incident's record."""

    details: Details
    after: str = ""
    event: Event | None = None
    """None: the event that its action declares."""
    figures: tuple[Snapshot, ...] = ()
    silence: Silence | None = None
    """The silence that now exists, or has ended."""
    follow: "Request | None" = None
    """A follow-up request with a condition."""
    offers: tuple[str, ...] = ()
    """Actions that the reply offers on this very request, or on `about`."""
    about: str = ""
    """The request that `offers` are about, if it is another one."""
    settles: str = ""
    """The request whose buttons are removed from the thread's replies."""


def sent(request: Request, now: float) -> Request:
    """The intent, stored before the effect."""
    return replace(request, progress=Progress.SENT, sent_at=now, attempts=request.attempts + 1)


def done(request: Request, outcome: str, now: float, after: str = "") -> Request:
    """The effect is confirmed."""
    return replace(request, progress=Progress.DONE, outcome=outcome, finished_at=now, after=after)


def failed(request: Request, outcome: str, now: float, *, doubtful: bool = False) -> Request:
    """The effect did not happen and will not; `doubtful`: unknown, and no further attempts."""
    return replace(request, progress=Progress.FAILED, outcome=outcome, finished_at=now, doubtful=doubtful)


def agreed(request: Request, who: str) -> Request:
    """A second person approved exactly this."""
    return replace(request, progress=Progress.REQUESTED, agreed_by=who, agreed_to=request.fingerprint)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a dialog showed one person; kept for as long as the dialog stays good."""

    id: str
    matchers: tuple[Matcher, ...] = ()
    """The matchers of the silence."""
    texts: tuple[str, ...] = ()
    """Title and text of the issue."""
