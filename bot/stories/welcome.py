"""Somebody opened App Home: draw the open incidents for them."""

from bot.actions.listing import open_incidents, permalinks
from bot.core.observe import View
from bot.core.pool import Pool
from bot.desk import Desk
from bot.views.home import home


async def welcome(desk: Desk, user: str) -> None:
    """Publish App Home; raises Unreachable."""
    incidents = await open_incidents(desk)
    names = sorted({name for incident in incidents for name in incident.candidates})
    held = await desk.store.get_many(Pool, names)
    view = View({name: pool.value for name, pool in held.items()}, desk.settings.file.pools)
    views = {incident.id: view for incident in incidents}
    links = await permalinks(desk, incidents)
    await desk.chat.publish_home(user, home(incidents, views, desk.now(), links, desk.settings.file.paces))
