"""Buttons on thread replies, and their removal once somebody has decided."""

from dataclasses import replace

from bot.core.incident.incident import Incident, rewritten
from bot.core.incident.timeline import Decision


def offering(incident: Incident, about: str, choices: tuple[str, ...], whom: str | None = None) -> Incident:
    """Offer these actions on the request `about` on the newest entry, and name `whom`."""
    newest = replace(incident.log.timeline[-1], about=about, choices=choices, whom=whom)
    return rewritten(incident, newest)


def placed(incident: Incident, number: int, ts: str) -> Incident:
    """Slack confirmed a reply with buttons; if they were decided meanwhile, it is drawn again."""
    entry = incident.log.entry(number)
    if entry is None:
        return incident
    log = incident.log.rewritten(replace(entry, ts=ts))
    return replace(incident, log=log if entry.choices else log.to_redraw(number))


def decided(incident: Incident, about: str, decision: Decision, names: tuple[str, ...] = ()) -> Incident:
    """A request is decided: remove its buttons, and say why in the reply.

    With `names`, only for entries that offer one of these actions.
    """
    log = incident.log
    for entry in incident.log.timeline:
        if entry.about != about or not entry.choices or (names and not set(names) & set(entry.choices)):
            continue
        log = log.rewritten(replace(entry, choices=(), decisions=(*entry.decisions, decision)))
        log = log.to_redraw(entry.number) if entry.ts else log
    return replace(incident, log=log)


def reworded(incident: Incident, number: int) -> Incident:
    """Slack confirmed the edit of a reply."""
    return replace(incident, log=incident.log.redrawn(number), trouble=incident.trouble.over())
