"""The actions that an incident's buttons offer, and ids that make one click one effect."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.alert import digest
from bot.core.incident.incident import Incident

FITS = "yes"


class Place(StrEnum):
    BUTTON = "button"
    MORE = "more"
    """In the overflow menu."""


@dataclass(frozen=True, slots=True)
class ButtonLabel:
    text: str
    place: Place = Place.BUTTON
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    name: str
    """The action's fixed name, and the button's action_id."""
    label: str
    request_id: str
    """The id that the button carries; see `request_id`."""
    place: Place = Place.BUTTON
    primary: bool = False


def request_id(incident: Incident, name: str) -> str:
    """The id of the next use of an action on this incident.

    It is computed, not stored: a parent posted just before a crash has the same ids as the record. Permission is
    checked on the person who clicks; the id only names the record (docs/design/storage.md#rules).
    """
    return f"{incident.id}.{digest(incident.id, name, str(incident.uses.get(name, 0)))[:12]}"


def incident_of(request_id: str) -> str:
    """The incident that a request id belongs to."""
    return request_id.partition(".")[0]


def judgement_value(incident: str, cause: str, *, fits: bool) -> str:
    """The value of a feedback button: whether this cause was the incident's."""
    return f"{incident}.{cause}.{FITS if fits else 'no'}"


def judgement_of(value: str) -> tuple[str, str, bool]:
    """(incident, cause, whether it fits); an unreadable value names no incident."""
    incident, _, rest = value.partition(".")
    cause, _, answer = rest.partition(".")
    return incident if cause else "", cause, answer == FITS


def used(incident: Incident, name: str) -> Incident:
    """The incident after somebody used an action: its button gets a new id."""
    return replace(incident, uses={**incident.uses, name: incident.uses.get(name, 0) + 1})
