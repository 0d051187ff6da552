"""Acknowledge: somebody has it, and everybody sees who."""

from bot.context.context import Context
from bot.core.incident.incident import Incident, acked
from bot.core.incident.observe import View
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer, Place, request_id
from bot.ports import Refused
from bot.requests.permission import finished_request, permit, subject, submit

NAME, VERB, USAGE = "ack", "ack", "ack"
HELP = "Say that you have it (in an incident's thread)."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """Acknowledge while nobody has it, take over afterwards."""
    if incident.owner is None:
        return Offer(NAME, "Acknowledge", request_id(incident, NAME), primary=True)
    return Offer(NAME, "Take over", request_id(incident, NAME), Place.MORE)


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Record the new owner; the parent shows it at once."""
    await permit(context, interaction.who, interaction.team, "ack")
    held = await subject(context, interaction)
    if held.value.owner == interaction.who:
        raise Refused("You already have it.")
    now = context.now()
    request = finished_request(context, interaction, held, "has it")
    await submit(context, interaction, held, request, lambda fresh: acked(fresh, interaction.who, now))
    return Answer()
