"""Processes an alert delivery: open an incident, or join, ease or reopen the existing one."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.context.context import Context
from bot.context.save import LOST, LOST_THREADS, follows, keep, put_new
from bot.core.alert import (
    ANYBODY,
    GUESSED,
    AlertSender,
    Delivery,
    Kind,
    begun,
    changes_firing,
    heard,
    latest_states,
    merged,
)
from bot.core.audit_chain import AuditEntry
from bot.core.incident.details.events import Note, Noted
from bot.core.incident.incident import Incident, Thread, absorbed, noted, opened
from bot.core.incident.timeline import Event
from bot.core.record import AlreadyDone, Change, Conflict, EndedAlerts, KnownGroup, Put, Stored
from bot.core.routing import Route, named_pools, route
from bot.ports import Failure, Refused, Unreachable

TRIES = 20
ENDS_KEPT_SECONDS = 86400.0
"""How long the end of an alert without an incident is remembered."""


@dataclass(frozen=True, slots=True)
class RelatedIncident:
    """A known group with the same content under another key."""

    known: str | None
    """The present value of the index."""
    held: Stored[Incident] | None
    channel: str = ""
    ts: str = ""
    """The thread in Slack, if it has no record."""


NEW, NOBODY = KnownGroup(), RelatedIncident(None, None)
"""The first guesses for a firing alert, without a query; if they are wrong, the commit fails and the store is queried.
The first is for a group that this process has not heard of."""


class Taken(StrEnum):
    OPENED = "opened"
    JOINED = "joined"
    REPEATED = "repeated"
    TESTED = "tested"
    """The contact point's Test button: the connection works."""
    NOTHING_OPEN = "nothing_open"
    """A group without an open incident resolved."""
    OUTDATED = "outdated"
    """Every alert that it says fires has resolved since."""
    SUPPRESSED = "suppressed"
    """Its source notifies nobody of it; only a thread that has lost its record continues all the same."""


async def take_alert(context: Context, delivery: Delivery, sender: AlertSender = ANYBODY) -> Taken:
    """Store a delivery durably before its sender is answered.

    Raises Unreachable if it cannot be stored; then the sender is asked to send again. Raises Refused, and stores
    nothing, if the incident's channel is not one of the sender's.
    """
    if delivery.kind is Kind.TEST:
        return Taken.TESTED
    delivery = heard(delivery, context.now())
    _check_channel(sender, _route(context, delivery).channel)
    guess = delivery.firing and context.health.unheard(_index(delivery))
    for attempt in range(TRIES):
        known = NEW if guess else await context.store.open_under(_index(delivery), _mark(delivery), delivery.likeness)
        held = known.incident
        try:
            related = None
            if held is None:
                asked = attempt or known.repeated or delivery.suppressed or not delivery.firing
                related = await _related(context, delivery) if asked else NOBODY
            about = held or (related.held if related else None)
            if known.repeated and not (about and changes_firing(about.value.group.alerts, delivery.alerts)):
                return Taken.REPEATED
            if delivery.suppressed and (about is None or about.value.closed) and not (related and related.channel):
                return Taken.SUPPRESSED
            if about is None or _is_another_time(context, about.value, delivery):
                return await _open(context, delivery, known, related or await _related(context, delivery), sender)
            _check_channel(sender, about.value.thread.instead_of or about.value.thread.channel)
            return await _join(context, delivery, about, _once(delivery, known))
        except (AlreadyDone, Conflict):
            guess = False
    raise Unreachable("Redis", "this group is being written too often", failure=Failure.LATER, remedy="send again")


def _index(delivery: Delivery) -> str:
    return f"open:{delivery.key}"


def _mark(delivery: Delivery) -> str:
    """The key that makes a repeat nothing new."""
    return f"news:{delivery.news}"


def _once(delivery: Delivery, known: KnownGroup) -> tuple[str, ...]:
    """The mark to set; none where it stands already, and the group has changed since."""
    return () if known.repeated else (_mark(delivery),)


def _route(context: Context, delivery: Delivery) -> Route:
    file = context.settings.file
    return route(delivery.alerts, file.routes, file.default_route)


def _check_channel(sender: AlertSender, channel: str) -> None:
    if sender.channels and channel not in sender.channels:
        raise Refused(f'sender "{sender.name}" may not open or change incidents of the channel {channel}')


def _is_another_time(context: Context, incident: Incident, delivery: Delivery) -> bool:
    """Whether a firing group comes too late to continue in its old thread."""
    if not incident.closed or incident.closed_at is None or not begun(incident.group.alerts, delivery.alerts):
        return False
    return context.now() - incident.closed_at > context.settings.file.paces.reopen_within


