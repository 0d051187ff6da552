"""The action Approve: a second person approves exactly these figures."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.details.scaling import ScaleStep
from bot.core.incident.incident import Incident
from bot.core.incident.reply_buttons import advanced, decided
from bot.core.incident.timeline import Decision, Event
from bot.core.record import Put
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.request import agreed
from bot.ports import Refused
from bot.scaling.approval import awaited, record_decision, refuse_over, scale_request
from bot.views.words import refusals

NAME = "approve"


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Record the approver; the request then runs as usual, and all limits are checked again."""
    held, incident = await awaited(context, interaction)
    request, now = held.value, context.now()
    if interaction.who == request.who:
        raise Refused(refusals.OWN_REQUEST)
    approved = scale_request(request, ScaleStep.APPROVED)

    def move(fresh: Incident) -> Incident:
        refuse_over(request, fresh)
        known = decided(fresh, request.id, Decision.APPROVED)
        return advanced(known, now, Event.APPROVAL, approved, request=request.id, who=interaction.who, whom=request.who)

    put = Put(held, agreed(request, interaction.who), now)
    await record_decision(context, interaction, incident, put, move, request=request, outcome="approved")
    return Answer()


ACTION = Action(
    name=NAME,
    verb="approve",
    usage="approve",
    help="Agree to what somebody else asked for (in an incident's thread).",
    ask=ask,
    permission="approve",
    surfaces=IN_THREAD,
    in_thread=True,
    kill_switch=True,
)
