"""The chart of a reply: requested with the entry, made separately, and added to the posted reply."""

from dataclasses import dataclass, replace

from bot.core.incident.incident import Incident, rewritten
from bot.core.incident.timeline import Picture

SETTLES = (2.0, 10.0, 30.0)
"""Seconds after an upload before the chart is offered, for each of three attempts.

Slack refuses a message with a file until it has processed the file (slackapi/python-slack-sdk#1521).
"""


@dataclass(frozen=True, slots=True)
class ChartRecord:
    """One chart in progress."""

    id: str
    """Incident and entry number, joined by a dot."""
    file: str = ""
    """Slack's id of the upload; it is in no channel, so nobody sees a repeated upload after a crash."""
    alt: str = ""
    """Its content in words."""
    uploaded_at: float = 0.0
    offered: int = 0
    """How often the chart was added to the reply."""
    tries: int = 0
    """Failed attempts to draw or upload it."""


def sketch_id(incident: str, number: int) -> str:
    """The id of the sketch for one entry."""
    return f"{incident}.{number}"


def entry_of(sketch: str) -> tuple[str, int]:
    """The incident and the entry that a sketch is for; entry 0 does not exist."""
    incident, _, number = sketch.rpartition(".")
    return incident, int(number) if number.isdigit() else 0


def charting(incident: Incident) -> Incident:
    """The incident with a chart requested for its newest entry."""
    return rewritten(incident, replace(incident.timeline[-1], chart=True))


def standing(incident: Incident, number: int, ts: str) -> Incident:
    """Slack confirmed a reply with a chart; now the chart is made."""
    entry = incident.entry(number)
    if entry is None:
        return incident
    charts = incident.charts if number in incident.charts else (*incident.charts, number)
    return replace(rewritten(incident, replace(entry, ts=ts)), charts=charts)


def hung(incident: Incident, number: int, picture: Picture) -> Incident:
    """The chart is ready: edit the reply to show it."""
    entry = incident.entry(number)
    if entry is None or number not in incident.charts:
        return without(incident, number)
    redraw = incident.redraw if number in incident.redraw else (*incident.redraw, number)
    return replace(without(rewritten(incident, replace(entry, picture=picture)), number), redraw=redraw)


def without(incident: Incident, number: int) -> Incident:
    """No chart will be made for that entry."""
    return replace(incident, charts=tuple(n for n in incident.charts if n != number))


def turned_down(incident: Incident, number: int) -> Incident:
    """Slack refused the chart, maybe only for now: the reply stays, and the chart record decides."""
    entry = incident.entry(number)
    redraw = tuple(n for n in incident.redraw if n != number)
    after = replace(incident, redraw=redraw)
    if entry is None:
        return after
    if entry.about:
        after = replace(after, redraw=(*redraw, number))
    return standing(rewritten(after, replace(entry, picture=None)), number, entry.ts)
