"""The journal of a replay: events, messages, likeliest causes, and proposals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.incident.incident import Incident
from bot.core.pool.outlook import Score


class JournalForm(StrEnum):
    """Kinds of messages."""

    POST = "post"
    REPLY = "reply"
    EDIT = "edit"
    """Edit of a message in a channel."""
    REWORDED = "reworded"
    """Edit of a reply."""


@dataclass(frozen=True, slots=True)
class JournalMessage:
    """One message in Slack."""

    at: float
    """Epoch seconds."""
    form: JournalForm
    channel: str
    text: str
    """Complete text, as in notifications."""
    ts: str = ""
    """Timestamp of the message."""
    thread: str = ""
    """`ts` of the thread's first message; empty outside threads."""
    broadcast: bool = False
    """Whether a reply is also shown in the channel."""
    key: str = ""
    """The key in its metadata; an edit may keep the one that it has."""


@dataclass(frozen=True, slots=True)
class JournalArrival:
    """A recorded event and its outcome."""

    at: float
    """Epoch seconds."""
    what: str
    """`webhook grafana`."""
    outcome: str


@dataclass(frozen=True, slots=True)
class JournalJudgement:
    """The judgement of a pool after one measurement, as `bot/views/export/export_json.py` writes it."""

    at: float
    """Epoch seconds."""
    words: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class JournalNames:
    """A new likeliest cause of a pool and its time."""

    at: float
    pool: str
    cause: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal of Scale up."""

    at: float
    pool: str
    more: int | None
    """The fewest runners expected to be enough; None if there is no such number or no forecast."""
    current: int | None
    lines: tuple[str, ...] = ()
    """Their effect, in the words of the dialog."""


@dataclass(slots=True)
class Journal:
    """Everything in order."""

    lines: list[JournalMessage | JournalArrival | JournalJudgement] = field(default_factory=list)
    incidents: dict[str, Incident] = field(default_factory=dict)
    """The last state of each incident by id, in order of opening."""
    named: dict[str, list[JournalNames]] = field(default_factory=dict)
    """By incident."""
    proposed: dict[str, list[Proposed]] = field(default_factory=dict)
    """By incident."""
    scores: dict[str, dict[float, Score]] = field(default_factory=dict)
    """By pool, and by the time of the forecast's measurement."""
    refused: int = 0
    """Webhooks that could not be read."""
