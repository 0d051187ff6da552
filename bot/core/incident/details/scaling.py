"""Entries about scaling and leases."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class ScaleStep(StrEnum):
    """How far a request for more runners has come before anything is sent."""

    ASKED = "asked"
    NOT_SENT = "not_sent"
    """Shadow mode."""
    APPROVAL_ASKED = "approval_asked"
    APPROVED = "approved"
    DECLINED = "declined"
    TAKEN_BACK = "taken_back"


@dataclass(frozen=True, slots=True)
class ScaleRequest:
    """Somebody asks for more runners, or decides on that."""

    step: ScaleStep
    pool: str
    before: int | None
    target: int
    seconds: float = 0.0
    """How long a second person has to approve."""
    kind: Literal["scale_request"] = "scale_request"


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """When extra runners are handed back."""

    seconds: float | None
    """After that long at the latest; None: never by itself."""
    drained_seconds: float
    """How long the queue must have been empty."""


@dataclass(frozen=True, slots=True)
class ScaleAccepted:
    """The scaler took the target."""

    pool: str
    before: int | None
    target: int
    checked_within_seconds: float
    lease: LeaseTerms
    kind: Literal["scale_accepted"] = "scale_accepted"


class RunnersCame(StrEnum):
    """What became of a request for runners that the scaler accepted."""

    VERIFIED = "verified"
    PARTLY = "partly"
    NO_EFFECT = "no_effect"
    UNSEEN = "unseen"
    """The number of online runners is unknown, which is not zero."""


@dataclass(frozen=True, slots=True)
class RunnersChecked:
    """What came of the runners that were asked for, with the figures that show it."""

    came: RunnersCame
    pool: str
    target: int
    after_seconds: float
    """Since the scaler accepted."""
    wanted: int = 0
    """How many more runners were asked for."""
    more: int = 0
    """How many more are online."""
    online: int | None = None
    busy: int | None = None
    queued: int | None = None
    was_queued: int | None = None
    """Jobs queued when it was asked."""
    create_failures: int | None = None
    limit: int | None = None
    booting: int | None = None
    offline: int | None = None
    delivered: int | None = None
    """What the scaler itself counts."""
    trouble: str = ""
    """Why they do not come, in the scaler's own words."""
    kind: Literal["runners_checked"] = "runners_checked"


class LeaseStep(StrEnum):
    """What is said of a lease before its end."""

    ENDS_SOON = "ends_soon"
    EXTENDED = "extended"
    RETURN_ASKED = "return_asked"
    CANNOT_RETURN = "cannot_return"


class ReturnBlock(StrEnum):
    """Why nothing can be handed back now."""

    RECORDS_LOST = "records_lost"
    ACTIONS_OFF = "actions_off"
    SHADOW_MODE = "shadow_mode"
    NO_SCALER = "no_scaler"


@dataclass(frozen=True, slots=True)
class LeaseNoted:
    """Extra runners that are still there."""

    step: LeaseStep
    pool: str
    target: int
    seconds: float = 0.0
    """Until the lease ends."""
    why: ReturnBlock | None = None
    kind: Literal["lease_noted"] = "lease_noted"


class ReturnResult(StrEnum):
    """What a hand-back came to."""

    RETURNED = "returned"
    NOTHING_LEFT = "nothing_left"
    """The pool is that low already."""
    LEASED = "leased"
    """Another lease holds them."""
    MOVED = "moved"
    """Somebody else has set another level since."""


class ReturnReason(StrEnum):
    """Why extra runners are handed back."""

    ASKED = "asked"
    DRAINED = "drained"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class RunnersReturned:
    """A lease is over."""

    result: ReturnResult
    pool: str
    level: int
    """What was set until then."""
    target: int | None = None
    """What is set now; None: nothing was set."""
    last: int = 0
    """What Tailback had set last."""
    why: ReturnReason = ReturnReason.ASKED
    waiting: int | None = None
    """Jobs that still wait."""
    kind: Literal["runners_returned"] = "runners_returned"
