"""The timeline of an incident; entries are only added."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.incident.details.details import Details
from bot.core.incident.details.event import Event as Event  # noqa: PLC0414 - a part of an entry
from bot.core.pool.pool import Snapshot

KEPT_ENTRIES = 200
"""Maximum of entries; beyond it, old entries without an author are dropped first."""

UPS_AND_DOWNS = frozenset({Event.JOINED, Event.ALERT_RESOLVED, Event.EASING, Event.WORSE, Event.NOTED})
"""Entries of a flapping alert, which would fill the record."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart in a reply."""

    file: str
    """Slack's id of the upload."""
    alt: str
    """Its content in words."""


class Decision(StrEnum):
    """The decision on a reply's buttons."""

    APPROVED = "approved"
    DECLINED = "declined"
    EXTENDED = "extended"
    ENDS_SOON = "ends_soon"
    """A later reply says that the silence ends soon, and has the buttons."""
    RAN_OUT = "ran_out"
    SETTLED = "settled"
    """A later reply has the result."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event; its words are in `bot/views/words/timeline.py`."""

    number: int
    """Counts from 1 within an incident; marks the entry's reply in the thread."""
    at: float
    """Epoch seconds."""
    event: Event
    details: Details | None = field(default=None, metadata={"discriminator": "kind"})
    """Details of the event; None if there are none."""
    who: str | None = None
    """User id of the author; None for Tailback or the alert source."""
    decisions: tuple[Decision, ...] = ()
    """Decisions on its buttons, oldest first."""
    figures: tuple[Snapshot, ...] = ()
    """The pools' figures then, for the table below the text."""
    broadcast: bool = False
    """Also shown in the channel: only opened, worse and resolved (docs/design/slack.md#message-budget)."""
    whom: str | None = None
    """User id of another person whom the entry names or notifies."""
    about: str = ""
    """The request that the reply's buttons decide."""
    choices: tuple[str, ...] = ()
    """The actions of those buttons, while available."""
    ts: str = ""
    """The reply's `ts`, while it may still be edited."""
    chart: bool = False
    """Whether the reply gets a chart; it is added later, and the reply never waits for it."""
    picture: Picture | None = None
    """The chart, once it is ready."""
    request: str = ""
    """The request that it reports."""
    answered: bool = False
    """For a request: a later entry has its result."""
    see: str = ""
    """Link of the early warning."""


def answered(entries: tuple[Entry, ...], request: str) -> tuple[Entry, ...]:
    """The entries after a request's result was added; its first entry refers to that."""
    return tuple(replace(entry, answered=True) if entry.request == request else entry for entry in entries)


def shortened(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Drop the oldest entries beyond the limit: status first, then flapping; actions always stay."""
    excess = len(entries) - KEPT_ENTRIES
    if excess <= 0:
        return entries
    status = [entry.number for entry in entries if entry.event is Event.STATUS]
    others = [entry.number for entry in entries if entry.event in UPS_AND_DOWNS and entry.who is None]
    dropped = set([*status, *others][:excess])
    return tuple(entry for entry in entries if entry.number not in dropped)
