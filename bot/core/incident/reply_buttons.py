"""Buttons on thread replies, and their removal once somebody has decided."""

from dataclasses import replace

from bot.core.incident.incident import Incident, rewritten
from bot.core.incident.timeline import Decision


def offering(incident: Incident, about: str, choices: tuple[str, ...], whom: str | None = None) -> Incident:
    """Offer these actions on the request `about` on the newest entry, and name `whom`."""
    newest = replace(incident.timeline[-1], about=about, choices=choices, whom=whom)
    return replace(incident, timeline=(*incident.timeline[:-1], newest))


def placed(incident: Incident, number: int, ts: str) -> Incident:
    """Slack confirmed a reply with buttons; if they were decided meanwhile, it is drawn again."""
    entry = incident.entry(number)
    if entry is None:
        return incident
    redraw = incident.redraw if entry.choices or number in incident.redraw else (*incident.redraw, number)
    return replace(rewritten(incident, replace(entry, ts=ts)), redraw=redraw)


def decided(incident: Incident, about: str, decision: Decision, names: tuple[str, ...] = ()) -> Incident:
    """A request is decided: remove its buttons, and say why in the reply.

    With `names`, only for entries that offer one of these actions.
    """
    after = incident
    for entry in incident.timeline:
        if entry.about != about or not entry.choices or (names and not set(names) & set(entry.choices)):
            continue
        after = rewritten(after, replace(entry, choices=(), decisions=(*entry.decisions, decision)))
        if entry.ts:
            after = replace(after, redraw=(*after.redraw, entry.number))
    return after


def reworded(incident: Incident, number: int) -> Incident:
    """Slack confirmed the edit of a reply."""
    return replace(incident, redraw=tuple(n for n in incident.redraw if n != number), attempts=0, trouble=None)
