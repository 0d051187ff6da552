"""An open incident, and its state in five lines, for messages to people."""

from bot.context.causes import explained
from bot.context.context import Context
from bot.context.queries import permalinks
from bot.core.incident.incident import Incident
from bot.views.mrkdwn import Marked
from bot.views.thread.direct import state_lines


async def open_incident(context: Context, incident_id: str) -> Incident | None:
    """The incident, while it is open. Raises Unreachable."""
    held = await context.store.get(Incident, incident_id)
    return held.value if held and not held.value.closed else None


async def five_lines(context: Context, incident: Incident) -> list[Marked]:
    """Its state now, with the link of its thread. Raises Unreachable."""
    now, paces = context.now(), context.settings.file.paces
    view = await explained(await context.view(incident), incident, now, paces)
    link = (await permalinks(context, [incident])).get(incident.id, "")
    return state_lines(incident, view, now, paces, link)
