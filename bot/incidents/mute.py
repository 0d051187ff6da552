"""Mute updates: no more status replies; the parent stays true, and what people do is still told."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.incident import Incident, muted
from bot.core.incident.observe import View
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import ButtonLabel, Place
from bot.requests.subject import subject
from bot.requests.submit import finished_request, submit


def _label(incident: Incident, _view: View) -> ButtonLabel | None:
    """One entry that says what it will do."""
    return ButtonLabel("Resume updates" if incident.muted else "Mute updates", Place.MORE)


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Turn it around."""
    held = await subject(context, interaction)
    now, on = context.now(), not held.value.muted
    request = finished_request(context, interaction, held, "muted" if on else "resumed")
    await submit(context, interaction, held, request, lambda fresh: muted(fresh, interaction.who, now, on=on))
    return Answer()


ACTION = Action(
    name="mute",
    verb="mute",
    usage="mute",
    help="Stop, or resume, status replies (in an incident's thread).",
    ask=ask,
    permission="ack",
    surfaces=IN_THREAD,
    label=_label,
)
