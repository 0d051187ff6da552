"""A person's request: the record that makes one click one effect, with a class of parameters for each kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, TypeVar

from bot.core.alert import Matcher, digest
from bot.core.incident.details.details import Details
from bot.core.incident.details.requests import EndReason, ReturnReason, ReturnResult
from bot.core.incident.incident import Silence
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Snapshot


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A request that is executed at once: acknowledge, mute, close, ..."""

    words: str = ""
    """The person's text, if the action takes one."""
    to: str = ""
    """User id of the person that it concerns."""
    kind: Literal["at_once"] = "at_once"


@dataclass(frozen=True, slots=True)
class Diagnose:
    pool: str = ""
    kind: Literal["diagnose"] = "diagnose"


@dataclass(frozen=True, slots=True)
class ScaleUp:
    """Set a pool to an absolute number of runners."""

    pool: str
    target: int
    from_size: int
    """The pool's size that the dialog showed."""
    kind: Literal["scale_up"] = "scale_up"


@dataclass(frozen=True, slots=True)
class HandBack:
    pool: str
    lease: str
    """Id of the request that scaled up."""
    asked_for: str
    why: ReturnReason
    target: int | None = None
    """The size to set, stored with the intent; None: no change."""
    result: ReturnResult | None = None
    last: int = 0
    """The size Tailback had last set when the intent was stored."""
    kind: Literal["hand_back"] = "hand_back"


@dataclass(frozen=True, slots=True)
class ExtendLease:
    """Keep the extra runners of one scale-up for one more lease."""

    pool: str
    lease: str
    """Id of the request that scaled up."""
    target: int
    """The size that is kept."""
    kind: Literal["extend_lease"] = "extend_lease"


@dataclass(frozen=True, slots=True)
class MakeSilence:
    alertmanager: str
    """Its name in the configuration."""
    seconds: float
    until_drained: bool = False
    above: int | None = None
    """The silence ends when more jobs than this wait."""
    matchers: tuple[Matcher, ...] = ()
    """As the person saw them."""
    kind: Literal["silence"] = "silence"


@dataclass(frozen=True, slots=True)
class ExtendSilence:
    """Give a silence a later end."""

    made_by: str
    """Id of the request that created the silence."""
    seconds: float
    """Counted from the time of the request."""
    ends_at: float | None = None
    """Epoch seconds, stored with the intent, so that retries do not change it."""
    kind: Literal["extend_silence"] = "extend_silence"


@dataclass(frozen=True, slots=True)
class EndSilence:
    silence: str
    """Its id in the Alertmanager."""
    alertmanager: str
    made_by: str = ""
    """Id of the request that made the silence; empty if a person ends it."""
    asked_for: str = ""
    """User id of the person whose silence ends automatically."""
    why: EndReason | None = None
    """The condition that ended it."""
    waiting: int | None = None
    """Number of queued jobs, if that is the reason."""
    above: int | None = None
    kind: Literal["end_silence"] = "end_silence"


@dataclass(frozen=True, slots=True)
class FileIssue:
    """File an issue with the text that the dialog showed."""

    title: str
    text: str
    kind: Literal["file_issue"] = "file_issue"


@dataclass(frozen=True, slots=True)
class GivenValues:
    """What a person gave to an action that needs no class of its own, by name."""

    values: Mapping[str, str]
    kind: Literal["given"] = "given"


Body = (GivenValues | FileIssue | AtOnce | Diagnose | ScaleUp | HandBack | ExtendLease
        | MakeSilence | ExtendSilence | EndSilence)  # fmt: skip


def asked_for(body: Body) -> str:
    """User id of the person on whose behalf Tailback acts; else empty."""
    return body.asked_for if isinstance(body, HandBack | EndSilence) else ""


def parameters(body: Body) -> dict[str, str]:
    """The parameters, for audit trail and fingerprints."""
    found: dict[str, object]
    match body:
        case AtOnce():
            found = {"text": body.words, "to": body.to}
        case GivenValues():
            found = dict(body.values)
        case FileIssue():
            found = {"title": body.title, "text": digest(body.text)}
        case ScaleUp():
            found = {"target": body.target, "from_size": body.from_size}
        case HandBack():
            found = {"lease": body.lease, "asked_for": body.asked_for, "why": body.why, "target": body.target}
        case ExtendLease():
            found = {"lease": body.lease, "target": body.target}
        case MakeSilence():
            until = "drained" if body.until_drained else None
            seconds = f"{body.seconds:.0f}"
            exact = ", ".join(f"{m.name}={m.value}" for m in body.matchers)
            found = {"seconds": seconds, "alertmanager": body.alertmanager, "until": until, "above": body.above,
                     "matchers": exact}  # fmt: skip
        case ExtendSilence():
            ends = None if body.ends_at is None else f"{body.ends_at:.3f}"
            found = {"made_by": body.made_by, "seconds": f"{body.seconds:.0f}", "until": ends}
        case EndSilence():
            found = {"silence": body.silence, "alertmanager": body.alertmanager, "made_by": body.made_by,
                     "asked_for": body.asked_for, "why": body.why}  # fmt: skip
        case Diagnose():
            found = {}
    return {name: f"{value}" for name, value in found.items() if value not in {None, ""}}


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
    reply_url: str = field(default="", repr=False)
    """The `response_url` of what the person asked; in no log, export or audit."""
    doubtful: bool = False
    """GivenValues up with an unknown outcome."""

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
        return self.body.pool if isinstance(self.body, Diagnose | ScaleUp | HandBack | ExtendLease) else ""

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
