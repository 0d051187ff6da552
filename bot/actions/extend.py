"""Extend: extra capacity stays one lease longer, counted from now."""

from bot.core.choice import decided
from bot.core.incident import Incident, noted
from bot.core.lease import Lease, extended
from bot.core.observe import View
from bot.core.offer import Offer
from bot.core.record import AlreadyDone, AuditEntry, Put
from bot.core.request import Answer, Request
from bot.core.timeline import Event
from bot.core.words import duration
from bot.desk import Desk
from bot.ports import Refused
from bot.stories.ask import acting, permit
from bot.stories.below import below
from bot.stories.keep import keep
from bot.stories.levers import lever_of

NAME, VERB, USAGE = "extend", "extend", "extend"
HELP = "Keep extra runners for one more lease (in an incident's thread)."
LEAST_SECONDS = 60.0
"""An extension by less is a second click."""


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """Its button stands below the reply that warns of the end."""
    return None


async def ask(desk: Desk, request: Request) -> Answer:
    """Put the end off, in the lease's own record."""
    acting(desk)
    await permit(desk, request.who, request.team, "scale")
    about, incident = await below(desk, request)
    raised = await desk.act(about)
    lease = await desk.store.get(Lease, raised.pool) if raised and raised.pool else None
    share = lease.value.share(about) if lease else None
    if lease is None or share is None or share.returning:
        raise Refused("Those runners have been handed back already, or are being handed back.")
    length, now = lever_of(desk, lease.value.id).policy.lease_seconds, desk.now()
    if length is None or share.ends_at is None:
        raise Refused("These runners have no lease that could be extended.")
    if now + length - share.ends_at < LEAST_SECONDS:
        raise Refused(f"They stay for {duration(share.ends_at - now)} more already.")
    words = f"keeps the extra runners of {lease.value.id} (to {share.target:,}) for {duration(length)} from now."

    def move(fresh: Incident) -> Incident:
        return noted(decided(fresh, about, "Extended.", (NAME,)), now, Event.LENT, words, who=request.who)

    parameters = {"pool": lease.value.id, "target": f"{share.target}", "seconds": f"{length:.0f}"}
    audit = AuditEntry(now, request.who, NAME, parameters, outcome="extended", act=about, incident=incident.value.id)
    put = Put(lease, extended(lease.value, share, now + length), now)
    try:
        await keep(desk, incident, move, due=now, also=(put,), audit=(audit,), once=(f"request:{request.key}",))
    except AlreadyDone:
        raise Refused("That was already extended.") from None
    return Answer()
