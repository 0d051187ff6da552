"""The picture of a reply: wanted with the entry, made beside it, and hung into the reply that already stands."""

from dataclasses import dataclass, replace

from bot.core.incident.incident import Incident, rewritten
from bot.core.incident.timeline import Picture

SETTLES = (2.0, 10.0, 30.0)
"""Seconds after an upload until its picture is offered, the first, second and third time: Slack looks through a file
before messages may show it, and refuses the message until then (slackapi/python-slack-sdk#1521)."""


@dataclass(frozen=True, slots=True)
class ChartRecord:
    """The making of one picture."""

    id: str
    """Incident and entry number, with a dot between."""
    file: str = ""
    """Slack's id of the upload; it stands in no channel, so that a second one after a crash is seen by nobody."""
    alt: str = ""
    """What it shows, in words."""
    uploaded_at: float = 0.0
    offered: int = 0
    """How often the reply was given the picture."""
    tries: int = 0
    """Failures to draw or upload it."""


def sketch_id(incident: str, number: int) -> str:
    """The id of the sketch for one entry."""
    return f"{incident}.{number}"


def entry_of(sketch: str) -> tuple[str, int]:
    """The incident and the entry that a sketch is for; entry 0 does not exist."""
    incident, _, number = sketch.rpartition(".")
    return incident, int(number) if number.isdigit() else 0


def charting(incident: Incident) -> Incident:
    """The incident whose newest entry is to have a picture."""
    return rewritten(incident, replace(incident.timeline[-1], chart=True))


def standing(incident: Incident, number: int, ts: str) -> Incident:
    """Slack confirmed a reply to which a picture belongs: now it is made."""
    entry = incident.entry(number)
    if entry is None:
        return incident
    charts = incident.charts if number in incident.charts else (*incident.charts, number)
    return replace(rewritten(incident, replace(entry, ts=ts)), charts=charts)


def hung(incident: Incident, number: int, picture: Picture) -> Incident:
    """The picture is there: the reply is edited to show it."""
    entry = incident.entry(number)
    if entry is None or number not in incident.charts:
        return without(incident, number)
    redraw = incident.redraw if number in incident.redraw else (*incident.redraw, number)
    return replace(without(rewritten(incident, replace(entry, picture=picture)), number), redraw=redraw)


def without(incident: Incident, number: int) -> Incident:
    """No picture is made for that entry any more."""
    return replace(incident, charts=tuple(n for n in incident.charts if n != number))


def turned_down(incident: Incident, number: int) -> Incident:
    """Slack does not show the picture, or not yet: the reply stays as it stands, and its sketch decides."""
    entry = incident.entry(number)
    redraw = tuple(n for n in incident.redraw if n != number)
    after = replace(incident, redraw=redraw)
    if entry is None:
        return after
    if entry.about:
        after = replace(after, redraw=(*redraw, number))
    return standing(rewritten(after, replace(entry, picture=None)), number, entry.ts)
