"""Hand back: extra capacity goes back, now or when its lease is over, unless somebody else has moved the pool."""

from dataclasses import replace

from bot.context.context import Context
from bot.context.save import keep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool
from bot.core.record import AlreadyDone, Prepared, Put
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer
from bot.core.requests.request import Request, Result
from bot.core.scaling.lease import PoolLeases, lease_end, return_target
from bot.core.words import count
from bot.ports import Refused
from bot.requests.permission import acting, already, audited, permit, still_permitted
from bot.requests.reply_buttons import GONE, lease_in_thread
from bot.scaling.hand_back import NAME as _NAME
from bot.scaling.hand_back import begun, hindrance, return_request
from bot.scaling.limits import level_of, lever_of

NAME, VERB, USAGE = _NAME, "handback", "handback"
HELP = "Hand extra runners back now (in an incident's thread)."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """Its button stands below the replies that speak of the extra runners."""
    return None


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Write the request; the worker sets the level. The lease asks for the very same request when it ends."""
    acting(context)
    await permit(context, interaction.who, interaction.team, "scale")
    found = await lease_in_thread(context, interaction)
    lease, share = found.lease, found.share
    if not found.raised.finished:
        raise Refused("That scale action has not come to its end yet; ask again in a minute.")
    if known := await context.request(share.returning):
        raise already(context, known) if known.who else Refused("They are being handed back already.")
    back, now = return_request(context, lease.value.id, share, interaction.who, "asked"), context.now()
    words = f"asked to hand back the extra runners of {lease.value.id} (to {share.target:,})."
    puts = begun(lease, lease.value, share, back, now)
    try:
        await keep(
            context,
            found.incident,
            lambda fresh: noted(fresh, now, Event.REQUESTED, words, who=interaction.who, tell=False),
            due=now,
            also=puts,
            audit=(audited(back, now, "asked"),),
            once=(f"request:{interaction.key}",),
        )
    except AlreadyDone:
        raise Refused("They are being handed back already.") from None
    return Answer()


async def prepare(context: Context, request: Request, incident: Incident | None) -> Prepared:  # noqa: ARG001 - the contract's shape
    """Kill switch, permission, and where the level goes: never below what others set since."""
    if why := hindrance(context):
        raise Refused(f"{why}.")
    if request.who:
        await still_permitted(context, request.who, "scale")
    pool = request.pool or ""
    held = await context.store.get(PoolLeases, pool)
    share = held.value.share(request.params["share"]) if held else None
    if held is None or share is None:
        raise Refused(GONE)
    level, capacity = await level_of(context, pool)
    goes = lease_end(held.value, share, level, capacity.minimum or 0)
    params = {name: value for name, value in request.params.items() if name != "target"}
    intent = replace(request, before=f"{level}", outcome=goes.words, params=params)
    if goes.target is None:
        return Prepared(intent)
    intent = replace(intent, params={**params, "target": f"{goes.target}"})
    put = Put(
        held, return_target(held.value, request.id, goes.target), context.now() + context.settings.file.timing.poll
    )
    return Prepared(intent, puts=(put,))


async def effect(context: Context, request: Request, incident: Incident | None) -> Result:  # noqa: ARG001
    """Set the absolute target; request id and target together are the Idempotency-Key."""
    if target := request.params.get("target"):
        await lever_of(context, request.pool or "").scaler.set(int(target), f"{request.id}.{target}")
    return await _performed(context, request)


async def check(context: Context, request: Request, incident: Incident | None) -> Result | None:  # noqa: ARG001
    """Read the scaler back: exactly at the target means that it happened."""
    target = request.params.get("target")
    if target is None:
        return None
    level, _ = await level_of(context, request.pool or "")
    return await _performed(context, request) if level == int(target) else None


async def _performed(context: Context, request: Request) -> Result:
    why = {"drained": "The queue has drained.", "ended": "The lease has ended."}.get(request.params.get("why", ""), "")
    pool = await context.store.get(Pool, request.pool or "")
    latest = pool.value.latest if pool else None
    waiting = f"{count(latest.queued, 'job')} still waiting." if latest and latest.queued else ""
    lines = tuple(line for line in (why, waiting) if line)
    return Result(request.outcome, request.params.get("target", ""), Event.LENT, lines, settles=request.params["share"])
