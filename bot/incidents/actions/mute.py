"""The action Mute updates: no status replies; the parent and people's actions are still shown."""

from functools import partial

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.incident import muted
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place
from bot.requests.submit import finish, subject


async def handle(context: Context, interaction: Interaction) -> Answer:
    held = await subject(context, interaction)
    now, on = context.now(), not held.value.ownership.muted
    move = partial(muted, who=interaction.who, now=now, on=on)
    return await finish(context, interaction, held, "muted" if on else "resumed", move)


ACTION = Action(
    name="mute",
    help="Stop or resume updates in the thread.",
    handle=handle,
    permission="ack",
    surfaces=IN_THREAD,
    label=lambda incident, _: ButtonLabel("Resume updates" if incident.ownership.muted else "Mute updates", Place.MORE),
    events=(Event.MUTED, Event.UNMUTED),
    steps=("on", "off"),
)
