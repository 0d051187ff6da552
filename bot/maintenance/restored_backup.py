"""Prepares restored records: requests that the backup holds are refused, and newer threads are looked for.

A backup is older than what happened since, and no process can see that when all were stopped (P10). So a person says it
with `tailback restored`, before the first start.
"""

from bot.context.context import Context
from bot.context.queries import channels
from bot.context.save import point
from bot.core.record import Change
from bot.maintenance.repair_threads import EPOCH, recovered
from bot.ports import Refused
from bot.requests.permission import RESTORED

SEARCHED_SECONDS = 14 * 86400.0
"""How far back the channels are searched: backups are rarely older, and a channel's history is read page by page."""


async def restored(context: Context) -> tuple[str, ...]:
    """Refuse every request made before now, and search all channels; gives the channels.

    Raises Refused when one could not be read, and Unreachable without a store. Until it has succeeded, no process acts.
    """
    await point(context, [RESTORED], f"{context.now():.3f}")
    if (epoch := await context.store.find(EPOCH)) is not None:
        await context.store.commit(Change(point={EPOCH: ("", epoch)}))
    if not await recovered(context, SEARCHED_SECONDS):
        raise Refused("A channel could not be read, so nothing is done until all are. Run `tailback restored` again.")
    return tuple(channels(context))
