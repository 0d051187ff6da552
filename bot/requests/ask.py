"""Checks every interaction before its action: rate, kill switch, permission."""

from math import ceil

from bot.context.context import Context
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import incident_of
from bot.ports import Refused
from bot.requests.permission import acting, permit


class TooOften(Refused):
    """Too many requests (C10)."""


class Repeated(Refused):
    """Slack delivered an interaction twice; it is done, and needs no answer."""


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Check kill switch and permission, then call the action. Raises Refused, Unreachable or Conflict."""
    action = context.actions[interaction.name]
    if action.kill_switch:
        acting(context)
    if action.permission:
        await permit(context, interaction.who, interaction.team, action.permission)
    return await action.ask(context, interaction)


async def paced(context: Context, interaction: Interaction) -> None:
    """Raise TooOften above the rate of one person, or of all on one incident; counted for all processes."""
    most = context.settings.file.actions.per_minute
    lanes = {f"asks:{interaction.who}": most}
    if interaction.request_id:
        lanes[f"asks:{incident_of(interaction.request_id)}"] = 3 * most
    for lane, rate in lanes.items():
        wait = await context.store.acquire_slot(lane, "ask", 60 / rate, rate, urgent=True)
        if wait > 0:
            raise TooOften(f"That is more than {rate} requests in a minute. Try again in {max(1, ceil(wait))} s.")


async def on_record(context: Context, interaction: Interaction) -> bool:
    """Whether this interaction, identified by Slack's id, was stored before."""
    return bool(interaction.key) and await context.store.done_by(f"request:{interaction.key}") is not None
