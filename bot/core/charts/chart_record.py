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
    return rewritten(incident, replace(incident.log.timeline[-1], chart=True))


def standing(incident: Incident, number: int, ts: str) -> Incident:
    """Slack confirmed a reply with a chart; now the chart is made."""
    entry = incident.log.entry(number)
    if entry is None:
        return incident
    log = incident.log.rewritten(replace(entry, ts=ts))
    charts = log.charts if number in log.charts else (*log.charts, number)
    return replace(incident, log=replace(log, charts=charts))


def hung(incident: Incident, number: int, picture: Picture) -> Incident:
    """The chart is ready: edit the reply to show it."""
    entry = incident.log.entry(number)
    if entry is None or number not in incident.log.charts:
        return without(incident, number)
    log = incident.log.rewritten(replace(entry, picture=picture)).to_redraw(number)
    return without(replace(incident, log=log), number)


def without(incident: Incident, number: int) -> Incident:
    """No chart will be made for that entry."""
    charts = tuple(n for n in incident.log.charts if n != number)
    return replace(incident, log=replace(incident.log, charts=charts))


def turned_down(incident: Incident, number: int) -> Incident:
    """Slack refused the chart, maybe only for now: the reply stays, and the chart record decides."""
    entry = incident.log.entry(number)
    log = incident.log.redrawn(number)
    if entry is None:
        return replace(incident, log=log)
    log = log.rewritten(replace(entry, picture=None))
    return standing(replace(incident, log=log.to_redraw(number) if entry.about else log), number, entry.ts)
