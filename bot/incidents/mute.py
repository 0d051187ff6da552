"""Mute updates: no more status replies; the parent stays true, and what people do is still told."""

from bot.context.context import Context
from bot.core.incident.incident import Incident, muted
from bot.core.incident.observe import View
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer, Place, act_id
from bot.requests.permission import finished_act, permit, request_act, subject

NAME, VERB, USAGE = "mute", "mute", "mute"
HELP = "Stop, or resume, status replies (in an incident's thread)."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """One entry that says what it will do."""
    label = "Resume updates" if incident.muted else "Mute updates"
    return Offer(NAME, label, act_id(incident, NAME), Place.MORE)


async def ask(context: Context, request: Interaction) -> Answer:
    """Turn it around."""
    await permit(context, request.who, request.team, "ack")
    held = await subject(context, request)
    now, on = context.now(), not held.value.muted
    act = finished_act(context, request, held, "muted" if on else "resumed")
    await request_act(context, request, held, act, lambda fresh: muted(fresh, request.who, now, on=on))
    return Answer()
