"""The kinds of timeline entries."""

from enum import StrEnum


class Event(StrEnum):
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
    UNACKED = "unacked"
    REQUESTED = "requested"
    SILENCED = "silenced"
    UNSILENCED = "unsilenced"
    SCALED = "scaled"
    DIAGNOSED = "diagnosed"
    MUTED = "muted"
    UNMUTED = "unmuted"
    ESCALATED = "escalated"
    APPROVAL = "approval"
    """An approval was requested, given, declined, or has expired."""
    VERIFIED = "verified"
    LENT = "lent"
    """A lease: its end is near, was extended, or its runners were returned."""
    CHARTED = "charted"
    FAILED = "failed"
    NOTED = "noted"


UPS_AND_DOWNS = frozenset({Event.JOINED, Event.ALERT_RESOLVED, Event.EASING, Event.WORSE, Event.NOTED})
"""Entries of a flapping alert, which would fill the record."""
