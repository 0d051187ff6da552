"""The timeline of an incident; entries are only added."""

from dataclasses import dataclass, field, replace
from enum import Flag, StrEnum, auto
from typing import Self

from bot.core.incident.details.details import Details
from bot.core.pool.pool import Snapshot

KEPT_ENTRIES = 200
"""Maximum of entries; beyond it, old entries without an author are dropped first."""


class Role(Flag):
    END = auto()
    """Ends the incident."""
    MITIGATES = auto()
    """Changes the queue or its alert, so that the incident no longer takes its own course."""
    DONE = auto()
    """Listed under "What was done"."""
    TURN = auto()
    """Part of the summary, even without an author."""
    ASIDE = auto()
    """Not part of the summary, even with an author."""
    ELSEWHERE = auto()
    """Not among the latest actions: the parent shows it in another place, or not at all."""
    FLAPS = auto()
    """Repeated by a flapping alert, and would fill the record."""


_MITIGATION = Role.MITIGATES | Role.DONE | Role.TURN


class Event(StrEnum):
    roles: Role

    def __new__(cls, value: str, roles: Role = Role(0)) -> Self:  # noqa: B008 - flags never change
        member = str.__new__(cls, value)
        member._value_, member.roles = value, roles
        return member

    OPENED = "opened", Role.TURN | Role.ELSEWHERE
    JOINED = "joined", Role.ELSEWHERE | Role.FLAPS
    REOPENED = "reopened", Role.TURN
    ALERT_RESOLVED = "alert_resolved", Role.TURN | Role.ELSEWHERE | Role.FLAPS
    EASING = "easing", Role.ELSEWHERE | Role.FLAPS
    WORSE = "worse", Role.ELSEWHERE | Role.FLAPS
    STATUS = "status", Role.ELSEWHERE
    DRAINED = "drained", Role.END | Role.ELSEWHERE
    RESOLVED_BY_HAND = "resolved_by_hand", Role.END | Role.DONE
    ACKED = "acked", Role.DONE | Role.ELSEWHERE
    UNACKED = "unacked", Role.ELSEWHERE
    HANDED_OVER = "handed_over", Role.DONE | Role.ELSEWHERE
    HANDOVER_DECLINED = "handover_declined", Role.DONE | Role.ELSEWHERE
    REMINDER = "reminder", Role.ASIDE | Role.ELSEWHERE
    REQUESTED = "requested", Role.ASIDE
    SILENCED = "silenced", _MITIGATION
    UNSILENCED = "unsilenced", _MITIGATION
    SCALED = "scaled", _MITIGATION
    DIAGNOSED = "diagnosed", Role.ASIDE
    MUTED = "muted", Role.ASIDE
    UNMUTED = "unmuted", Role.ASIDE
    ESCALATED = "escalated", Role.TURN | Role.ELSEWHERE
    CALLED = "called", Role.DONE | Role.TURN | Role.ELSEWHERE
    """Somebody escalated it by hand."""
    APPROVAL = "approval"
    """An approval was requested, given, declined, or has expired."""
    VERIFIED = "verified", Role.DONE | Role.TURN
    LEASE = "lent", Role.DONE | Role.TURN
    """A lease: its end is near, was extended, or its runners were returned."""
    CHARTED = "charted", Role.ASIDE | Role.ELSEWHERE
    FAILED = "failed", Role.TURN
    NOTED = "noted", Role.FLAPS


class Decision(StrEnum):
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
    who: str | None = None
    """User id of the author; None for Tailback or the alert source."""
    decisions: tuple[Decision, ...] = ()
    figures: tuple[Snapshot, ...] = ()
    """The pools' figures then, for the table below the text."""
    broadcast: bool = False
    """Also shown in the channel: only escalated, drained and fired again (docs/design/slack.md#message-budget)."""
    whom: str | None = None
    """User id of another person whom the entry names or notifies."""
    about: str = ""
    """The request that the reply's buttons decide."""
    choices: tuple[str, ...] = ()
    """The actions of those buttons, while available."""
    ts: str = ""
    """Where the reply stands, while it still has to be edited: for its buttons."""
    request: str = ""
    answered: bool = False
    """For a request: a later entry has its result."""
    see: str = ""
    """Link of the early warning."""
    plain: bool = False
    """Whether Slack refused the blocks of its reply, so that it is sent as text."""


def shortened(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Drop the oldest entries beyond the limit: status first, then flapping; actions always stay."""
    excess = len(entries) - KEPT_ENTRIES
    if excess <= 0:
        return entries
    status = [entry.number for entry in entries if entry.event is Event.STATUS]
    others = [entry.number for entry in entries if Role.FLAPS in entry.event.roles and entry.who is None]
    dropped = set([*status, *others][:excess])
    return tuple(entry for entry in entries if entry.number not in dropped)


@dataclass(frozen=True, slots=True)
class IncidentLog:
    """What happened, and what of it Slack has not shown yet."""

    timeline: tuple[Entry, ...] = ()
    entries: int = 0
    """Number of timeline entries ever written."""
    outbox: tuple[int, ...] = ()
    """Numbers of entries not yet posted in the thread, oldest first."""
    redraw: tuple[int, ...] = ()
    """Numbers of entries whose reply must be edited, because its buttons are decided."""

    def entry(self, number: int) -> Entry | None:
        """The entry with that number; None when it was dropped."""
        return next((entry for entry in self.timeline if entry.number == number), None)

    def rewritten(self, entry: Entry) -> "IncidentLog":
        return replace(self, timeline=tuple(entry if one.number == entry.number else one for one in self.timeline))

    def reply_posted(self, number: int) -> "IncidentLog":
        return replace(self, outbox=tuple(n for n in self.outbox if n != number))

    def answered(self, request: str) -> "IncidentLog":
        """The entries after a request's result was added; its first entry refers to that."""
        known = tuple(replace(one, answered=True) if one.request == request else one for one in self.timeline)
        return replace(self, timeline=known)

    def shown_anew(self, entry: Entry) -> "IncidentLog":
        """The same, and its reply has to be edited if it stands already."""
        log = self.rewritten(entry)
        return log.to_redraw(entry.number) if entry.ts else log

    def to_redraw(self, number: int) -> "IncidentLog":
        return self if number in self.redraw else replace(self, redraw=(*self.redraw, number))

    def redrawn(self, number: int) -> "IncidentLog":
        return replace(self, redraw=tuple(n for n in self.redraw if n != number))
