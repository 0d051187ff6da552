"""An alert arrived: open an incident, join, ease or reopen the one there is, or see that it says nothing new."""

from dataclasses import replace
from enum import StrEnum

from bot.core.alert import Delivery, Kind, begun
from bot.core.incident import Incident, Thread, absorbed, opened
from bot.core.record import AlreadyDone, Conflict, Held
from bot.core.routing import named_pools, route
from bot.desk import Desk
from bot.ports import Failure, Unreachable
from bot.stories.keep import follows, keep, put_new

TRIES = 20


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


async def take_alert(desk: Desk, delivery: Delivery) -> Taken:
    """Store what a delivery says, durably, before anybody answers its sender.

    Raises Unreachable when it cannot be stored; the sender is then asked to send again.
    """
    if delivery.kind is Kind.TEST:
        return Taken.TESTED
    index, mark = f"open:{delivery.key}", f"news:{delivery.news}"
    for _ in range(TRIES):
        known, held = await desk.store.open_under(index, mark)
        if known:
            return Taken.REPEATED
        try:
            if held is None or _is_another_time(desk, held.value, delivery):
                return await _open(desk, delivery, index, mark, held)
            return await _join(desk, delivery, mark, held)
        except AlreadyDone:
            return Taken.REPEATED
        except Conflict:
            continue
    raise Unreachable("Redis", "this group is being written too often; send again", failure=Failure.LATER)


def _is_another_time(desk: Desk, incident: Incident, delivery: Delivery) -> bool:
    """Whether a firing that belongs to no open incident comes too late to go on in the old thread."""
    if not incident.closed or incident.closed_at is None:
        return False
    return (
        bool(begun(incident.alerts, delivery.alerts))
        and desk.now() - incident.closed_at > desk.settings.file.paces.reopen_within
    )


async def _open(desk: Desk, delivery: Delivery, index: str, mark: str, old: Held[Incident] | None) -> Taken:
    if not delivery.firing:
        return Taken.NOTHING_OPEN
    file = desk.settings.file
    where = route(delivery.alerts, file.routes, file.default_route)
    pools = named_pools(delivery.alerts, file.pools.values())
    thread = Thread(where.channel, mention=where.mention)
    incident = opened(desk.new_id("i"), delivery, desk.now(), thread, pools)
    change = replace(
        follows(None, incident),
        puts=(put_new(incident, desk.now()),),
        point={index: (incident.id, old.value.id if old else None)},
        once=(mark,),
        once_value=incident.id,
    )
    await desk.store.commit(change)
    return Taken.OPENED


async def _join(desk: Desk, delivery: Delivery, mark: str, held: Held[Incident]) -> Taken:
    pools = named_pools(delivery.alerts, desk.settings.file.pools.values())
    now = desk.now()
    await keep(desk, held, lambda incident: absorbed(incident, delivery, now, pools), due=now, once=(mark,))
    return Taken.JOINED
