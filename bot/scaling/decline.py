"""The action Decline: a second person declines, or the requester withdraws."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.details.scaling import ScaleStep
from bot.core.incident.incident import Incident
from bot.core.incident.reply_buttons import advanced, decided
from bot.core.incident.timeline import Decision, Event
from bot.core.record import Put
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.request import failed
from bot.requests.permission import permit
from bot.scaling.approval import awaited, record_decision, scale_request

NAME = "decline"
KEPT_SECONDS = 30 * 86400.0


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Record it; works even while actions are switched off."""
    held, incident = await awaited(context, interaction)
    request, now = held.value, context.now()
    own = interaction.who == request.who
    await permit(context, interaction.who, interaction.team, "scale" if own else "approve")
    declined = scale_request(request, ScaleStep.TAKEN_BACK if own else ScaleStep.DECLINED)

    def move(fresh: Incident) -> Incident:
        known, whom = decided(fresh, request.id, Decision.DECLINED), None if own else request.who
        return advanced(known, now, Event.APPROVAL, declined, request=request.id, who=interaction.who, whom=whom)

    outcome = "taken back" if own else "declined"
    put = Put(held, failed(request, outcome, now), None, keep_seconds=KEPT_SECONDS)
    await record_decision(context, interaction, incident, put, move, request=request, outcome=outcome)
    return Answer()


ACTION = Action(
    name=NAME,
    verb="decline",
    usage="decline",
    help="Say no to what somebody asked for, or take back your own request (in an incident's thread).",
    ask=ask,
    permission="",
    surfaces=IN_THREAD,
    in_thread=True,
)
