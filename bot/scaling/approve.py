"""The action Approve: a second person approves exactly these figures."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.details.scaling import ScaleStep
from bot.core.incident.timeline import Decision, Event
from bot.core.record import Put
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import ButtonLabel
from bot.core.requests.request import agreed
from bot.ports import Refused
from bot.scaling.approval import Decided, pending_approval, record_decision
from bot.views.words import refusals


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Record the approver; the request then runs as usual, and all limits are checked again."""
    held, incident = await pending_approval(context, interaction)
    request = held.value
    if interaction.who == request.who:
        raise Refused(refusals.OWN_REQUEST)
    after = Put(held, agreed(request, interaction.who), context.now())
    approved = Decided(Decision.APPROVED, ScaleStep.APPROVED, "approved", after)
    return await record_decision(context, interaction, request, incident, approved)


ACTION = Action(
    name="approve",
    verb="approve",
    help="Approve another person's request.",
    ask=ask,
    permission="approve",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("Approve", primary=True),
    in_thread=True,
    kill_switch=True,
    events=(Event.APPROVAL,),
)
