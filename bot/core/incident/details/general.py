"""Entries about alerts and people, and those of older releases."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from bot.core.incident.details.silences import Coverage


@dataclass(frozen=True, slots=True)
class PlainText:
    """Unchanged text: what a person wrote, or the sentence of an older release's entry."""

    text: str
    lines: tuple[str, ...] = ()
    quoted: bool = False
    """The entry's author wrote it."""
    kind: Literal["text"] = "text"


class Note(StrEnum):
    QUEUE_FILLS = "queue_fills"
    """Jobs queue again while the alert fires."""
    NEW_THREAD = "new_thread"
    """The first message was deleted."""
    BACK_IN_CHANNEL = "back_in_channel"
    """It returned from the fallback channel."""
    RECORDS_LOST = "records_lost"
    """Its thread was in Slack without a record."""


@dataclass(frozen=True, slots=True)
class Noted:
    note: Note
    kind: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class AlertFired:
    title: str
    introduced: bool = True
    kind: Literal["alert_fired"] = "alert_fired"


@dataclass(frozen=True, slots=True)
class Introduced:
    """The thread's first reply; the entry's figures are the affected pools."""

    named: bool = True
    others: int = 0
    """Measured pools without a queue of their own."""
    others_queued: int = 0
    unread: Mapping[str, str] = field(default_factory=dict)
    """Pool without figures → why; empty: not measured yet."""
    kind: Literal["introduced"] = "introduced"


@dataclass(frozen=True, slots=True)
class AlertOddities:
    """How the first delivery departs from its schema."""

    problems: tuple[str, ...]
    kind: Literal["alert_oddities"] = "alert_oddities"


@dataclass(frozen=True, slots=True)
class AlertsJoined:
    """Names of alerts of the group that started firing."""

    new: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()
    """Known alerts whose metrics source has no data any more."""
    coverage: Coverage | None = None
    """How many of all are silenced; None: no silence is active."""
    kind: Literal["alerts_joined"] = "alerts_joined"


@dataclass(frozen=True, slots=True)
class AlertResolved:
    measured: bool
    """Whether the queue is still measured."""
    kind: Literal["alert_resolved"] = "alert_resolved"


@dataclass(frozen=True, slots=True)
class FiredAgain:
    """The group fired again, this long after the incident's end."""

    after_seconds: float
    kind: Literal["fired_again"] = "fired_again"


@dataclass(frozen=True, slots=True)
class Escalated:
    """Nobody acknowledged in time."""

    waited_seconds: float
    kind: Literal["escalated"] = "escalated"


@dataclass(frozen=True, slots=True)
class Paged:
    """A pager outside Slack was notified, or could not be."""

    pager: str
    problem: str = ""
    kind: Literal["paged"] = "paged"


@dataclass(frozen=True, slots=True)
class EarlyWarningGiven:
    """An early warning was posted this long before the alert."""

    pool: str
    before_seconds: float
    kind: Literal["foreseen"] = "foreseen"
