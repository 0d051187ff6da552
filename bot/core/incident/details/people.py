"""Entries about who owns the incident."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Somebody made another person the owner."""

    to: str
    """User id."""
    before: str | None = None
    """User id of the owner until then; None: nobody owned it."""
    note: str = ""
    kind: Literal["handed_over"] = "handed_over"


@dataclass(frozen=True, slots=True)
class HandoverDeclined:
    """The entry's author did not take what was handed over."""

    back_to: str | None
    """User id of the owner again; None: nobody owns it."""
    kind: Literal["handover_declined"] = "handover_declined"


@dataclass(frozen=True, slots=True)
class ReminderAsked:
    """The entry's author wants to be reminded, unless the queue has drained."""

    at: float
    """Epoch seconds."""
    seconds: float
    """From the request on."""
    kind: Literal["reminder_asked"] = "reminder_asked"


@dataclass(frozen=True, slots=True)
class Escalation:
    """A person called others: the group that was called at the opening, or a pager."""

    pager: str = ""
    """Its name in the configuration; empty: the group."""
    page: str = ""
    """The id of the pager's record."""
    kind: Literal["escalation"] = "escalation"
