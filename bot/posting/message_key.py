"""The keys that our messages carry in their metadata: whose they are, by opaque ids alone."""

from bot.core.alert import likeness
from bot.core.incident.incident import Incident

OVER = "over/"
"""Begins the key of a message that is final: its record is not needed to keep it up to date."""


def message_key(incident: Incident) -> str:
    """The key of a thread's first message: its incident and the alert group, so that a lost record is found again."""
    return f"{incident.id}.{likeness(incident.source, incident.receiver, incident.group_key)}"
