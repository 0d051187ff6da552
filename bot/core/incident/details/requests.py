"""Entries about what people ask for: runners and their leases, silences, issues, and requests that were not done."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from bot.core.pool.outlook import RunnerPrice


class ScaleStep(StrEnum):
    ASKED = "asked"
    NOT_SENT = "not_sent"
    """Shadow mode."""
    APPROVAL_ASKED = "approval_asked"
    APPROVED = "approved"
    DECLINED = "declined"
    TAKEN_BACK = "taken_back"


@dataclass(frozen=True, slots=True)
class ScaleRequest:
    """A scale-up was requested or decided."""

    step: ScaleStep
    pool: str
    before: int | None
    target: int
    seconds: float = 0.0
    keeps: bool = False
    """Whether `target` is there already, and is kept for another lease."""
    registered: int | None = None
    """The most requested runners that were online; None: not measured yet."""
    busy: int | None = None
    """The most busy runners of the pool since then."""
    drained: bool = False
    kind: Literal["scale_request"] = "scale_request"


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """When extra runners are returned."""

    seconds: float | None
    """Latest time; None: never automatically."""
    drained_seconds: float
    """How long the queue must be empty."""


@dataclass(frozen=True, slots=True)
class ScaleAccepted:
    """The scaler accepted the target."""

    pool: str
    before: int | None
    target: int
    checked_within_seconds: float
    lease: LeaseTerms
    pending: str = ""
    price: RunnerPrice | None = None
    currency: str = ""
    low_seconds: float | None = None
    high_seconds: float | None = None
    """What the forecast said of the queue with the extra runners, from then on; None: it said nothing."""
    without_low_seconds: float | None = None
    without_mid_seconds: float | None = None
    without_high_seconds: float | None = None
    """The same of the queue without them, from the same walk; None: no such bound, or nothing was said."""
    without_seed: int | None = None
    """Of that walk, so that it can be walked again; None: there was none."""
    kind: Literal["scale_accepted"] = "scale_accepted"


class RunnersCame(StrEnum):
    """The outcome of an accepted scale-up."""

    VERIFIED = "verified"
    PARTLY = "partly"
    NO_EFFECT = "no_effect"
    UNSEEN = "unseen"
    """The number of online runners is unknown."""


@dataclass(frozen=True, slots=True)
class RunnersChecked:
    """The verification of a scale-up with its figures."""

    came: RunnersCame
    pool: str
    target: int
    after_seconds: float
    """Since the scaler accepted."""
    increase: int = 0
    more: int = 0
    online: int | None = None
    busy: int | None = None
    queued: int | None = None
    was_queued: int | None = None
    create_failures: int | None = None
    limit: int | None = None
    booting: int | None = None
    offline: int | None = None
    delivered: int | None = None
    """The scaler's own count."""
    set_back: int | None = None
    """The lower target that the scaler has now: something set it back, or nothing was set."""
    trouble: str = ""
    """Why they do not come, in the scaler's words."""
    kind: Literal["runners_checked"] = "runners_checked"


class LeaseStep(StrEnum):
    ENDS_SOON = "ends_soon"
    ENDS_FINALLY = "ends_finally"
    """It ends soon, and nobody can extend it."""
    EXTENDED = "extended"
    RETURN_ASKED = "return_asked"
    CANNOT_RETURN = "cannot_return"


class ReturnBlock(StrEnum):
    """Why nothing can be returned now."""

    RECORDS_LOST = "records_lost"
    ACTIONS_OFF = "actions_off"
    SHADOW_MODE = "shadow_mode"
    NO_SCALER = "no_scaler"


@dataclass(frozen=True, slots=True)
class LeaseNoted:
    step: LeaseStep
    pool: str
    target: int
    seconds: float = 0.0
    """Until the lease ends."""
    why: ReturnBlock | None = None
    kind: Literal["lease_noted"] = "lease_noted"


