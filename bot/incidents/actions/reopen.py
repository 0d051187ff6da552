"""The action Reopen: take back that somebody closed the incident, within ten minutes."""

from dataclasses import replace

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.incident import Incident, reopened
from bot.core.incident.reply_buttons import REOPEN, closed_by_hand, last_close, reopening_withdrawn
from bot.core.incident.timeline import Event
from bot.core.record import Stored
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction
from bot.ports import Refused
from bot.requests.submit import already_requested, finish, own_of, subject, subject_of_button
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """It goes on where it was, unless a newer incident of its alert has opened meanwhile."""
    if interaction.request_id:
        _, held = await subject_of_button(context, interaction)
    else:
        held = await subject(context, interaction, over=True)
    number = entry.number if (entry := last_close(held.value)) else 0
    request_id = await own_of(context, interaction, held, held.value.id, f"{number}")
    if (known := await context.request(request_id)) and not held.value.closed:
        raise already_requested(context, known)
    await _refuse(context, held)
    now, who = context.now(), interaction.who

    def move(fresh: Incident) -> Incident:
        if not closed_by_hand(fresh, now):
            raise Refused(refusals.NOT_TO_REOPEN)
        return reopened(reopening_withdrawn(fresh), now, who)

    return await finish(context, replace(interaction, request_id=request_id), held, "reopened", move, over=True)


async def _refuse(context: Context, held: Stored[Incident]) -> None:
    if not held.value.closed:
        raise Refused(refusals.STILL_OPEN)
    if not closed_by_hand(held.value, context.now()):
        raise Refused(refusals.NOT_TO_REOPEN)
    if await context.store.find(f"open:{held.value.group.key}") not in {None, held.value.id}:
        raise Refused(refusals.NEWER_INCIDENT)


ACTION = Action(
    name=REOPEN,
    help="Take back that the incident was closed, within 10 min.",
    handle=handle,
    permission="ack",
    takes="",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("Reopen"),
    in_thread=True,
    events=(Event.REOPENED,),
)
