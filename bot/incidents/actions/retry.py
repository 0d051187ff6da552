"""The action Retry: process a quarantined incident again at once."""

from dataclasses import replace

from bot.context.context import Action, Context
from bot.context.queries import readable
from bot.core.incident.incident import DeliveryTrouble, Incident
from bot.core.requests.interaction import Answer, Interaction
from bot.ports import Refused
from bot.requests.submit import finish, subject
from bot.views.answers import plain_answer
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    held = (
        await context.store.get(Incident, interaction.words[0])
        if interaction.words
        else await subject(context, interaction)
    )
    if held is None or not (await readable(context, [held.value], interaction.who, interaction.channel))[0]:
        raise Refused(refusals.no_incident(interaction.words[0]))

    def again(fresh: Incident) -> Incident:
        """With the full rendering and without a pause."""
        return replace(fresh, trouble=DeliveryTrouble(), thread=replace(fresh.thread, plain=False))

    await finish(context, interaction, held, "tried again", again)
    return Answer(whisper=plain_answer(f"Incident {held.value.id} is tried again now."))


ACTION = Action(
    name="retry",
    takes="[INCIDENT]",
    help="Try again to show an incident that could not be drawn or delivered.",
    handle=handle,
    permission="ack",
)
