"""Somebody opened App Home: draw the open incidents for them."""

from bot.context.context import Desk
from bot.incidents.list_incidents import open_incidents, permalinks, views_of
from bot.views.home.home import home


async def welcome(desk: Desk, user: str) -> None:
    """Publish App Home; raises Unreachable."""
    incidents = await open_incidents(desk)
    links, views = await permalinks(desk, incidents), await views_of(desk, incidents)
    await desk.chat.publish_home(user, home(incidents, views, desk.now(), links, desk.settings.file.paces))
