"""Approve: a second person agrees to exactly what somebody asked for, and only then it is done."""

from bot.context.context import Context
from bot.context.save import keep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import View
from bot.core.incident.reply_buttons import decided, offering
from bot.core.incident.timeline import Event
from bot.core.record import AlreadyDone, AuditEntry, Put
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer
from bot.core.requests.request import agreed
from bot.ports import Refused
from bot.requests.permission import acting, permit
from bot.scaling.approval import awaited, scale_words

NAME, VERB, USAGE = "approve", "approve", "approve"
HELP = "Agree to what somebody else asked for (in an incident's thread)."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """Its button stands below the reply that asks."""
    return None


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Record who agreed; from here the action goes its usual way, and every guard judges again."""
    acting(context)
    held, incident = await awaited(context, interaction)
    request, now = held.value, context.now()
    await permit(context, interaction.who, interaction.team, "approve")
    if interaction.who == request.who:
        raise Refused("Somebody else must agree: you asked for it yourself.")
    words = f"approved {scale_words(request)}, as asked for by"

    def move(fresh: Incident) -> Incident:
        if fresh.closed:
            raise Refused("This incident is over; nothing was done.")
        told = noted(decided(fresh, request.id, "Approved."), now, Event.APPROVAL, words, who=interaction.who)
        return offering(told, "", (), whom=request.who)

    parameters = {**request.params, "pool": request.pool or "", "asked_by": request.who}
    audit = AuditEntry(
        now, interaction.who, NAME, parameters, outcome="approved", act=request.id, incident=request.incident or ""
    )
    once = (f"decided:{request.id}", f"request:{interaction.key}")
    try:
        await keep(
            context,
            incident,
            move,
            due=now,
            also=(Put(held, agreed(request, interaction.who), now),),
            audit=(audit,),
            once=once,
        )
    except AlreadyDone:
        raise Refused("That was already decided.") from None
    return Answer()
