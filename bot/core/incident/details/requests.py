"""Entries about requests that were not done, or not yet, and about diagnoses."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class RequestEnd(StrEnum):
    """Why a request was not done."""

    REFUSED = "refused"
    """A check at the moment of doing refused it."""
    FAILED = "failed"
    """The back end refused it, or was tried too often."""
    UNKNOWN = "unknown"
    """Nobody knows whether it happened."""
    CHECKING = "checking"
    """The back end did not answer, and what is true is being read back."""
    LAPSED = "lapsed"
    """Nobody approved in time."""


@dataclass(frozen=True, slots=True)
class RequestNotDone:
    """A request that was not done, or not yet."""

    how: RequestEnd
    action: str
    pool: str | None = None
    target: int | None = None
    why: str = ""
    """What the check or the back end said."""
    system: str = ""
    """The back end that did not answer."""
    waited_seconds: float = 0.0
    """How long an approval was waited for."""
    kind: Literal["request_not_done"] = "request_not_done"
