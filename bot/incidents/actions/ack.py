"""The action Acknowledge."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.people.ownership import acked
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place
from bot.ports import Refused
from bot.requests.submit import finish, subject
from bot.views.words import refusals


def _label(incident: Incident, _view: View) -> ButtonLabel | None:
    if incident.ownership.owner is None:
        return ButtonLabel("Acknowledge", primary=True)
    return ButtonLabel("Take over", Place.MENU)


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Record the new owner; the parent shows it at once."""
    held = await subject(context, interaction)
    if held.value.ownership.owner == interaction.who:
        raise Refused(refusals.ALREADY_YOURS)
    now = context.now()
    return await finish(context, interaction, held, "acknowledged", lambda fresh: acked(fresh, interaction.who, now))


ACTION = Action(
    name="ack",
    also=("acknowledge",),
    help="Acknowledge the incident.",
    handle=handle,
    permission="ack",
    surfaces=IN_THREAD,
    label=_label,
    events=(Event.ACKED,),
)
