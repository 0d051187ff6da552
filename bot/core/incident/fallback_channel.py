"""Moves an incident to the fallback channel while its own channel cannot be used, and back.

See docs/explanation/promises.md#what-slack-errors-do.
"""

from dataclasses import replace

from bot.core.incident.details.general import Note, Noted
from bot.core.incident.incident import Incident, Thread, noted
from bot.core.incident.timeline import Event

RETURN_SECONDS = 3600.0
"""How often the incident's own channel is tried again."""


def moved(incident: Incident, channel: str, now: float) -> Incident:
    """The incident in the fallback channel, with a new thread."""
    old = incident.thread
    own = old.instead_of or old.channel
    thread = Thread(channel, instead_of=own, mention=old.mention, plain=old.plain, tried_home_at=now, left=old.left)
    return replace(incident, thread=thread)


def return_due(incident: Incident, now: float) -> bool:
    """Whether its own channel should be tried again."""
    thread = incident.thread
    return not incident.closed and thread.instead_of is not None and now - thread.tried_home_at >= RETURN_SECONDS


def in_own_channel(incident: Incident) -> Incident:
    """The incident as in its own channel; the mention has been made already."""
    old = incident.thread
    return replace(incident, thread=Thread(old.instead_of or old.channel, plain=old.plain))


def returned(incident: Incident, ts: str, shown: str, now: float) -> Incident:
    """Slack confirmed the new first message; the one in the fallback channel must still point to it."""
    old = incident.thread
    own = replace(in_own_channel(incident).thread, root=ts, shown=shown, shown_at=now)
    left = (old.channel, old.root) if old.root else None
    back = replace(incident, thread=replace(own, left=left), trouble=incident.trouble.over())
    return noted(back, now, Event.NOTED, Noted(Note.BACK_IN_CHANNEL))
