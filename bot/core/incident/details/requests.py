"""Entries about requests that were not done, or not yet, and about diagnoses."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


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
