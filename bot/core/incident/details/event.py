"""The kinds of timeline entries, and what each means to decisions and views that look back."""

from enum import Flag, StrEnum, auto
from typing import Self


class Role(Flag):
    END = auto()
    """Ends the incident."""
    MITIGATES = auto()
    """Changes the queue or its alert, so that the incident no longer takes its own course."""
    DONE = auto()
    """Listed under "What was done"."""
    TURN = auto()
    """Part of the summary, even without an author."""
    ASIDE = auto()
    """Not part of the summary, even with an author."""
    ELSEWHERE = auto()
    """Not among the latest actions: the parent shows it in another place, or not at all."""
    FLAPS = auto()
    """Repeated by a flapping alert, and would fill the record."""


_MITIGATION = Role.MITIGATES | Role.DONE | Role.TURN


class Event(StrEnum):
    roles: Role

    def __new__(cls, value: str, roles: Role = Role(0)) -> Self:  # noqa: B008 - flags never change
        """The stored value, and the roles of the entries."""
        member = str.__new__(cls, value)
        member._value_, member.roles = value, roles
        return member

    OPENED = "opened", Role.TURN | Role.ELSEWHERE
    JOINED = "joined", Role.ELSEWHERE | Role.FLAPS
    REOPENED = "reopened", Role.TURN
    ALERT_RESOLVED = "alert_resolved", Role.TURN | Role.ELSEWHERE | Role.FLAPS
    EASING = "easing", Role.ELSEWHERE | Role.FLAPS
    WORSE = "worse", Role.ELSEWHERE | Role.FLAPS
    STATUS = "status", Role.ELSEWHERE
    DRAINED = "drained", Role.END | Role.ELSEWHERE
    RESOLVED_BY_HAND = "resolved_by_hand", Role.END | Role.DONE
    ACKED = "acked", Role.DONE | Role.ELSEWHERE
    UNACKED = "unacked", Role.ELSEWHERE
    REQUESTED = "requested", Role.ASIDE
    SILENCED = "silenced", _MITIGATION
    UNSILENCED = "unsilenced", _MITIGATION
    SCALED = "scaled", _MITIGATION
    DIAGNOSED = "diagnosed", Role.ASIDE
    MUTED = "muted", Role.ASIDE
    UNMUTED = "unmuted", Role.ASIDE
    ESCALATED = "escalated", Role.TURN | Role.ELSEWHERE
    APPROVAL = "approval"
    """An approval was requested, given, declined, or has expired."""
    VERIFIED = "verified", Role.DONE | Role.TURN
    LEASE = "lent", Role.DONE | Role.TURN
    """A lease: its end is near, was extended, or its runners were returned."""
    CHARTED = "charted", Role.ASIDE | Role.ELSEWHERE
    FAILED = "failed", Role.TURN
    NOTED = "noted", Role.FLAPS
