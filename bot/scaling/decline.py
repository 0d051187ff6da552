"""Decline: a second person says no, or the one who asked takes it back; nothing is done."""

from bot.context.context import Context
from bot.context.save import keep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import View
from bot.core.incident.reply_buttons import decided, offering
from bot.core.incident.timeline import Event
from bot.core.record import AlreadyDone, AuditEntry, Put
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer
from bot.core.requests.request import failed
from bot.ports import Refused
from bot.requests.permission import permit
from bot.scaling.approval import awaited, scale_words

NAME, VERB, USAGE = "decline", "decline", "decline"
HELP = "Say no to what somebody asked for, or take back your own request (in an incident's thread)."
KEPT_SECONDS = 30 * 86400.0


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """Its button stands below the reply that asks."""
    return None


async def ask(context: Context, request: Interaction) -> Answer:
    """Record the no; the kill switch does not stop it."""
    held, incident = await awaited(context, request)
    act, now = held.value, context.now()
    own = request.who == act.who
    await permit(context, request.who, request.team, "scale" if own else "approve")
    words = f"took back the request for {scale_words(act)}." if own else f"declined {scale_words(act)}, asked for by"

    def move(fresh: Incident) -> Incident:
        told = noted(decided(fresh, act.id, "Declined."), now, Event.APPROVAL, words, who=request.who)
        return told if own else offering(told, "", (), whom=act.who)

    outcome = "taken back" if own else "declined"
    parameters = {**act.params, "pool": act.pool or "", "asked_by": act.who}
    audit = AuditEntry(now, request.who, NAME, parameters, outcome=outcome, act=act.id, incident=act.incident or "")
    put = Put(held, failed(act, outcome, now), None, keep_seconds=KEPT_SECONDS)
    once = (f"decided:{act.id}", f"request:{request.key}")
    try:
        await keep(context, incident, move, due=now, also=(put,), audit=(audit,), once=once)
    except AlreadyDone:
        raise Refused("That was already decided.") from None
    return Answer()
