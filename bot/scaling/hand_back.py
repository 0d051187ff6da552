"""The action Hand back: return extra runners, unless somebody else has changed the pool."""

from dataclasses import replace

from bot.context.context import IN_THREAD, Action, Context, Effect
from bot.context.measure_now import sample_now
from bot.context.save import keep, put_new
from bot.core.alert import digest
from bot.core.incident.details.requests import (
    LeaseNoted,
    LeaseStep,
    ReturnBlock,
    ReturnReason,
    ReturnResult,
    RunnersReturned,
)
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.pool.pool import empty
from bot.core.record import AlreadyDone, Prepared, Put, Stored
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction
from bot.core.requests.request import HandBack, Request, Result
from bot.core.scaling.lease import HAND_BACK, Lease, PoolLeases, lease_end, return_target, with_lease
from bot.ports import Refused
from bot.requests.submit import already_requested, audited, subject_of_button
from bot.scaling.limits import level_of, pool_scaler_of
from bot.views.words import refusals
from bot.views.words.scaling import BLOCKS


async def lease_in_thread(
    context: Context, interaction: Interaction
) -> tuple[Request, Stored[Incident], Stored[PoolLeases], Lease]:
    """The scale request of a button or command, its incident, and the lease of its extra runners with its record.

    Raises Refused, also if they were returned already.
    """
    about, incident = await subject_of_button(context, interaction)
    if (raised := await context.request(about)) is None:
        raise Refused(refusals.RETURNED)
    return raised, incident, *await lease_of(context, raised.pool, about)


async def lease_of(context: Context, pool: str, act: str) -> tuple[Stored[PoolLeases], Lease]:
    """(the leases of a pool, the one of a scale request). Raises Refused if it was returned."""
    held = await context.store.get(PoolLeases, context.lease_key(pool)) if pool else None
    if held is not None and (lease := held.value.lease(act)) is not None:
        return held, lease
    raise Refused(refusals.RETURNED)


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Store the request; the worker sets the level. The end of the lease creates the same request."""
    raised, incident, leases, lease = await lease_in_thread(context, interaction)
    if not raised.finished:
        raise Refused(refusals.NOT_FINISHED)
    if known := await context.request(lease.returning):
        raise already_requested(context, known) if known.who else Refused(refusals.RETURNING)
    pool, now = leases.value.pool_of(lease), context.now()
    back = return_request(context, pool, lease, interaction.who, ReturnReason.ASKED)
    details = LeaseNoted(LeaseStep.RETURN_ASKED, pool, lease.target)
    puts = return_puts(leases, leases.value, lease, back, now)
    try:
        await keep(
            context,
            incident,
            lambda fresh: noted(fresh, now, Event.REQUESTED, details, who=interaction.who, tell=False, request=back.id),
            due=now,
            also=puts,
            audit=(audited(back, now, "asked"),),
            once=(f"request:{interaction.key}",),
        )
    except AlreadyDone:
        raise Refused(refusals.RETURNING) from None
    return Answer()


async def prepare(context: Context, request: Request, _incident: Incident | None) -> Prepared:
    """Check shadow mode again, and compute the level: never below what others set since."""
    if why := return_block(context):
        raise Refused(f"{BLOCKS[why]}.")
    body = request.of(HandBack)
    held, lease = await lease_of(context, body.pool, body.lease)
    level, capacity = await level_of(context, body.pool)
    goes = lease_end(held.value, lease, level, capacity.minimum or 0)
    body = replace(body, target=goes.target, result=goes.result, last=goes.last)
    intent = replace(request, before=f"{level}", body=body)
    if goes.target is None:
        return Prepared(intent)
    put = Put(
        held, return_target(held.value, request.id, goes.target), context.now() + context.settings.file.timing.poll
    )
    return Prepared(intent, puts=(put,))


async def effect(context: Context, request: Request, _incident: Incident | None) -> Result:
    """Set the absolute target; request id and target are the Idempotency-Key."""
    body, pending = request.of(HandBack), None
    if body.target is not None:
        pending = await pool_scaler_of(context, body.pool).scaler.set(body.target, f"{request.id}.{body.target}")
    return await _performed(context, request, pending or "")


async def check(context: Context, request: Request, _incident: Incident | None) -> Result | None:
    """Read the scaler: it happened if the size is exactly the target; no proof if it was so before already."""
    body = request.of(HandBack)
    if body.target is None or request.before == f"{body.target}":
        return None
    level, capacity = await level_of(context, body.pool)
    return await _performed(context, request, capacity.pending) if level == body.target else None


async def _performed(context: Context, request: Request, pending: str) -> Result:
    body = request.of(HandBack)
    latest, floor = await sample_now(context, body.pool), context.settings.file.rules_of(body.pool).floor
    details = RunnersReturned(
        body.result or ReturnResult.NOTHING_LEFT,
        body.pool,
        int(request.before),
        body.target,
        body.last,
        body.why,
        latest.queued if latest else None,
        pending,
        normal=empty(latest, floor) is True,
    )
    after = "" if body.target is None else f"{body.target}"
    return Result(details, after, settles=body.lease)


def return_block(context: Context) -> ReturnBlock | None:
    """Why nothing can be returned now; None if possible."""
    actions = context.settings.file.actions
    if context.in_doubt():
        return ReturnBlock.RECORDS_LOST
    if not actions.enabled:
        return ReturnBlock.ACTIONS_OFF
    return ReturnBlock.SHADOW_MODE if actions.shadow else None


def return_request(context: Context, pool: str, lease: Lease, who: str, why: ReturnReason) -> Request:
    """A return request. Its id is computed from the lease, so that click and timer create the same one."""
    return Request(
        id=f"{lease.incident or 'x'}.{digest(HAND_BACK, lease.act, str(lease.tries))[:12]}",
        name=HAND_BACK,
        who=who,
        channel=lease.channel,
        requested_at=context.now(),
        body=HandBack(pool, lease.act, lease.who, why),
        incident=lease.incident,
    )


def return_puts(
    held: Stored[PoolLeases], leases: PoolLeases, lease: Lease, back: Request, now: float
) -> tuple[Put, Put]:
    """The lease with the return, and the due request."""
    return Put(held, with_lease(leases, replace(lease, returning=back.id)), now), put_new(back, now)


ACTION = Action(
    name=HAND_BACK,
    typed="handback",
    also=("undo", "return"),
    help="Return the extra runners now.",
    handle=handle,
    permission="scale",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("Undo"),
    reply_labels={Event.LEASE: ButtonLabel("Return now")},
    in_thread=True,
    kill_switch=True,
    events=(Event.LEASE,),
    effect=Effect(effect, prepare, check, moves_lease=True),
)
