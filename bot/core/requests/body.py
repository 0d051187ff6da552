"""What a request asks for: one class per kind, stored with the request."""

from dataclasses import dataclass
from typing import Literal

from bot.core.incident.details.scaling import ReturnReason, ReturnResult
from bot.core.incident.details.silences import EndReason


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A request that is done in the moment it is asked for: acknowledge, mute, close, ..."""

    words: str = ""
    """What the person wrote, if the action takes any."""
    kind: Literal["at_once"] = "at_once"


@dataclass(frozen=True, slots=True)
class Diagnose:
    """Read one pool now, or every pool."""

    pool: str = ""
    kind: Literal["diagnose"] = "diagnose"


@dataclass(frozen=True, slots=True)
class ScaleUp:
    """Set a pool to an absolute number of runners."""

    pool: str
    target: int
    from_size: int
    """The pool's size when the person was asked to confirm."""
    kind: Literal["scale_up"] = "scale_up"


@dataclass(frozen=True, slots=True)
class HandBack:
    """Return the extra runners of one scale-up."""

    pool: str
    lease: str
    """Id of the request that scaled up."""
    asked_for: str
    """User id of the person who had scaled up."""
    why: ReturnReason
    target: int | None = None
    """The level to set, known with the intent; None: nothing is set."""
    result: ReturnResult | None = None
    last: int = 0
    """What Tailback had set last, when the intent was written."""
    kind: Literal["hand_back"] = "hand_back"


@dataclass(frozen=True, slots=True)
class MakeSilence:
    """Silence the alerts of an incident."""

    alertmanager: str
    """Its name in the configuration."""
    seconds: float
    until_drained: bool = False
    above: int | None = None
    """The silence ends when more jobs than this wait."""
    kind: Literal["silence"] = "silence"


@dataclass(frozen=True, slots=True)
class ExtendSilence:
    """Give a silence a later end."""

    made_by: str
    """Id of the request that made the silence."""
    seconds: float
    """From the moment it was asked for."""
    ends_at: float | None = None
    """Epoch seconds, known with the intent: the same however often it is tried."""
    kind: Literal["extend_silence"] = "extend_silence"


@dataclass(frozen=True, slots=True)
class EndSilence:
    """End a silence now, or on a condition."""

    silence: str
    """Its id in the Alertmanager."""
    alertmanager: str
    made_by: str = ""
    """Id of the request that made the silence; empty when a person ends it."""
    asked_for: str = ""
    """User id of the person who made the silence that ends by itself."""
    why: EndReason | None = None
    """The condition that was met."""
    waiting: int | None = None
    """Jobs that wait, where that is the reason."""
    above: int | None = None
    kind: Literal["end_silence"] = "end_silence"


Body = AtOnce | Diagnose | ScaleUp | HandBack | MakeSilence | ExtendSilence | EndSilence


def pool_of(body: Body) -> str:
    """The pool that a request is about; empty when it is about none, or about all of them."""
    return body.pool if isinstance(body, Diagnose | ScaleUp | HandBack) else ""


def asked_for(body: Body) -> str:
    """User id of the person for whom Tailback asks by itself; else empty."""
    return body.asked_for if isinstance(body, HandBack | EndSilence) else ""


def parameters(body: Body) -> dict[str, str]:
    """The parameters as the audit trail and fingerprints name them; the names are those of release 0.2.0."""
    found: dict[str, object]
    match body:
        case AtOnce():
            found = {"text": body.words}
        case ScaleUp():
            found = {"target": body.target, "from": body.from_size}
        case HandBack():
            found = {"share": body.lease, "for": body.asked_for, "why": body.why, "target": body.target}
        case MakeSilence():
            until = "drained" if body.until_drained else None
            seconds = f"{body.seconds:.0f}"
            found = {"seconds": seconds, "back_end": body.alertmanager, "until": until, "above": body.above}
        case ExtendSilence():
            ends = None if body.ends_at is None else f"{body.ends_at:.3f}"
            found = {"of": body.made_by, "seconds": f"{body.seconds:.0f}", "until": ends}
        case EndSilence():
            found = {"silence": body.silence, "back_end": body.alertmanager, "act": body.made_by,
                     "for": body.asked_for, "why": body.why}  # fmt: skip
        case Diagnose():
            found = {}
    return {name: f"{value}" for name, value in found.items() if value not in {None, ""}}
