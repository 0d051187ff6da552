"""Something that a person asked for: the record that makes one click one effect."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.alert import digest
from bot.core.incident.details.details import Details
from bot.core.incident.incident import Silence
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Snapshot


class Progress(StrEnum):
    """How far an action has come; asked, sent and done are three different things."""

    DRAFT = "draft"
    """Asked for in a dialog and not confirmed yet."""
    AWAITING = "awaiting"
    """Confirmed, and waiting for a second person to agree."""
    REQUESTED = "requested"
    SENT = "sent"
    """The intent is written; the effect may or may not have happened."""
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The back end never answered; it is being checked."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of one person; `id` travels as the button's opaque value and as Idempotency-Key."""

    id: str
    name: str
    """The action's fixed name: ack, silence, scale_up, diagnose, ..."""
    who: str
    """User id of the person who asked."""
    channel: str
    requested_at: float
    incident: str | None = None
    pool: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = Progress.REQUESTED
    sent_at: float | None = None
    finished_at: float | None = None
    outcome: str = ""
    """What came of it, as a sentence."""
    before: str = ""
    after: str = ""
    attempts: int = 0
    lapses_at: float | None = None
    """Until when a second person may agree (epoch seconds); None: nobody needs to."""
    agreed_by: str | None = None
    """User id of the second person who agreed."""
    agreed_to: str = ""
    """The fingerprint of what that person agreed to."""
    waits_for: str = ""
    """The condition on which it is done by itself, while it is AWAITING: `drained`; empty: a second person."""
    shadow: bool = False
    """Only what would be done is said; decided with the intent, so that it cannot change under way."""
    doubtful: bool = False
    """Given up without knowing whether it happened."""

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.progress in {Progress.DONE, Progress.FAILED}

    @property
    def fingerprint(self) -> str:
        """Equal for equal requests; different parameters under one id are an error (docs/design/storage.md#rules)."""
        return digest(self.name, self.pool or "", *(f"{k}={v}" for k, v in sorted(self.params.items())))


@dataclass(frozen=True, slots=True)
class Result:
    """What an effect came to, for the thread, the audit trail and the incident's record."""

    details: Details
    """What the timeline says."""
    after: str = ""
    event: Event = Event.NOTED
    figures: tuple[Snapshot, ...] = ()
    silence: Silence | None = None
    """The silence that now exists, or has ended."""
    follow: "Request | None" = None
    """What is asked for from now on, on a condition."""
    offers: tuple[str, ...] = ()
    """Actions that the reply offers on this very request, or on `about`."""
    about: str = ""
    """The request that `offers` are about, when it is another one."""
    settles: str = ""
    """The request about which nothing is left to choose below the thread's replies."""


def sent(request: Request, now: float, before: str = "") -> Request:
    """The intent, written before the effect."""
    return replace(
        request, progress=Progress.SENT, sent_at=now, before=before or request.before, attempts=request.attempts + 1
    )


def done(request: Request, outcome: str, now: float, after: str = "") -> Request:
    """The effect is confirmed."""
    return replace(request, progress=Progress.DONE, outcome=outcome, finished_at=now, after=after)


def failed(request: Request, outcome: str, now: float, *, doubtful: bool = False) -> Request:
    """The effect did not happen, and will not; `doubtful`: nobody knows, and nothing more is tried."""
    return replace(request, progress=Progress.FAILED, outcome=outcome, finished_at=now, doubtful=doubtful)


def awaiting(request: Request, now: float, within_seconds: float) -> Request:
    """Confirmed by the one who asked; a second person has that long to agree."""
    return replace(request, progress=Progress.AWAITING, requested_at=now, lapses_at=now + within_seconds)


def agreed(request: Request, who: str) -> Request:
    """A second person agreed to exactly this."""
    return replace(request, progress=Progress.REQUESTED, agreed_by=who, agreed_to=request.fingerprint)


def unsure(request: Request, outcome: str) -> Request:
    """Nobody answered; the next look reads back what is true."""
    return replace(request, progress=Progress.UNKNOWN, outcome=outcome)
