"""Entries about silences."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


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
    """Another active silence."""
    alertmanager: str = ""
    kind: Literal["silence_ended"] = "silence_ended"
