"""What the buttons offer, and what comes back: an interaction by button, dialog, command or mention, and its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.alert import digest
from bot.core.incident.incident import Incident
from bot.core.message import Block, Message


class Surface(StrEnum):
    BUTTON = "button"
    DIALOG = "dialog"
    COMMAND = "command"
    MENTION = "mention"
    SHORTCUT = "shortcut"


@dataclass(frozen=True, slots=True)
class Interaction:
    """One interaction of one person; all of it comes from outside and is checked before use."""

    name: str
    who: str
    """User id of the person who clicked or typed."""
    team: str
    """Workspace id of that person."""
    channel: str
    surface: Surface
    key: str
    """Slack's id of this interaction (trigger id, event id): the same key again is a replay."""
    request_id: str = ""
    """The button's opaque value."""
    words: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    """Inputs of a dialog, by block id."""
    step: str = ""
    """Callback id of the submitted dialog."""
    thread: str | None = None
    """`ts` of the thread's parent, if it came from a thread."""
    trigger: str = ""
    """Opens one dialog within 3 s."""
    message: str = ""
    """`ts` of the clicked message."""
    reply_url: str = field(default="", repr=False)
    """Its `response_url`, at which the person can be answered for 30 min; a secret."""
    edited: bool = False
    """Whether it is the edit of a message, which may have been carried out before: never carried out."""
    home: bool = False
    """Whether the button is in App Home, which has no channel."""
    direct: bool = False
    """Whether it is a direct message to the app, which is answered there."""
    conversation: bool = False
    """Whether it comes from a direct conversation, in which no incident can be open."""
    links: tuple[str, ...] = ()
    """The web addresses in the message of a shortcut."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The immediate, private answer; the public one follows in the thread."""

    whisper: Message | None = None
    """Shown only to the person."""
    view: Block | None = None
    """A dialog to open, or to replace the submitted one."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Problems of the dialog's inputs, by block id."""
    about: str = ""
    """The incident in whose thread the public answer follows."""
    record_lost: bool = False
    """The clicked message is unknown: its buttons should be removed."""


FITS = "yes"


class Place(StrEnum):
    BUTTON = "button"
    MENU = "menu"
    """In the overflow menu, which holds five entries; the last one is *More…*."""
    MORE = "more"
    """In the private answer to *More…*."""


@dataclass(frozen=True, slots=True)
class ButtonLabel:
    text: str
    place: Place = Place.BUTTON
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    name: str
    """The action's fixed name, and the button's action_id."""
    label: str
    request_id: str
    """The id that the button carries; see `request_id`."""
    place: Place = Place.BUTTON
    primary: bool = False


def request_id(incident: Incident, name: str) -> str:
    """The id of the next use of an action on this incident.

    It is computed, not stored: a parent posted just before a crash has the same ids as the record. Permission is
    checked on the person who clicks; the id only names the record (docs/design/storage.md#rules).
    """
    return f"{incident.id}.{digest(incident.id, name, str(incident.uses.get(name, 0)))[:12]}"


def incident_of(request_id: str) -> str:
    """The incident that a request id belongs to."""
    return request_id.partition(".")[0]


def judgement_value(incident: str, cause: str, *, fits: bool) -> str:
    """The value of a feedback button: whether this cause was the incident's."""
    return f"{incident}.{cause}.{FITS if fits else 'no'}"


def judgement_of(value: str) -> tuple[str, str, bool]:
    """(incident, cause, whether it fits); an unreadable value names no incident."""
    incident, _, rest = value.partition(".")
    cause, _, answer = rest.partition(".")
    return incident if cause else "", cause, answer == FITS


def used(incident: Incident, name: str) -> Incident:
    """The incident after somebody used an action: its button gets a new id."""
    return replace(incident, uses={**incident.uses, name: incident.uses.get(name, 0) + 1})
