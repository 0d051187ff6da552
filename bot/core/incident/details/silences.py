"""Entries about silences."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class SilenceStep(StrEnum):
    """What is said of a silence that goes on or is wanted."""

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
class Silencing:
    """A silence, how long it goes on, and what ends it sooner."""

    step: SilenceStep
    seconds: float = 0.0
    until_drained: bool = False
    above: int | None = None
    """It ends as soon as more jobs than this wait."""
    alertmanager: str = ""
    kind: Literal["silencing"] = "silencing"


class SilenceEnd(StrEnum):
    """How a silence ends."""

    ASKED = "asked"
    NOT_ENDED = "not_ended"
    """Shadow mode."""
    ENDED = "ended"
    RAN_OUT = "ran_out"
    ENDED_ELSEWHERE = "ended_elsewhere"
    LOST = "lost"
    """The Alertmanager does not know it any more."""


class EndReason(StrEnum):
    """Why Tailback ends a silence before its time."""

    DRAINED = "drained"
    INCIDENT_OVER = "incident_over"
    NOT_MEASURED = "not_measured"
    """The incident is over, and nobody measures the queue any more."""
    TOO_MANY_JOBS = "too_many_jobs"


@dataclass(frozen=True, slots=True)
class ActiveSilence:
    """A silence that goes on, as it was seen at one moment."""

    ends_at: float
    seconds: float
    """From that moment to its end."""
    until_drained: bool = False
    above: int | None = None


@dataclass(frozen=True, slots=True)
class SilenceEnded:
    """A silence is over, or is to be."""

    how: SilenceEnd
    why: EndReason | None = None
    waiting: int | None = None
    """Jobs that wait, when there are too many."""
    above: int | None = None
    other: ActiveSilence | None = None
    """Another one that goes on."""
    alertmanager: str = ""
    kind: Literal["silence_ended"] = "silence_ended"
