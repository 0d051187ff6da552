"""The keys in our messages' metadata: opaque ids only (C19)."""

from bot.core.alert import likeness
from bot.core.incident.incident import Incident

OVER = "over/"
"""Prefix of the key of a final message, whose record is not needed any more."""


def message_key(incident: Incident) -> str:
    """The key of a parent: its incident and alert group, to find it again after a loss of records."""
    return f"{incident.id}.{likeness(incident.group.source, incident.group.receiver, incident.group.group_key)}"
