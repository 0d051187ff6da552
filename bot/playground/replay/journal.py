"""What a replay writes down as it goes: what came in, what was said, what it was put down to, and what was proposed."""

from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.forecast.outlook import Score
from bot.core.incident.incident import Incident


class JournalForm(StrEnum):
    """How something was said."""

    POST = "post"
    REPLY = "reply"
    EDIT = "edit"
    """Of a message that stands in a channel."""
    REWORDED = "reworded"
    """Of a reply."""
    WHISPER = "whisper"


@dataclass(frozen=True, slots=True)
class JournalMessage:
    """One thing that was said in Slack."""

    at: float
    """Epoch seconds."""
    form: JournalForm
    channel: str
    text: str
    """Complete by itself, as Slack's notifications read it."""
    ts: str = ""
    """Of the message; empty for a whisper."""
    thread: str = ""
    """`ts` of the first message of the thread in which it stands; empty outside of threads."""
    whom: str = ""
    """Who alone hears a whisper."""
    broadcast: bool = False
    """A reply that is also shown in the channel."""


@dataclass(frozen=True, slots=True)
class JournalArrival:
    """Something from the recording, and what became of it."""

    at: float
    """Epoch seconds."""
    what: str
    """`webhook grafana`, or who asked for what."""
    outcome: str


@dataclass(frozen=True, slots=True)
class JournalNames:
    """From when on another cause was the likeliest one of a pool."""

    at: float
    pool: str
    cause: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """What Scale up would have proposed."""

    at: float
    pool: str
    more: int | None
    """The fewest added runners that were expected to be enough; None: no number was, or nothing could be foreseen."""
    current: int | None
    lines: tuple[str, ...] = ()
    """What they would do, as the person is told who asks."""


@dataclass(slots=True)
class Journal:
    """Everything, in the order in which it happened."""

    lines: list[JournalMessage | JournalArrival] = field(default_factory=list)
    incidents: dict[str, Incident] = field(default_factory=dict)
    """As they were last seen, by id, in the order in which they opened."""
    named: dict[str, list[JournalNames]] = field(default_factory=dict)
    """By incident."""
    proposed: dict[str, list[Proposed]] = field(default_factory=dict)
    """By incident."""
    scores: dict[str, dict[float, Score]] = field(default_factory=dict)
    """By pool, and by the time of the measurement that a forecast was made from."""
    refused: int = 0
    """Webhooks that could not be read."""
