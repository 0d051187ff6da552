"""Somebody asks for something: who may, on which incident, and the request written down once."""

import asyncio
from collections.abc import Mapping
from math import ceil

from bot.context.context import Context
from bot.context.save import Move, keep, put_new
from bot.core.alert import digest
from bot.core.incident.incident import Incident
from bot.core.record import AlreadyDone, AuditEntry, Change, Put, Stored
from bot.core.requests.interaction import Interaction, Surface
from bot.core.requests.offer import incident_of, request_id, used
from bot.core.requests.request import Progress, Request, done
from bot.core.words import duration
from bot.ports import Refused, Unreachable

TAILBACK = "tailback"
"""Who did what nobody asked for: a lease that ended."""
LOOKUP_SECONDS = 0.7
"""For asking Slack who somebody is: a click is answered within a second, also while Slack hangs (SL-4)."""


class Forgotten(Refused):
    """The record of what was asked about is lost: a button for it means nothing any more."""


class TooOften(Refused):
    """More requests than a person makes by hand (C10); nothing else is wrong with it."""


class Repeated(Refused):
    """Slack brought one request twice, by HTTP or by two connections: it is done, and nobody need hear of it."""


async def paced(context: Context, interaction: Interaction) -> None:
    """Raise TooOften above the rate of one person, or of all together on one incident; counted for all processes."""
    most = context.settings.file.actions.per_minute
    lanes = {f"asks:{interaction.who}": most}
    if interaction.request_id:
        lanes[f"asks:{incident_of(interaction.request_id)}"] = 3 * most
    for lane, rate in lanes.items():
        wait = await context.store.acquire_slot(lane, interaction.key, 60 / rate, rate, urgent=True)
        if wait > 0:
            raise TooOften(f"That is more than {rate} requests in a minute. Try again in {max(1, ceil(wait))} s.")


async def permit(context: Context, who: str, team: str, permission: str) -> None:
    """Raise Refused unless the configuration grants `permission` to this very person; in doubt nobody may (C7, C18).

    For somebody who waits for an answer: when Slack does not say in time who that is, nobody may.
    """
    try:
        async with asyncio.timeout(LOOKUP_SECONDS):
            await still_permitted(context, who, permission, team)
    except TimeoutError:
        raise Refused("Nothing was done: Slack did not say in time who you are. Try again in a minute.") from None


async def still_permitted(context: Context, who: str, permission: str, team: str = "") -> None:
    """The same at the moment of doing, with the patience of a worker."""
    allowed: list[str] = getattr(context.settings.file.permissions, permission)
    try:
        person = await context.chat.person(who)
        if not person.full_member or (team and person.team and person.team != team):
            raise Refused("Only full members of this workspace may do that; guests and other workspaces may not.")
        if "anyone" in allowed or who in allowed:
            return
        groups = [name for name in allowed if name.startswith("S")]
        for group in groups:
            if who in await context.chat.group_members(group):
                return
    except Unreachable as error:
        raise Refused(
            f"Nothing was done: Slack did not say who you are ({error.what}). Try again in a minute."
        ) from None
    if not allowed:
        raise Refused(f"Nobody may do that here yet: `permissions.{permission}` in tailback.toml is empty.")
    raise Refused(f"You are not on the list for this (`permissions.{permission}` in tailback.toml).", may=allowed)


def acting(context: Context) -> None:
    """Raise Refused while the kill switch is off; it works without a restart (C9)."""
    if context.in_doubt():
        raise Refused("Redis has lost records and they are being healed; nothing is done until then. Try in a minute.")
    if not context.settings.file.actions.enabled:
        raise Refused("Actions are switched off (`actions.enabled = false` in tailback.toml). Nothing was done.")


async def subject(context: Context, interaction: Interaction, *, over: bool = False) -> Stored[Incident]:
    """The open incident that a request is about, with `over` also one that has ended.

    Raises Refused with what to do instead.
    """
    if interaction.surface is Surface.BUTTON and not interaction.request_id:
        raise Refused("This button carries nothing that Tailback knows; nothing was done.")
    if interaction.request_id:
        incident_id = incident_of(interaction.request_id)
    elif interaction.thread:
        incident_id = await context.store.find(f"thread:{interaction.channel}:{interaction.thread}") or ""
    else:
        raise Refused("Ask in the thread of an incident, or press the button on its first message.")
    held = await context.store.get(Incident, incident_id) if incident_id else None
    if held is None:
        raise Forgotten("Tailback does not know this incident any more, so nothing was done.")
    made_here = interaction.surface in {Surface.BUTTON, Surface.DIALOG}
    if interaction.request_id and made_here and request_id(held.value, interaction.name) != interaction.request_id:
        await _refuse_used(context, interaction.request_id)
    if held.value.thread.channel != interaction.channel and interaction.surface is Surface.BUTTON:
        raise Refused("This button belongs to another channel's incident; nothing was done.")
    if interaction.message and not interaction.thread and held.value.thread.root not in {None, interaction.message}:
        raise Refused("This is not the incident's own thread any more; nothing was done. Use the one it points to.")
    if held.value.closed and not over:
        raise Refused("This incident is over; nothing was done.")
    return held