class ReturnResult(StrEnum):
    RETURNED = "returned"
    NOTHING_LEFT = "nothing_left"
    LEASED = "leased"
    """Another lease needs them."""
    MOVED = "moved"
    """Somebody else has changed the level."""


class ReturnReason(StrEnum):
    ASKED = "asked"
    DRAINED = "drained"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class RunnersReturned:
    result: ReturnResult
    pool: str
    level: int
    """The level until then."""
    target: int | None = None
    """The new level; None: unchanged."""
    last: int = 0
    """The last level of Tailback."""
    why: ReturnReason = ReturnReason.ASKED
    waiting: int | None = None
    pending: str = ""
    normal: bool = False
    """Whether so many waiting jobs are at the pool's floor or under it."""
    kind: Literal["runners_returned"] = "runners_returned"


class SilenceStep(StrEnum):
    ASKED = "asked"
    MADE = "made"
    NOT_MADE = "not_made"
    """Shadow mode."""
    EXTENSION_ASKED = "extension_asked"
    EXTENDED = "extended"
    NOT_EXTENDED = "not_extended"
    """Shadow mode."""
    ENDS_SOON = "ends_soon"
    RECREATED = "recreated"
    """The Alertmanager had lost it."""


@dataclass(frozen=True, slots=True)
class Coverage:
    silenced: int
    of: int
    uncovered: tuple[str, ...] = ()
    """The names of the others."""


@dataclass(frozen=True, slots=True)
class Silencing:
    step: SilenceStep
    seconds: float = 0.0
    until_drained: bool = False
    above: int | None = None
    """It ends when more than this many jobs wait."""
    alertmanager: str = ""
    coverage: Coverage | None = None
    """None: unknown."""
    kind: Literal["silencing"] = "silencing"


class SilenceEnd(StrEnum):
    ASKED = "asked"
    NOT_ENDED = "not_ended"
    """Shadow mode."""
    ENDED = "ended"
    RAN_OUT = "ran_out"
    ENDED_ELSEWHERE = "ended_elsewhere"
    LOST = "lost"
    """The Alertmanager has lost it."""


class EndReason(StrEnum):
    DRAINED = "drained"
    INCIDENT_OVER = "incident_over"
    NOT_MEASURED = "not_measured"
    """The incident has ended, and the queue is not measured any more."""
    TOO_MANY_JOBS = "too_many_jobs"


@dataclass(frozen=True, slots=True)
class ActiveSilence:
    ends_at: float
    seconds: float
    """From that moment to its end."""
    until_drained: bool = False
    above: int | None = None


@dataclass(frozen=True, slots=True)
class SilenceEnded:
    how: SilenceEnd
    why: EndReason | None = None
    waiting: int | None = None
    above: int | None = None
    other: ActiveSilence | None = None
    alertmanager: str = ""
    kind: Literal["silence_ended"] = "silence_ended"


class RequestEnd(StrEnum):
    REFUSED = "refused"
    """A check at execution refused it."""
    FAILED = "failed"
    """The back end refused it, or failed too often."""
    UNKNOWN = "unknown"
    CHECKING = "checking"
    """The back end did not answer, and its state is being read."""
    LAPSED = "lapsed"
    OVER = "over"
    """The incident ended before the approval."""


@dataclass(frozen=True, slots=True)
class RequestNotDone:
    how: RequestEnd
    action: str
    pool: str | None = None
    target: int | None = None
    why: str = ""
    system: str = ""
    waited_seconds: float = 0.0
    """Time allowed for the approval."""
    kind: Literal["request_not_done"] = "request_not_done"


class IssueStep(StrEnum):
    ASKED = "asked"
    FILED = "filed"
    NOT_FILED = "not_filed"
    """Shadow mode."""


@dataclass(frozen=True, slots=True)
class IssueNoted:
    step: IssueStep
    name: str = ""
    """Repository and number, OWNER/NAME#12; before that the repository."""
    url: str = ""
    lacking: tuple[str, ...] = ()
    """Labels that GitHub did not set."""
    kind: Literal["issue"] = "issue"
