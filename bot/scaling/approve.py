"""The action Approve: a second person approves exactly these figures."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.details.requests import ScaleStep
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction
from bot.ports import Refused
from bot.scaling.approval import decide, pending_approval
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Record the approver; the request then runs as usual, and all limits are checked again."""
    held, incident = await pending_approval(context, interaction)
    if interaction.who == held.value.who:
        raise Refused(refusals.OWN_REQUEST)
    return await decide(context, interaction, held, incident, ScaleStep.APPROVED)


ACTION = Action(
    name="approve",
    help="Approve another person's request.",
    handle=handle,
    permission="approve",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("Approve", primary=True),
    in_thread=True,
    kill_switch=True,
    events=(Event.APPROVAL,),
)
