"""The open incidents, in two places: the action List, and App Home."""

from bot.context.context import Action, Context
from bot.context.queries import open_incidents, permalinks, views_of
from bot.core.requests.interaction import Answer, Interaction
from bot.views.home.answers import incident_list
from bot.views.home.home import home


async def ask(context: Context, _interaction: Interaction) -> Answer:
    """Open incidents, the oldest first."""
    incidents = await open_incidents(context)
    links, views = await permalinks(context, incidents), await views_of(context, incidents)
    return Answer(whisper=incident_list(incidents, context.now(), links, views, context.settings.file.paces))


async def welcome(context: Context, user: str) -> None:
    """Publish App Home; raises Unreachable."""
    incidents = await open_incidents(context)
    links, views = await permalinks(context, incidents), await views_of(context, incidents)
    await context.chat.publish_home(user, home(incidents, views, context.now(), links, context.settings.file.paces))


ACTION = Action(
    name="list",
    verb="list",
    usage="list",
    help="The open incidents, with links to their threads.",
    ask=ask,
    permission="diagnose",
    reads_only=True,
)
