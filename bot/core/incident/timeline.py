"""What happened in an incident, in order, for people; entries are only ever added."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.pool.pool import Snapshot
from bot.core.statement import Line

KEPT_ENTRIES = 200
"""Older entries that nobody caused go first when an incident talks longer than this."""

SAME_SECONDS = 0.5
"""A request and its timeline entry are written in one change, and read the clock one after the other."""


class Event(StrEnum):
    """What an entry tells of."""

    OPENED = "opened"
    JOINED = "joined"
    REOPENED = "reopened"
    ALERT_RESOLVED = "alert_resolved"
    EASING = "easing"
    WORSE = "worse"
    STATUS = "status"
    DRAINED = "drained"
    RESOLVED_BY_HAND = "resolved_by_hand"
    ACKED = "acked"
    REQUESTED = "requested"
    SILENCED = "silenced"
    UNSILENCED = "unsilenced"
    SCALED = "scaled"
    DIAGNOSED = "diagnosed"
    MUTED = "muted"
    UNMUTED = "unmuted"
    ESCALATED = "escalated"
    APPROVAL = "approval"
    """A second person was asked, agreed, declined, or never answered."""
    VERIFIED = "verified"
    """Whether what was asked for has come."""
    LENT = "lent"
    """Extra capacity: its end is near, was put off, or it was handed back."""
    CHARTED = "charted"
    """The queue so far, as bars and as a picture."""
    FAILED = "failed"
    NOTED = "noted"


UPS_AND_DOWNS = frozenset({Event.JOINED, Event.ALERT_RESOLVED, Event.EASING, Event.WORSE, Event.NOTED})
"""What an alert that flaps for days would fill a record with."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a reply shows."""

    file: str
    """Slack's id of the upload."""
    alt: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened; `text` is plain words; they and the `lines` are drawn and escaped by the views."""

    number: int
    """Counts up from 1 inside one incident; marks the entry's reply in the thread."""
    at: float
    """Epoch seconds."""
    event: Event
    text: str
    who: str | None = None
    """User id of the person who did it; None when Tailback or the alert source did."""
    lines: tuple[Line, ...] = ()
    figures: tuple[Snapshot, ...] = ()
    """Pools as they were then, for the table below the text."""
    broadcast: bool = False
    """Also shown in the channel: only opened, worse and resolved (docs/design/slack.md#message-budget)."""
    whom: str | None = None
    """User id of somebody else whom the entry names at its end, or tells."""
    about: str = ""
    """The request that the buttons below this entry's reply decide on; see `core/choice.py`."""
    choices: tuple[str, ...] = ()
    """Names of the actions that those buttons ask for, while they can still be asked for."""
    ts: str = ""
    """Where the reply stands, while it still has to be edited: for its buttons or for its picture."""
    chart: bool = False
    """Whether a picture of the queue belongs to the reply; it joins later, and the reply never waits for it."""
    picture: Picture | None = None
    """That picture, once it is there to be shown."""
    answered: bool = False
    """Of a request: a later entry tells what came of it."""
    see: str = ""
    """Address of the early warning that it tells of."""


def answered(entries: tuple[Entry, ...], who: str | None, asked_at: float) -> tuple[Entry, ...]:
    """The entries after what came of a request was told: the entry that says that it was made knows that."""

    def meant(entry: Entry) -> bool:
        return entry.event is Event.REQUESTED and entry.who == who and abs(entry.at - asked_at) < SAME_SECONDS

    return tuple(replace(entry, answered=True) if meant(entry) else entry for entry in entries)


def shortened(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Drop the oldest entries beyond the limit, status first, then the ups and downs; what was done always stays."""
    excess = len(entries) - KEPT_ENTRIES
    if excess <= 0:
        return entries
    status = [entry.number for entry in entries if entry.event is Event.STATUS]
    others = [entry.number for entry in entries if entry.event in UPS_AND_DOWNS and entry.who is None]
    dropped = set([*status, *others][:excess])
    return tuple(entry for entry in entries if entry.number not in dropped)