async def _related(context: Context, delivery: Delivery) -> RelatedIncident:
    """The known group like this one; its incident is the same if either key was guessed, or if they share an alert.

    A changed route changes the key, and so does another order of its matchers.
    """
    known = await context.store.find(f"like:{delivery.likeness}")
    if known is None or known.startswith(LOST):
        channel, _, ts = (known or "").removeprefix(LOST).partition("|")
        return RelatedIncident(known, None, channel, ts)
    held = await context.store.get(Incident, known)
    group = held.value.group if held else None
    same = group and (
        delivery.guessed
        or group.group_key.startswith(GUESSED)
        or {alert.fingerprint for alert in group.alerts} & {alert.fingerprint for alert in delivery.alerts}
    )
    return RelatedIncident(known, held if same else None)


async def _open(
    context: Context, delivery: Delivery, known: KnownGroup, related: RelatedIncident, sender: AlertSender
) -> Taken:
    old = known.incident.value.id if known.incident else None
    past = known.ended or Stored(EndedAlerts(delivery.likeness), 0)
    if not delivery.firing:
        return await _remember_ends(context, delivery, old, related, past)
    file, now = context.settings.file, context.now()
    ended = past.value.alerts
    if not begun(ended, delivery.alerts):
        return Taken.OUTDATED
    where = _route(context, delivery)
    if related.channel:
        _check_channel(sender, related.channel)
    pools = named_pools(delivery.alerts, file.pools.values())
    thread = Thread(related.channel or where.channel, related.ts or None, mention=where.mention)
    latest = replace(delivery, alerts=latest_states(ended, delivery.alerts)) if ended else delivery
    incident = opened(context.new_id("i"), latest, now, thread, pools)
    if related.ts:
        incident = noted(incident, now, Event.NOTED, Noted(Note.RECORDS_LOST))
    forgotten = (_kept(past, EndedAlerts(past.value.id)),) if past.value.alerts else ()
    base, about = follows(None, incident), {"source": delivery.source, "channel": thread.channel}
    audit = AuditEntry(now, f"sender:{sender.name}", "alert", about, outcome=Taken.OPENED, incident=incident.id)
    like = {f"like:{delivery.likeness}": (incident.id, related.known)}
    change = Change(
        puts=(put_new(incident, now), *forgotten),
        unchanged=() if forgotten else (past,),
        point={**base.point, **like, _index(delivery): (incident.id, old)},
        join=(*base.join, ("receivers", f"{delivery.source}|{delivery.receiver}")),
        once=_once(delivery, known),
        once_value=incident.id,
        wake=(*base.wake, *_completing(context, delivery)),
        audit=(audit,) if sender.name else (),  # only a token of its own identifies a sender
    )
    await context.store.commit(change)
    return Taken.OPENED


def _kept(held: Stored[EndedAlerts], value: EndedAlerts) -> Put:
    return Put(held, value, None, keep_seconds=ENDS_KEPT_SECONDS)


async def _remember_ends(
    context: Context, delivery: Delivery, old: str | None, related: RelatedIncident, past: Stored[EndedAlerts]
) -> Taken:
    """Remember that these alerts have ended, in case their start arrives later; Conflict if an incident has opened."""
    ended = replace(past.value, alerts=merged(past.value.alerts, delivery.alerts))
    unchanged = {_index(delivery): ("", old), f"like:{delivery.likeness}": (related.known or "", related.known)}
    left = f"{related.channel}|{related.ts}|{context.now():.0f}" if related.channel else ""
    change = Change(
        puts=(_kept(past, ended),),
        point=unchanged,
        join=((LOST_THREADS, left),) if left else (),
        once=(_mark(delivery),),
        once_value=ended.id,
        wake=("chore:sweep",) if left else (),
    )
    await context.store.commit(change)
    return Taken.NOTHING_OPEN


async def _join(context: Context, delivery: Delivery, held: Stored[Incident], once: tuple[str, ...]) -> Taken:
    pools, now = named_pools(delivery.alerts, context.settings.file.pools.values()), context.now()
    wake = _completing(context, delivery)
    await keep(context, held, lambda known: absorbed(known, delivery, now, pools), due=now, once=once, wake=wake)
    return Taken.JOINED


def _completing(context: Context, delivery: Delivery) -> tuple[str, ...]:
    """Read omitted alerts from the sender's API, if configured (`bot.maintenance.resync`)."""
    can_be_asked = any(back_end.kind == delivery.source for back_end in context.alertmanagers.values())
    return ("chore:resync",) if delivery.truncated and can_be_asked else ()
