"""A person's interaction by button, dialog, command or mention, and the private answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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
    home: bool = False
    """Whether the button is in App Home, which has no channel."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The immediate, private answer; the public one follows in the thread."""

    whisper: Message | None = None
    """Shown only to the person."""
    view: Block | None = None
    """A dialog to open, or to replace the submitted one."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Problems of the dialog's inputs, by block id."""
    record_lost: bool = False
    """The clicked message is unknown: its buttons should be removed."""
