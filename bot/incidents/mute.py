"""Mute updates: no more status replies; the parent stays true, and what people do is still told."""

from bot.context.context import Context
from bot.core.incident.incident import Incident, muted
from bot.core.incident.observe import View
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer, Place, request_id
from bot.requests.permission import finished_request, permit, subject, submit

NAME, VERB, USAGE = "mute", "mute", "mute"
HELP = "Stop, or resume, status replies (in an incident's thread)."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """One entry that says what it will do."""
    label = "Resume updates" if incident.muted else "Mute updates"
    return Offer(NAME, label, request_id(incident, NAME), Place.MORE)


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Turn it around."""
    await permit(context, interaction.who, interaction.team, "ack")
    held = await subject(context, interaction)
    now, on = context.now(), not held.value.muted
    request = finished_request(context, interaction, held, "muted" if on else "resumed")
    await submit(context, interaction, held, request, lambda fresh: muted(fresh, interaction.who, now, on=on))
    return Answer()
