"""The action Decline: a second person declines, or the requester withdraws."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.details.requests import ScaleStep
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction
from bot.requests.permission import permit
from bot.scaling.approval import decide, pending_approval


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Record it; works even while actions are switched off."""
    held, incident = await pending_approval(context, interaction)
    own = interaction.who == held.value.who
    await permit(context, interaction.who, interaction.team, "scale" if own else "approve")
    step = ScaleStep.TAKEN_BACK if own else ScaleStep.DECLINED
    return await decide(context, interaction, held, incident, step)


ACTION = Action(
    name="decline",
    help="Decline a request, or withdraw your own.",
    handle=handle,
    permission="",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("Decline"),
    in_thread=True,
    events=(Event.APPROVAL,),
)
