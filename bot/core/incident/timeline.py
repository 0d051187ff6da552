"""What happened in an incident, in order, for people; entries are only ever added."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.incident.details.details import Details
from bot.core.incident.details.event import Event as Event  # noqa: PLC0414 - a part of an entry
from bot.core.pool.pool import Snapshot

KEPT_ENTRIES = 200
"""Older entries that nobody caused go first when an incident talks longer than this."""

UPS_AND_DOWNS = frozenset({Event.JOINED, Event.ALERT_RESOLVED, Event.EASING, Event.WORSE, Event.NOTED})
"""What an alert that flaps for days would fill a record with."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a reply shows."""

    file: str
    """Slack's id of the upload."""
    alt: str
    """The same in words."""


class Decision(StrEnum):
    """What became of the buttons below a reply."""

    APPROVED = "approved"
    DECLINED = "declined"
    EXTENDED = "extended"
    ENDS_SOON = "ends_soon"
    """A later reply says that the silence ends soon, and has the buttons."""
    RAN_OUT = "ran_out"
    SETTLED = "settled"
    """A later reply tells what came of it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened; its words are in `bot/views/words/timeline.py`."""

    number: int
    """Counts up from 1 inside one incident; marks the entry's reply in the thread."""
    at: float
    """Epoch seconds."""
    event: Event
    details: Details | None = field(default=None, metadata={"discriminator": "kind"})
    """What it tells beside the event; None when the event says it all."""
    who: str | None = None
    """User id of the person who did it; None when Tailback or the alert source did."""
    decisions: tuple[Decision, ...] = ()
    """What became of its buttons, oldest first."""
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
    request: str = ""
    """The request that it says was made."""
    answered: bool = False
    """Of a request: a later entry tells what came of it."""
    see: str = ""
    """Address of the early warning that it tells of."""


def answered(entries: tuple[Entry, ...], request: str) -> tuple[Entry, ...]:
    """The entries after what came of a request was told: the entry that says that it was made knows that."""
    return tuple(replace(entry, answered=True) if entry.request == request else entry for entry in entries)


def shortened(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Drop the oldest entries beyond the limit, status first, then the ups and downs; what was done always stays."""
    excess = len(entries) - KEPT_ENTRIES
    if excess <= 0:
        return entries
    status = [entry.number for entry in entries if entry.event is Event.STATUS]
    others = [entry.number for entry in entries if entry.event in UPS_AND_DOWNS and entry.who is None]
    dropped = set([*status, *others][:excess])
    return tuple(entry for entry in entries if entry.number not in dropped)
