"""The reminders of an incident that are not due yet, and a new one."""

from bot.core.incident.details.people import ReminderAsked
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event

MOST_REMINDERS = 5
"""Of one incident that are not due yet: more would be noise in its thread."""


def waiting(incident: Incident, now: float) -> list[ReminderAsked]:
    """Those of everybody, the next one first."""
    details = (entry.details for entry in incident.log.timeline)
    return sorted((one for one in details if isinstance(one, ReminderAsked) and one.at > now), key=lambda one: one.at)


def reminded_later(incident: Incident, who: str, now: float, seconds: float) -> Incident:
    """The incident once somebody asked to be reminded; no reply says so."""
    return noted(incident, now, Event.REMINDER, ReminderAsked(now + seconds, seconds), who=who, tell=False)
