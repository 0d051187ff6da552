"""List: the open incidents, for the person who asks."""

from bot.core.incident import Incident
from bot.core.observe import View
from bot.core.offer import Offer
from bot.core.request import Answer, Request
from bot.desk import Desk
from bot.ports import Unreachable
from bot.stories.ask import permit
from bot.views.answers import incident_list

NAME, VERB, USAGE = "list", "list", "list"
HELP = "The open incidents, with links to their threads."
MOST_LINKS = 20


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """No button."""
    return None


async def ask(desk: Desk, request: Request) -> Answer:
    """Open incidents, the oldest first."""
    await permit(desk, request.who, request.team, "diagnose")
    incidents = await open_incidents(desk)
    return Answer(whisper=incident_list(incidents, desk.now(), await permalinks(desk, incidents)))


async def open_incidents(desk: Desk) -> list[Incident]:
    """Every incident that is not over, the oldest first."""
    held = await desk.store.get_many(Incident, sorted(await desk.store.members("open")))
    return sorted((h.value for h in held.values() if not h.value.closed), key=lambda incident: incident.opened_at)


async def permalinks(desk: Desk, incidents: list[Incident]) -> dict[str, str]:
    """Links to the threads of the first incidents, by id; a link that Slack does not give is left out."""
    links: dict[str, str] = {}
    for incident in incidents[:MOST_LINKS]:
        if incident.thread.root is None:
            continue
        try:
            links[incident.id] = await desk.chat.permalink(incident.thread.channel, incident.thread.root)
        except Unreachable:
            break
    return links
