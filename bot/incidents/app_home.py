"""Draws App Home with the open incidents."""

from bot.context.context import Context
from bot.context.queries import open_incidents, permalinks, views_of
from bot.views.home.home import home


async def welcome(context: Context, user: str) -> None:
    """Publish App Home; raises Unreachable."""
    incidents = await open_incidents(context)
    links, views = await permalinks(context, incidents), await views_of(context, incidents)
    await context.chat.publish_home(user, home(incidents, views, context.now(), links, context.settings.file.paces))
