"""Checks rate, kill switch and permission before an action sees a request, and again at execution."""

import asyncio
from collections.abc import Sequence

from bot.context.context import Context
from bot.core.requests.interaction import Answer, Interaction, incident_of
from bot.core.requests.request import Request
from bot.ports import Failure, Refused, Unreachable
from bot.views.words import refusals

LOOKUP_SECONDS = 0.7
"""Time limit for asking Slack about a person, so that a click is answered within a second (SL-4)."""


RESTORED = "restored"
"""The index that says when a backup was restored (epoch seconds): what was asked before is not done any more."""


class TooOften(Refused):
    """Too many requests (C10)."""


class Repeated(Refused):
    """Slack delivered an interaction twice; it is done, and needs no answer."""


async def dispatch(context: Context, interaction: Interaction) -> Answer:
    """Check kill switch and permission, then call the action. Raises Refused, Unreachable or Conflict."""
    action = context.actions[interaction.name]
    if action.kill_switch:
        check_actions_enabled(context)
    if action.permission:
        await permit(context, interaction.who, interaction.team, action.permission)
    return await action.handle(context, interaction)


async def check_before_effect(context: Context, request: Request) -> None:
    """The same before the effect, as the action declares it. What nobody asked for needs no permission."""
    action = context.actions[request.name]
    if action.kill_switch:
        check_actions_enabled(context)
    if (at := await context.store.find(RESTORED)) is not None and request.requested_at < float(at):
        raise Refused(refusals.BEFORE_THE_BACKUP)
    if action.permission and request.who:
        await check_permission(context, request.who, action.permission)


async def check_rate(context: Context, interaction: Interaction) -> None:
    """Raise TooOften above the rate of one person, or of all on one incident; counted for all processes."""
    most = context.settings.file.actions.per_minute
    lanes = {f"asks:{interaction.who}": most}
    if interaction.request_id and not context.actions[interaction.name].for_self:
        lanes[f"asks:{incident_of(interaction.request_id)}"] = 3 * most
    for lane, rate in lanes.items():
        wait = await context.store.acquire_slot(lane, "ask", 60 / rate, rate, urgent=True)
        if wait > 0:
            raise TooOften(refusals.too_often(rate, wait))


async def was_delivered(context: Context, interaction: Interaction) -> bool:
    """Whether this interaction, identified by Slack's id, was stored before."""
    return bool(interaction.key) and await context.store.done_by(f"request:{interaction.key}") is not None


async def permit(context: Context, who: str, team: str, permission: str) -> None:
    """Raise Refused unless the configuration grants `permission` to this person; in doubt refuse (C7, C18).

    For an interaction: if Slack does not identify the person in time, refuse.
    """
    try:
        async with asyncio.timeout(LOOKUP_SECONDS):
            await check_permission(context, who, permission, team)
    except TimeoutError:
        raise Refused(refusals.NOT_IDENTIFIED_IN_TIME) from None


async def check_permission(context: Context, who: str, permission: str, team: str = "") -> None:
    """The same at execution, with a worker's time limit."""
    allowed: list[str] = getattr(context.settings.file.permissions, permission)
    try:
        person = await context.chat.person(who)
        if not person.full_member or not person.belongs_to(team):
            raise Refused(refusals.ONLY_MEMBERS)
        if "anyone" in allowed or who in allowed:
            return
        dead = await _dead_groups(context, who, allowed)
        if dead is None:
            return
    except Unreachable as error:
        raise Refused(refusals.not_identified(error.what)) from None
    if not allowed:
        raise Refused(refusals.nobody_may(permission))
    may = [one for one in allowed if one not in dead]
    if dead:
        raise Refused(refusals.dead_groups(permission, dead), may=may)
    raise Refused(refusals.not_on_the_list(permission), may=may)


async def is_listed(context: Context, who: str, permission: str) -> bool:
    """Whether the configuration grants `permission` to this full member. Raises Unreachable."""
    allowed: list[str] = getattr(context.settings.file.permissions, permission)
    if "anyone" in allowed or who in allowed:
        return True
    return await _dead_groups(context, who, allowed) is None


async def _dead_groups(context: Context, who: str, allowed: Sequence[str]) -> list[str] | None:
    """None if one of the groups on this list has the person; else those that do not exist, which have no members.

    Raises Unreachable for any other failure of Slack: in doubt nobody is a member.
    """
    dead = []
    for group in (name for name in allowed if name.startswith("S")):
        try:
            if who in await context.chat.group_members(group):
                return None
        except Unreachable as error:
            if error.failure is not Failure.GONE:
                raise
            dead.append(group)
    return dead


def check_actions_enabled(context: Context) -> None:
    """Raise Refused while actions are switched off; needs no restart (C9)."""
    if context.in_doubt():
        raise Refused(refusals.RECORDS_LOST)
    if not context.settings.file.actions.enabled:
        raise Refused(refusals.ACTIONS_OFF)
