"""The action Not me: undo the acknowledgement that scaling or silencing brought with it."""

from functools import partial

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.timeline import Event
from bot.core.people.ownership import released
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction
from bot.ports import Refused
from bot.requests.submit import finish, subject
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Nobody owns the incident any more; only its owner may say so."""
    held, now = await subject(context, interaction), context.now()
    owner = held.value.ownership.owner
    if owner != interaction.who:
        raise Refused(refusals.NOT_THE_OWNER, owner)
    move = partial(released, who=interaction.who, now=now)
    return await finish(context, interaction, held, "withdrew the acknowledgement", move)


ACTION = Action(
    name="unack",
    help="Take back your acknowledgement.",
    handle=handle,
    permission="ack",
    surfaces=IN_THREAD,
    label=lambda incident, _: ButtonLabel("Not me") if incident.ownership.by_acting else None,
    events=(Event.UNACKED,),
)
