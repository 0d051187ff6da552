"""Retry: an incident that could not be drawn or delivered is tried again at once, in full."""

from dataclasses import replace

from bot.context.context import Context
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer
from bot.ports import Refused
from bot.requests.permission import finished_request, permit, subject, submit
from bot.views.home.answers import said

NAME, VERB, USAGE = "retry", "retry", "retry [INCIDENT]"
HELP = "Try again to show an incident that could not be drawn or delivered."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """No button: what would carry it cannot be drawn."""
    return None


async def ask(context: Context, interaction: Interaction) -> Answer:
    """By id, or in the incident's thread."""
    await permit(context, interaction.who, interaction.team, "ack")
    held = (
        await context.store.get(Incident, interaction.words[0])
        if interaction.words
        else await subject(context, interaction)
    )
    if held is None:
        raise Refused(f'There is no incident "{interaction.words[0][:40]}". `/queue list` names the open ones.')
    request = finished_request(context, interaction, held, "tried again")
    await submit(context, interaction, held, request, again)
    return Answer(whisper=said(f"Incident {held.value.id} is tried again now."))


def again(incident: Incident) -> Incident:
    """The incident with a clean slate: the full rendering, no pause."""
    thread = replace(incident.thread, plain=False)
    return replace(incident, attempts=0, retry_at=0.0, trouble=None, thread=thread)
