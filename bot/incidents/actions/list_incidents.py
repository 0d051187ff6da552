"""The open incidents, in two places: the action List, and App Home."""

from dataclasses import replace

from bot.context.context import Action, Context
from bot.context.queries import open_incidents, permalinks, readable
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.message import Message
from bot.core.notifications.tell import LeftToTell
from bot.core.requests.interaction import Answer, Interaction
from bot.core.scaling.lease import PoolLeases
from bot.notifications.follows import follows_of
from bot.notifications.outbox import unread
from bot.ports import Refused
from bot.requests.permission import permit
from bot.views.answers import incident_list, refusal, with_unread
from bot.views.home import Board, home, refused_home

MOST_RECENT, MOST_LOOKED_AT = 5, 20


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Open incidents in channels that the person may read, the oldest first."""
    incidents, doubtful = await readable(context, await open_incidents(context), interaction.who, interaction.channel)
    links, file = await permalinks(context, incidents), context.settings.file
    view = View(await context.looked_at({name for one in incidents for name in one.pools.candidates}), file.pools)
    shown = incident_list(incidents, context.now(), links, view, file.paces, doubtful=doubtful)
    return Answer(whisper=with_unread(shown, await _unread(context, interaction.who)))


async def _unread(context: Context, who: str) -> list[tuple[float, Message]]:
    """(when it came, the answer) of what could not be shown to the person where they asked."""
    found = []
    for tell in await unread(context, who):
        verdict = await context.tellings[tell.about.kind](context, tell) if tell.about else LeftToTell()
        if verdict.message is not None:
            found.append((tell.stored_at, verdict.message))
    return found


async def publish_app_home(context: Context, user: str) -> None:
    """Publish App Home, by the permission and the channels of the person; raises Unreachable."""
    try:
        await permit(context, user, "", ACTION.permission)
    except Refused as refused:
        await context.chat.publish_home(user, refused_home(refusal(str(refused), user, refused.may)))
        return
    board = await _board(context, user)
    await context.chat.publish_home(user, home(board, context.now(), context.settings.file.paces))


async def _board(context: Context, user: str) -> Board:
    """What the person may see: the open incidents and the last ones of each pool, all pools, and their leases."""
    open_now, doubtful = await readable(context, await open_incidents(context), user)
    rules = context.settings.file.pools
    names = sorted({*rules, *(name for one in open_now for name in one.pools.candidates)})
    view = View(await context.looked_at(names), rules, pageable=bool(context.pagers))
    fired = sorted(((one.at, one.incident) for pool in view.pools.values() for one in pool.fired), reverse=True)
    ended = await context.store.get_many(Incident, list(dict.fromkeys(one for _, one in fired))[:MOST_LOOKED_AT])
    over, _ = await readable(context, [one.value for one in ended.values() if one.value.closed], user)
    recent = sorted(over, key=lambda one: -one.opened_at)[:MOST_RECENT]
    leases = await context.store.get_many(PoolLeases, names)
    return Board(
        open_now,
        recent,
        view,
        {one.id: context.offers(one, replace(view, silenceable=bool(context.holders(one)))) for one in open_now},
        await permalinks(context, [*open_now, *recent]),
        [one.value for one in leases.values() if one.value.leases],
        doubtful,
        await follows_of(context, user),
    )


ACTION = Action(
    name="list",
    takes="",
    help="List the open incidents, with links to their threads.",
    handle=handle,
    permission="diagnose",
    reads_only=True,
)
