"""Who owns an incident: acknowledged, taken back, handed over and declined."""

from dataclasses import replace

from bot.core.incident.details.people import HandedOver, HandoverDeclined
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import decided, offering
from bot.core.incident.timeline import Decision, Entry, Event

DECLINE = "decline_handover"
"""The action of the button that gives a handed-over incident back."""


def acked(incident: Incident, who: str, now: float) -> Incident:
    """Somebody acknowledged; a second acknowledgement takes over."""
    return noted(owned(incident, who, now), now, Event.ACKED, who=who)


def owned_by(incident: Incident, who: str, now: float) -> Incident:
    """Somebody scaled or silenced, which acknowledges an incident that nobody owns."""
    if incident.ownership.owner is not None or incident.closed:
        return incident
    return owned(incident, who, now, by_acting=True)


def released(incident: Incident, who: str, now: float) -> Incident:
    """The owner took the acknowledgement back; it is escalated again if nobody else acknowledges."""
    return noted(owned(incident, None, None), now, Event.UNACKED, who=who)


def owned(
    incident: Incident, who: str | None, at: float | None, *, by_acting: bool = False, handed_by: str | None = None
) -> Incident:
    """The same with another owner, or none; `at` is when they took it (epoch seconds)."""
    own = incident.ownership
    fresh = replace(own, owner=who, acked_at=at, owner_knows=None, by_acting=by_acting, handed_by=handed_by)
    return replace(incident, ownership=fresh)


def handed_over(incident: Incident, details: HandedOver, *, who: str, now: float, request: str) -> Incident:
    """`who` made somebody else the owner, who may decline that; `request` is the id of what was asked."""
    details = replace(details, before=incident.ownership.owner)
    after = _settled(owned(incident, details.to, now, handed_by=who))
    after = noted(after, now, Event.HANDED_OVER, details, who=who)
    return offering(after, request, (DECLINE,), details.to)


def handover_of(incident: Incident, request: str) -> tuple[Entry, HandedOver] | None:
    """The hand-over that was asked for by `request`, with its entry."""
    for entry in incident.log.timeline:
        if entry.about == request and isinstance(entry.details, HandedOver):
            return entry, entry.details
    return None


def declined(incident: Incident, entry: Entry, handover: HandedOver, now: float) -> Incident:
    """The new owner declined: the one before owns it again; without one, nobody, as if it was never acknowledged."""
    back = handover.before
    after = decided(owned(incident, back, now if back else None), entry.about, Decision.DECLINED)
    event = Event.HANDOVER_DECLINED if back else Event.UNACKED
    after = noted(after, now, event, HandoverDeclined(back), who=handover.to)
    return offering(after, "", (), back)


def _settled(incident: Incident) -> Incident:
    """Nobody can decline what has been handed on."""
    for entry in incident.log.timeline:
        if isinstance(entry.details, HandedOver) and entry.choices:
            incident = decided(incident, entry.about, Decision.SETTLED)
    return incident
