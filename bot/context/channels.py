"""The Slack channels of a pool: where its incidents and warnings go, and where it may be scaled."""

from bot.context.context import Context
from bot.context.queries import open_of
from bot.core.pool.pool import Pool
from bot.core.routing import home
from bot.ports import Refused
from bot.views.words import refusals


def channels(context: Context) -> tuple[str, ...]:
    """The configured channels."""
    file = context.settings.file
    named = (file.slack.channel, file.slack.fallback_channel, *(route.channel for route in file.routes))
    return tuple(dict.fromkeys(channel for channel in named if channel))


def home_of(context: Context, pool: Pool) -> str:
    """The channel of a pool's incidents: by its labels, else that of the last one, else the default."""
    file = context.settings.file
    routed = home(file.pools[pool.id], file.routes) if pool.id in file.pools else None
    last = next((one.channel for one in reversed(pool.fired) if one.channel in channels(context)), "")
    return routed or last or file.slack.channel


async def permit_here(context: Context, name: str, channel: str) -> None:
    """Raise Refused unless the pool belongs to this channel, by an open incident or by its route (C15).

    An unconfigured pool passes, because the later refusal explains it better.
    """
    if name not in context.settings.file.pools:
        return
    open_now = await open_of(context, name)
    if any(incident.thread.channel == channel for incident in open_now):
        return
    held = await context.store.get(Pool, name)
    at_home = home_of(context, held.value if held else Pool(name))
    if channel == at_home:
        return
    places = dict.fromkeys([*(incident.thread.channel for incident in open_now), at_home])
    raise Refused(refusals.other_channels_pool(name), where=[one for one in places if one])
