"""The open incidents, in two places: the action List, and App Home."""

from bot.context.context import Action, Context
from bot.context.queries import open_incidents, permalinks, readable, views_of
from bot.core.requests.interaction import Answer, Interaction
from bot.ports import Refused
from bot.requests.permission import permit
from bot.views.home.answers import incident_list, refusal
from bot.views.home.home import home, refused_home


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Open incidents in channels that the person may read, the oldest first."""
    incidents, doubtful = await readable(context, await open_incidents(context), interaction.who, interaction.channel)
    links, views = await permalinks(context, incidents), await views_of(context, incidents)
    paces = context.settings.file.paces
    return Answer(whisper=incident_list(incidents, context.now(), links, views, paces, doubtful=doubtful))


async def welcome(context: Context, user: str) -> None:
    """Publish App Home, by the permission and the channels of the person; raises Unreachable."""
    try:
        await permit(context, user, "", ACTION.permission)
    except Refused as refused:
        await context.chat.publish_home(user, refused_home(refusal(str(refused), user, refused.may)))
        return
    incidents, doubtful = await readable(context, await open_incidents(context), user)
    links, views = await permalinks(context, incidents), await views_of(context, incidents)
    paces = context.settings.file.paces
    await context.chat.publish_home(user, home(incidents, views, context.now(), links, paces, doubtful=doubtful))


ACTION = Action(
    name="list",
    verb="list",
    usage="list",
    help="The open incidents, with links to their threads.",
    ask=ask,
    permission="diagnose",
    reads_only=True,
)
