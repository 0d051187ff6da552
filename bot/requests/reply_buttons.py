"""Somebody presses a button below a reply, or says the same in its thread: which request that is about."""

from dataclasses import dataclass

from bot.context.context import Context
from bot.core.alert import digest
from bot.core.incident.incident import Incident
from bot.core.record import Stored
from bot.core.requests.interaction import Interaction
from bot.core.requests.offer import incident_of
from bot.core.requests.request import Progress, Request
from bot.core.scaling.lease import Lease, PoolLeases
from bot.ports import Refused
from bot.requests.permission import own_id

GONE = "Those runners have been handed back already."
ALSO_BELOW = {"extend": "hand_back"}
"""Said in words, it is meant wherever the other is offered: Extend stands below the warning alone, Undo long before."""


@dataclass(frozen=True, slots=True)
class LeaseInThread:
    """Extra runners that a thread speaks of, and the records that say so."""

    raised: Request
    """The scale action that asked for them."""
    incident: Stored[Incident]
    lease: Stored[PoolLeases]
    share: Lease


async def lease_in_thread(context: Context, interaction: Interaction) -> LeaseInThread:
    """The extra runners that a button or a word means. Raises Refused, also when they have gone back already."""
    about, incident = await subject_of_button(context, interaction)
    raised = await context.request(about)
    lease = await context.store.get(PoolLeases, raised.pool) if raised and raised.pool else None
    share = lease.value.share(about) if lease else None
    if raised is None or lease is None or share is None:
        raise Refused(GONE)
    return LeaseInThread(raised, incident, lease, share)


async def subject_of_button(context: Context, interaction: Interaction) -> tuple[str, Stored[Incident]]:
    """(the request's id, its incident). The button's value is only an id: the thread must be the incident's (C8).

    In words, it is the newest reply of the thread that still offers the action. Raises Refused.
    """
    if interaction.request_id:
        return interaction.request_id, await _of_button(context, interaction)
    found = (
        await context.store.find(f"thread:{interaction.channel}:{interaction.thread}") if interaction.thread else None
    )
    held = await context.store.get(Incident, found) if found else None
    if held is None:
        raise Refused("Ask in the thread of an incident, or press the button below its reply.")
    meant = {interaction.name, ALSO_BELOW.get(interaction.name, interaction.name)}
    for entry in reversed(held.value.timeline):
        if meant & set(entry.choices):
            return entry.about, held
    raise Refused("Nothing in this thread waits for that: it needs a reply that offers it, and there is none now.")


async def own_of(context: Context, interaction: Interaction, held: Stored[Incident], about: str, *state: str) -> str:
    """The id of what is asked of a request: the same for two presses while `state` is; another one after a failure."""
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
