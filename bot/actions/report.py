"""Report: the incidents of the last days, pool by pool, for the person who asks."""

from bot.core.history import history
from bot.core.incident import Incident
from bot.core.observe import View
from bot.core.offer import Offer
from bot.core.request import Answer, Request
from bot.desk import Desk
from bot.stories.ask import permit
from bot.views.results import reported

NAME, VERB, USAGE = "report", "report", "report"
HELP = "The incidents of the last 7 days, pool by pool."
DAYS = 7


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """No button."""
    return None


async def ask(desk: Desk, request: Request) -> Answer:
    """Open and closed incidents that began in the last days."""
    await permit(desk, request.who, request.team, "diagnose")
    ids = await desk.store.members("ended") | await desk.store.members("open")
    held = await desk.store.get_many(Incident, sorted(ids))
    now = desk.now()
    return Answer(whisper=reported(history([h.value for h in held.values()], now, DAYS * 86400.0), DAYS))
