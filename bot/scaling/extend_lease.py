"""The action Extend on extra runners: one more lease, counted from now, within `max_lease`, approved like the raise."""

from dataclasses import replace

from bot.context.context import IN_THREAD, Action, Context, Effect
from bot.core.incident.details.requests import LeaseNoted, LeaseStep
from bot.core.incident.incident import Incident
from bot.core.incident.reply_buttons import decided
from bot.core.incident.timeline import Decision, Event
from bot.core.record import Prepared, Put
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction
from bot.core.requests.request import ExtendLease, Request, Result
from bot.core.scaling.lease import EXTEND, HAND_BACK, Lease, extended_end, with_lease
from bot.core.scaling.limits import ScalePolicy
from bot.core.words import time_left
from bot.ports import Refused
from bot.requests.submit import new_request, own_of, submit
from bot.scaling.approval import asked_for
from bot.scaling.hand_back import lease_in_thread, lease_of
from bot.scaling.limits import check_approval, pool_scaler_of, require_approvers
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Store the request: the worker extends, after an approval if the raise needed one."""
    raised, incident, _, lease = await lease_in_thread(context, interaction)
    pool = raised.pool
    _until(pool_scaler_of(context, pool).policy, lease, context.now())
    require_approvers(context, pool, lease.target, in_thread=True)
    body = ExtendLease(pool, lease.act, lease.target)
    own = await own_of(context, interaction, incident, lease.act, f"{lease.ends_at}")
    request = new_request(context, replace(interaction, request_id=own), incident, body)
    request, move = asked_for(context, request, lease.target, tell=False)

    def decide(fresh: Incident) -> Incident:
        return move(decided(fresh, lease.act, Decision.SETTLED, (EXTEND,)))

    await submit(context, interaction, incident, request, decide, over=True)
    return Answer()


async def prepare(context: Context, request: Request, _incident: Incident | None) -> Prepared:
    """Check approval and lease again; the new end is stored with the intent."""
    body, now = request.of(ExtendLease), context.now()
    held, lease = await lease_of(context, body.pool, body.lease)
    await check_approval(context, request, lease.target)
    until = _until(pool_scaler_of(context, body.pool).policy, lease, now)
    longer = with_lease(held.value, replace(lease, ends_at=until, warned=False))
    return Prepared(request, puts=(Put(held, longer, now),))


async def effect(context: Context, request: Request, _incident: Incident | None) -> Result:
    """Nothing is left to do: the lease was extended with the intent."""
    body = request.of(ExtendLease)
    _, lease = await lease_of(context, body.pool, body.lease)
    kept = LeaseNoted(LeaseStep.EXTENDED, body.pool, body.target, (lease.ends_at or 0.0) - context.now())
    return Result(kept)


def _until(policy: ScalePolicy, lease: Lease, now: float) -> float:
    """The new end; raises Refused if it cannot be later than now."""
    if lease.returning:
        raise Refused(refusals.RETURNING)
    if policy.lease_seconds is None or lease.ends_at is None:
        raise Refused(refusals.NO_LEASE)
    if (until := extended_end(lease, policy, now)) is not None:
        return until
    left = time_left(lease.ends_at - now)
    if policy.max_lease_seconds is not None and lease.ends_at < now + policy.lease_seconds:
        raise Refused(refusals.longest_lease(left, policy.max_lease_seconds))
    raise Refused(refusals.stays_anyway(left))


ACTION = Action(
    name=EXTEND,
    help="Keep extra runners for one more lease.",
    handle=handle,
    permission="scale",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("Extend"),
    in_thread=True,
    kill_switch=True,
    meant_by=(HAND_BACK,),
    events=(Event.LEASE,),
    effect=Effect(effect, prepare, effect, moves_lease=True),
)
