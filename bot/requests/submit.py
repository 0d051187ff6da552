"""Stores a request once, with its audit entry and its change of the incident."""

from bot.context.context import Context
from bot.context.save import Move, keep, put_new
from bot.core.alert import digest
from bot.core.incident.incident import Incident
from bot.core.record import AlreadyDone, AuditEntry, Change, Put, Stored
from bot.core.requests.body import AtOnce, Body, parameters
from bot.core.requests.interaction import Interaction
from bot.core.requests.offer import used
from bot.core.requests.request import Progress, Request, done
from bot.core.words import duration
from bot.ports import Refused

AT_ONCE = AtOnce()
TAILBACK = "tailback"
"""Author of requests without a person, such as the end of a lease."""


def new_request(
    context: Context,
    interaction: Interaction,
    held: Stored[Incident] | None,
    body: Body = AT_ONCE,
) -> Request:
    """A request with the id of its button, else of Slack's interaction."""
    incident = held.value if held else None
    return Request(
        id=interaction.request_id or own_id(incident, interaction),
        name=interaction.name,
        who=interaction.who,
        channel=incident.thread.channel if incident else interaction.channel,
        requested_at=context.now(),
        body=body,
        incident=incident.id if incident else None,
    )


def own_id(incident: Incident | None, interaction: Interaction) -> str:
    """An id for a request without a button."""
    return f"{incident.id if incident else 'x'}.{digest(interaction.key)[:12]}"


def finished_request(context: Context, interaction: Interaction, held: Stored[Incident], outcome: str) -> Request:
    """A request that is finished at once."""
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
    """Store request, incident change and audit entry in one change; a second time is refused.

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


def already(context: Context, known: Request) -> Refused:
    """The refusal for a second click: who was first, and when (P3)."""
    return Refused(f"That was already requested {duration(context.now() - known.requested_at)} ago", known.who)


def audited(request: Request, now: float, outcome: str) -> AuditEntry:
    """The audit entry of a request in its present state."""
    return AuditEntry(
        at=now,
        who=request.who or TAILBACK,
        what=request.name,
        parameters={**parameters(request.body), **({"pool": request.pool} if request.pool else {})},
        before=request.before,
        after=request.after,
        outcome=outcome,
        act=request.id,
        incident=request.incident or "",
    )


async def refused(context: Context, interaction: Interaction, why: str) -> None:
    """Add a refusal to the audit trail (C11)."""
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