async def _refuse_used(context: Context, request_id: str) -> None:
    known = await context.request(request_id)
    if known is None:
        raise Refused("This button is out of date; use the ones the message shows now.")
    raise already(context, known)


def already(context: Context, known: Request) -> Refused:
    """What the second one hears: when, and who it was (P3)."""
    return Refused(f"That was already requested {duration(context.now() - known.requested_at)} ago", known.who)


def new_request(
    context: Context,
    interaction: Interaction,
    held: Stored[Incident] | None,
    *,
    pool: str | None = None,
    params: Mapping[str, str] | None = None,
) -> Request:
    """A record for this request, named by its button, else by what Slack called the request."""
    incident = held.value if held else None
    return Request(
        id=interaction.request_id or own_id(incident, interaction),
        name=interaction.name,
        who=interaction.who,
        channel=incident.thread.channel if incident else interaction.channel,
        requested_at=context.now(),
        incident=incident.id if incident else None,
        pool=pool,
        params=params or {},
    )


def own_id(incident: Incident | None, interaction: Interaction) -> str:
    """An id for a request that came without a button."""
    return f"{incident.id if incident else 'x'}.{digest(interaction.key)[:12]}"


def finished_request(context: Context, interaction: Interaction, held: Stored[Incident], outcome: str) -> Request:
    """A record for something that is done in the very moment it is asked."""
    return done(new_request(context, interaction, held), outcome, context.now())


async def submit(  # noqa: PLR0913 - the parts of one atomic change
    context: Context,
    interaction: Interaction,
    held: Stored[Incident] | None,
    request: Request,
    move: Move,
    *,
    draft: Stored[Request] | None = None,
    over: bool = False,
) -> None:
    """Write the request, the incident's move and the audit entry in one change; a second time is refused.

    With `over` the incident may have ended.
    """
    now = context.now()
    due = None if request.finished else request.lapses_at if request.progress is Progress.AWAITING else now
    audit = (audited(request, now, "asked" if due else request.outcome),)
    once = (f"act:{request.id}", f"request:{interaction.key}")
    put = Put(draft, request, due) if draft else put_new(request, due)
    try:
        if held is None:
            change = Change(puts=(put,), audit=audit, once=once, once_value=request.id)
            await context.store.commit(change)
        else:
            asked = _with_use(move, interaction.name, over=over)
            await keep(context, held, asked, due=now, also=(put,), audit=audit, once=once)
    except AlreadyDone:
        raise already(context, await context.request(request.id) or request) from None


async def on_record(context: Context, interaction: Interaction) -> bool:
    """Whether this very request was written down before: not one like it, but what Slack gave this id."""
    return bool(interaction.key) and await context.store.done_by(f"request:{interaction.key}") is not None


def audited(request: Request, now: float, outcome: str) -> AuditEntry:
    """The audit line of an action as it stands."""
    return AuditEntry(
        at=now,
        who=request.who or TAILBACK,
        what=request.name,
        parameters={**request.params, **({"pool": request.pool} if request.pool else {})},
        before=request.before,
        after=request.after,
        outcome=outcome,
        act=request.id,
        incident=request.incident or "",
    )


async def refused(context: Context, interaction: Interaction, why: str) -> None:
    """Keep a refusal in the audit trail too (C11)."""
    entry = AuditEntry(
        context.now(), interaction.who, interaction.name, outcome=f"refused: {why}", act=interaction.request_id
    )
    await context.store.commit(Change(audit=(entry,)))


def _with_use(move: Move, name: str, *, over: bool) -> Move:
    def asked(fresh: Incident) -> Incident:
        if fresh.closed and not over:
            raise Refused("This incident is over; nothing was done.")
        return move(used(fresh, name))

    return asked
