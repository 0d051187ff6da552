"""Finds the incident, or the earlier request, that a button, a command or a mention is about."""

from bot.context.context import Context
from bot.core.alert import digest
from bot.core.incident.incident import Incident
from bot.core.record import Stored
from bot.core.requests.interaction import Interaction, Surface
from bot.core.requests.offer import incident_of, request_id
from bot.core.requests.request import Progress
from bot.ports import Refused
from bot.requests.submit import already, own_id


class Forgotten(Refused):
    """The record is lost, so the button is obsolete."""


async def subject(context: Context, interaction: Interaction, *, over: bool = False) -> Stored[Incident]:
    """The open incident of an interaction; with `over` also an ended one.

    Raises Refused with a remedy.
    """
    if interaction.surface is Surface.BUTTON and not interaction.request_id:
        raise Refused("This button carries nothing that Tailback knows; nothing was done.")
    if interaction.request_id:
        incident_id = incident_of(interaction.request_id)
    elif interaction.thread:
        incident_id = await context.store.find(f"thread:{interaction.channel}:{interaction.thread}") or ""
    else:
        raise Refused("Ask in the thread of an incident, or press the button on its first message.")
    held = await context.store.get(Incident, incident_id) if incident_id else None
    if held is None:
        raise Forgotten("Tailback does not know this incident any more, so nothing was done.")
    made_here = interaction.surface in {Surface.BUTTON, Surface.DIALOG}
    if interaction.request_id and made_here and request_id(held.value, interaction.name) != interaction.request_id:
        await _refuse_used(context, interaction.request_id)
    if held.value.thread.channel != interaction.channel and interaction.surface is Surface.BUTTON:
        raise Refused("This button belongs to another channel's incident; nothing was done.")
    if interaction.message and not interaction.thread and held.value.thread.root not in {None, interaction.message}:
        raise Refused("This is not the incident's own thread any more; nothing was done. Use the one it points to.")
    if held.value.closed and not over:
        raise Refused("This incident is over; nothing was done.")
    return held


async def _refuse_used(context: Context, request_id: str) -> None:
    known = await context.request(request_id)
    if known is None:
        raise Refused("This button is out of date; use the ones the message shows now.")
    raise already(context, known)


async def subject_of_button(context: Context, interaction: Interaction) -> tuple[str, Stored[Incident]]:
    """(request id, its incident) of a reply's button; the thread must be the incident's (C8).

    When typed, the newest reply of the thread that still offers the action. Raises Refused.
    """
    if interaction.request_id:
        return interaction.request_id, await _of_button(context, interaction)
    found = (
        await context.store.find(f"thread:{interaction.channel}:{interaction.thread}") if interaction.thread else None
    )
    held = await context.store.get(Incident, found) if found else None
    if held is None:
        raise Refused("Ask in the thread of an incident, or press the button below its reply.")
    meant = {interaction.name, *context.actions[interaction.name].meant_by}
    for entry in reversed(held.value.log.timeline):
        if meant & set(entry.choices):
            return entry.about, held
    raise Refused("Nothing in this thread waits for that: it needs a reply that offers it, and there is none now.")


async def own_of(context: Context, interaction: Interaction, held: Stored[Incident], about: str, *state: str) -> str:
    """The id of a request about another request: equal for two clicks while `state` is; new after a failure."""
    computed = f"{incident_of(about)}.{digest(interaction.name, about, *state)[:12]}"
    known = await context.request(computed)
    return own_id(held.value, interaction) if known and known.progress is Progress.FAILED else computed


async def _of_button(context: Context, interaction: Interaction) -> Stored[Incident]:
    request = await context.request(interaction.request_id)
    held = await context.store.get(Incident, request.incident) if request and request.incident else None
    if held is None:
        raise Refused("Tailback does not know this any more, so nothing was done.")
    there = (
        await context.store.find(f"thread:{interaction.channel}:{interaction.thread}") if interaction.thread else None
    )
    if there != held.value.id:
        raise Refused("This button belongs to another thread; nothing was done.")
    return held
