"""What a person asks by button, dialog, command or mention, and what that person alone is answered at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.message import Block, Message


class Surface(StrEnum):
    """Where somebody asked."""

    BUTTON = "button"
    DIALOG = "dialog"
    COMMAND = "command"
    MENTION = "mention"
    SHORTCUT = "shortcut"


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request of one person; everything in it came from outside and is believed only after checks."""

    name: str
    """The action's fixed name."""
    who: str
    """User id of the person who clicked or typed."""
    team: str
    """Workspace id of that person."""
    channel: str
    surface: Surface
    key: str
    """What Slack gave this very request (trigger id, event id): the same key again is a replay."""
    request_id: str = ""
    """The button's opaque value."""
    words: tuple[str, ...] = ()
    """What stood behind the verb."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Inputs of a dialog, by block id."""
    step: str = ""
    """Callback id of the dialog that was submitted."""
    thread: str | None = None
    """`ts` of the thread's parent, when the request came from inside a thread."""
    trigger: str = ""
    """Opens one dialog within 3 s."""
    message: str = ""
    """`ts` of the message whose button was pressed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person sees at once; what everybody sees comes later, in the thread."""

    whisper: Message | None = None
    """Shown to the person alone."""
    view: Block | None = None
    """A dialog to open, or to put in place of the one that was submitted."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """What is wrong with the dialog's inputs, by block id."""
    forgotten: bool = False
    """Nothing is known of the message whose button was pressed: its buttons should go."""
