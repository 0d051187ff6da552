"""Acknowledge: somebody has it, and everybody sees who."""

from bot.context.context import Context
from bot.core.incident.incident import Incident, acked
from bot.core.incident.observe import View
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer, Place, act_id
from bot.ports import Refused
from bot.requests.permission import finished_act, permit, request_act, subject

NAME, VERB, USAGE = "ack", "ack", "ack"
HELP = "Say that you have it (in an incident's thread)."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """Acknowledge while nobody has it, take over afterwards."""
    if incident.owner is None:
        return Offer(NAME, "Acknowledge", act_id(incident, NAME), primary=True)
    return Offer(NAME, "Take over", act_id(incident, NAME), Place.MORE)


async def ask(context: Context, request: Interaction) -> Answer:
    """Record the new owner; the parent shows it at once."""
    await permit(context, request.who, request.team, "ack")
    held = await subject(context, request)
    if held.value.owner == request.who:
        raise Refused("You already have it.")
    now = context.now()
    act = finished_act(context, request, held, "has it")
    await request_act(context, request, held, act, lambda fresh: acked(fresh, request.who, now))
    return Answer()
