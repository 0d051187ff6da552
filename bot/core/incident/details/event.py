"""The kinds of timeline entries."""

from enum import StrEnum


class Event(StrEnum):
    """What an entry tells of."""

    OPENED = "opened"
    JOINED = "joined"
    REOPENED = "reopened"
    ALERT_RESOLVED = "alert_resolved"
    EASING = "easing"
    WORSE = "worse"
    STATUS = "status"
    DRAINED = "drained"
    RESOLVED_BY_HAND = "resolved_by_hand"
    ACKED = "acked"
    REQUESTED = "requested"
    SILENCED = "silenced"
    UNSILENCED = "unsilenced"
    SCALED = "scaled"
    DIAGNOSED = "diagnosed"
    MUTED = "muted"
    UNMUTED = "unmuted"
    ESCALATED = "escalated"
    APPROVAL = "approval"
    """A second person was asked, agreed, declined, or never answered."""
    VERIFIED = "verified"
    """Whether what was asked for has come."""
    LENT = "lent"
    """Extra capacity: its end is near, was put off, or it was handed back."""
    CHARTED = "charted"
    """The queue so far, as bars and as a picture."""
    FAILED = "failed"
    NOTED = "noted"


UPS_AND_DOWNS = frozenset({Event.JOINED, Event.ALERT_RESOLVED, Event.EASING, Event.WORSE, Event.NOTED})
"""What an alert that flaps for days would fill a record with."""
