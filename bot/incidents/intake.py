"""An alert arrived: open an incident, join, ease or reopen the one there is, or see that it says nothing new."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.context.context import Context
from bot.context.save import LOST, follows, keep, put_new
from bot.core.alert import GUESSED, Delivery, Kind, begun
from bot.core.incident.details.general import Note, Noted
from bot.core.incident.incident import Incident, Thread, absorbed, noted, opened
from bot.core.incident.timeline import Event
from bot.core.record import AlreadyDone, Conflict, Stored
from bot.core.routing import named_pools, route
from bot.ports import Failure, Unreachable

TRIES = 20


@dataclass(frozen=True, slots=True)
class RelatedIncident:
    """What is known of a group under another key of it."""

    known: str | None
    """What the index says now."""
    held: Stored[Incident] | None
    channel: str = ""
    ts: str = ""
    """A thread that stands in Slack and has no record."""


NOBODY = RelatedIncident(None, None)
"""The first guess for a firing, without asking: the commit finds out when it is wrong, and then the store is asked."""


@dataclass(frozen=True, slots=True)
class IndexSlot:
    """Where a new incident is entered: the index of its key, what that points to now, and the delivery's mark."""

    index: str
    mark: str
    old: str | None


class Taken(StrEnum):
    """What became of a delivery."""

    OPENED = "opened"
    JOINED = "joined"
    REPEATED = "repeated"
    """It said nothing new."""
    TESTED = "tested"
    """The contact point's Test button: the connection works."""
    NOTHING_OPEN = "nothing_open"
    """A group resolved that has no open incident."""


async def take_alert(context: Context, delivery: Delivery) -> Taken:
    """Store what a delivery says, durably, before anybody answers its sender.

    Raises Unreachable when it cannot be stored; the sender is then asked to send again.
    """
    if delivery.kind is Kind.TEST:
        return Taken.TESTED
    index, mark = f"open:{delivery.key}", f"news:{delivery.news}"
    for attempt in range(TRIES):
        known, held = await context.store.open_under(index, mark)
        if known:
            return Taken.REPEATED
        try:
            kin = None
            if held is None:
                kin = await _kin(context, delivery) if attempt or not delivery.firing else NOBODY
            about = held or (kin.held if kin else None)
            if about is None or _is_another_time(context, about.value, delivery):
                return await _open(context, delivery, IndexSlot(index, mark, held.value.id if held else None), kin)
            return await _join(context, delivery, mark, about)
        except AlreadyDone:
            return Taken.REPEATED
        except Conflict:
            continue
    raise Unreachable("Redis", "this group is being written too often", failure=Failure.LATER, remedy="send again")


def _is_another_time(context: Context, incident: Incident, delivery: Delivery) -> bool:
    """Whether a firing that belongs to no open incident comes too late to go on in the old thread."""
    if not incident.closed or incident.closed_at is None:
        return False
    return (
        bool(begun(incident.group.alerts, delivery.alerts))
        and context.now() - incident.closed_at > context.settings.file.paces.reopen_within
    )


async def _kin(context: Context, delivery: Delivery) -> RelatedIncident:
    """What is known of a group like this one; its incident counts as the same when either key was only guessed."""
    known = await context.store.find(f"like:{delivery.likeness}")
    if known is None or known.startswith(LOST):
        channel, _, ts = (known or "").removeprefix(LOST).partition("|")
        return RelatedIncident(known, None, channel, ts)
    held = await context.store.get(Incident, known)
    same = held is not None and (delivery.guessed or held.value.group.group_key.startswith(GUESSED))
    return RelatedIncident(known, held if same else None)


async def _open(context: Context, delivery: Delivery, spot: IndexSlot, kin: RelatedIncident | None) -> Taken:
    if not delivery.firing:
        return Taken.NOTHING_OPEN
    file, now = context.settings.file, context.now()
    kin = kin or await _kin(context, delivery)
    where = route(delivery.alerts, file.routes, file.default_route)
    pools = named_pools(delivery.alerts, file.pools.values())
    thread = Thread(kin.channel or where.channel, kin.ts or None, mention=where.mention)
    incident = opened(context.new_id("i"), delivery, now, thread, pools)
    if kin.ts:
        incident = noted(incident, now, Event.NOTED, Noted(Note.RECORDS_LOST))
    base = follows(None, incident)
    like = {f"like:{delivery.likeness}": (incident.id, kin.known)}
    change = replace(
        base,
        puts=(put_new(incident, now),),
        point={**base.point, **like, spot.index: (incident.id, spot.old)},
        join=(*base.join, ("receivers", f"{delivery.source}|{delivery.receiver}")),
        once=(spot.mark,),
        once_value=incident.id,
        wake=(*base.wake, *_completing(context, delivery)),
    )
    await context.store.commit(change)
    return Taken.OPENED


async def _join(context: Context, delivery: Delivery, mark: str, held: Stored[Incident]) -> Taken:
    pools = named_pools(delivery.alerts, context.settings.file.pools.values())
    now = context.now()
    wake = _completing(context, delivery)
    await keep(context, held, lambda known: absorbed(known, delivery, now, pools), due=now, once=(mark,), wake=wake)
    return Taken.JOINED


def _completing(context: Context, delivery: Delivery) -> tuple[str, ...]:
    """What the sender left out is read from its API at once, where one is configured (`bot.maintenance.resync`)."""
    can_be_asked = any(back_end.kind == delivery.source for back_end in context.alertmanagers.values())
    return ("chore:resync",) if delivery.truncated and can_be_asked else ()
