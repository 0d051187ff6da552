"""The parameters of a request: one class per kind, stored with the request."""

from dataclasses import dataclass
from typing import Literal

from bot.core.alert import Matcher, digest
from bot.core.incident.details.scaling import ReturnReason, ReturnResult
from bot.core.incident.details.silences import EndReason


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A request that is executed at once: acknowledge, mute, close, ..."""

    words: str = ""
    """The person's text, if the action takes one."""
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
    """The pool's size in the confirmation."""
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
    """As the person saw them; empty in requests of older releases."""
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


Body = FileIssue | AtOnce | Diagnose | ScaleUp | HandBack | ExtendLease | MakeSilence | ExtendSilence | EndSilence


def pool_of(body: Body) -> str:
    """The request's pool; empty for none or all pools."""
    return body.pool if isinstance(body, Diagnose | ScaleUp | HandBack | ExtendLease) else ""


def asked_for(body: Body) -> str:
    """User id of the person on whose behalf Tailback acts; else empty."""
    return body.asked_for if isinstance(body, HandBack | EndSilence) else ""


def parameters(body: Body) -> dict[str, str]:
    """The parameters under the names of release 0.2.0, for audit trail and fingerprints."""
    found: dict[str, object]
    match body:
        case AtOnce():
            found = {"text": body.words}
        case FileIssue():
            found = {"title": body.title, "text": digest(body.text)}
        case ScaleUp():
            found = {"target": body.target, "from": body.from_size}
        case HandBack():
            found = {"share": body.lease, "for": body.asked_for, "why": body.why, "target": body.target}
        case ExtendLease():
            found = {"share": body.lease, "target": body.target}
        case MakeSilence():
            until = "drained" if body.until_drained else None
            seconds = f"{body.seconds:.0f}"
            exact = ", ".join(f"{m.name}={m.value}" for m in body.matchers)
            found = {"seconds": seconds, "back_end": body.alertmanager, "until": until, "above": body.above,
                     "matchers": exact}  # fmt: skip
        case ExtendSilence():
            ends = None if body.ends_at is None else f"{body.ends_at:.3f}"
            found = {"of": body.made_by, "seconds": f"{body.seconds:.0f}", "until": ends}
        case EndSilence():
            found = {"silence": body.silence, "back_end": body.alertmanager, "act": body.made_by,
                     "for": body.asked_for, "why": body.why}  # fmt: skip
        case Diagnose():
            found = {}
    return {name: f"{value}" for name, value in found.items() if value not in {None, ""}}
