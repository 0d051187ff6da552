"""The timeline of an incident; entries are only added."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.incident.details.details import Details
from bot.core.incident.details.event import Event as Event  # noqa: PLC0414 - a part of an entry
from bot.core.incident.details.event import Role as Role  # noqa: PLC0414 - the same
from bot.core.pool.pool import Snapshot

KEPT_ENTRIES = 200
"""Maximum of entries; beyond it, old entries without an author are dropped first."""


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
    """Decisions on its buttons, oldest first."""
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

    def with_entry(self, entry: Entry, *, tell: bool) -> "IncidentLog":
        """One more entry; `tell` also puts it into the outbox, to become a reply in the thread."""
        return replace(
            self,
            entries=entry.number,
            timeline=shortened((*self.timeline, entry)),
            outbox=(*self.outbox, entry.number) if tell else self.outbox,
        )

    def rewritten(self, entry: Entry) -> "IncidentLog":
        """This entry in the place of the one with its number."""
        return replace(self, timeline=tuple(entry if one.number == entry.number else one for one in self.timeline))

    def reply_posted(self, number: int) -> "IncidentLog":
        """An entry was posted in the thread."""
        return replace(self, outbox=tuple(n for n in self.outbox if n != number))

    def answered(self, request: str) -> "IncidentLog":
        """The entries after a request's result was added; its first entry refers to that."""
        known = tuple(replace(one, answered=True) if one.request == request else one for one in self.timeline)
        return replace(self, timeline=known)

    def to_redraw(self, number: int) -> "IncidentLog":
        """An entry's reply has to be edited."""
        return self if number in self.redraw else replace(self, redraw=(*self.redraw, number))

    def redrawn(self, number: int) -> "IncidentLog":
        """An entry's reply shows what it should."""
        return replace(self, redraw=tuple(n for n in self.redraw if n != number))
