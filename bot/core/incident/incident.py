"""An incident and its state changes: pure functions from one record to the next."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.alert import Delivery, Kind
from bot.core.incident.details.actions import ActionNoted
from bot.core.incident.details.details import Details
from bot.core.incident.details.events import AlertFired, AlertOddities, AlertResolved, FiredAgain, Note, Noted
from bot.core.incident.membership import AlertGroup, changed, group_of, left_out
from bot.core.incident.pools import IncidentPools
from bot.core.incident.silence import Silence as Silence  # noqa: PLC0414 - a part of the incident, known by this name
from bot.core.incident.silence import coverage
from bot.core.incident.timeline import Entry, Event, IncidentLog, shortened
from bot.core.pool.pool import Snapshot
from bot.core.routing import Named

YEAR_2000 = 946_684_800.0
"""Epoch seconds; an earlier start, such as the year 1, is a sender's word for none."""


class State(StrEnum):
    OPEN = "open"
    EASING = "easing"
    """The alert has resolved, or the queue is back to normal, but the incident has not drained."""
    DRAINED = "drained"
    """Ended: enough fresh samples in a row at or under every affected pool's floor, or with normal waits."""
    RESOLVED = "resolved"
    """Ended without a measured drain: closed by somebody, or resolved without a measurable pool."""


@dataclass(frozen=True, slots=True)
class Thread:
    """The incident's place in Slack, and its confirmed content."""

    channel: str
    root: str | None = None
    """The parent's `ts`, once Slack confirmed it."""
    shown: str = ""
    """Digest of the last rendering that Slack confirmed."""
    shown_at: float = 0.0
    replies_next: bool = False
    """It was edited while replies waited for an edit, so it is their turn."""
    instead_of: str | None = None
    """The channel that could not be used, if this is the fallback."""
    mention: str | None = None
    called: bool = True
    """Whether the first message called that group; not for an incident that was over before Slack took it."""
    plain: bool = False
    """Slack refused the full rendering, so the minimal one is used."""
    tried_home_at: float = 0.0
    """When the original channel was last tried (epoch seconds)."""
    left: tuple[str, str] | None = None
    """(channel, `ts`) of a first message that must still point to the new thread."""

    @property
    def posted_at(self) -> float | None:
        """When Slack took the parent (epoch seconds); None before that. A `ts` is Slack's time of posting."""
        try:
            return float(self.root or "")
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who acknowledged, and whether it was escalated."""

    owner: str | None = None
    acked_at: float | None = None
    owner_knows: int | None = None
    """Queued jobs when the owner acknowledged or was last notified; None: unknown. Doublings count from then."""
    escalated_at: float | None = None
    by_acting: bool = False
    """Whether the owner did not say so, but scaled or silenced."""
    handed_by: str | None = None
    """User id of who handed it over to the owner; None: the owner took it."""
    muted: bool = False
    """No status replies; the parent stays true."""


@dataclass(frozen=True, slots=True)
class DeliveryTrouble:
    """Why the incident could not be shown in Slack, and when that is tried again."""

    attempts: int = 0
    """Failures in a row."""
    retry_at: float = 0.0
    why: str | None = None

    def over(self) -> "DeliveryTrouble":
        """Slack confirmed something: nothing is in the way."""
        return replace(self, attempts=0, why=None) if self.attempts or self.why is not None else self


@dataclass(frozen=True, slots=True)
class Incident:
    """One alert group from its opening to its end; has exactly one thread."""

    id: str
    group: AlertGroup
    opened_at: float
    thread: Thread
    state: State = State.OPEN
    changed_at: float = 0.0
    """When `state` last changed."""
    closed_at: float | None = None
    first_start: float | None = None
    """The start that its alerts no longer tell, because the first one has fired again; epoch seconds."""
    pools: IncidentPools = field(default_factory=IncidentPools)
    ownership: Ownership = field(default_factory=Ownership)
    silences: tuple[Silence, ...] = ()
    log: IncidentLog = field(default_factory=IncidentLog)
    trouble: DeliveryTrouble = field(default_factory=DeliveryTrouble)
    uses: Mapping[str, int] = field(default_factory=dict)
    """Action name → number of uses; part of the buttons' ids."""

    @property
    def closed(self) -> bool:
        return self.state in {State.DRAINED, State.RESOLVED}

    @property
    def began_at(self) -> float:
        """The earliest start of an alert that still fired at the opening, else the opening; epoch seconds."""
        fired = (a.starts_at for a in self.group.alerts if (a.ends_at or self.opened_at) >= self.opened_at)
        return min([start for start in (self.first_start, *fired) if start and start > YEAR_2000] + [self.opened_at])

    def lasted(self, until: float) -> float:
        """Seconds from the start of its alerts to its end, or to that time if it is still open then."""
        return max(0.0, min(until, self.closed_at or until) - self.began_at)

    @property
    def active_silence(self) -> Silence | None:
        active = [silence for silence in self.silences if not silence.ended]
        return max(active, key=lambda silence: silence.ends_at, default=None)


def noted(  # noqa: PLR0913 - an entry's parts, named at every call
    incident: Incident,
    at: float,
    event: Event,
    details: Details | None = None,
    *,
    who: str | None = None,
    figures: tuple[Snapshot, ...] = (),
    tell: bool = True,
    broadcast: bool = False,
    see: str = "",
    request: str = "",
) -> Incident:
    """Add a timeline entry; `tell` also puts it into the outbox, to become a reply in the thread."""
    log, number = incident.log, incident.log.entries + 1
    entry = Entry(number, at, event, details, who, figures=figures, broadcast=broadcast, see=see, request=request)
    outbox = (*log.outbox, number) if tell else log.outbox
    timeline = shortened((*log.timeline, entry))
    return replace(incident, log=replace(log, entries=number, timeline=timeline, outbox=outbox))


def opened(incident_id: str, delivery: Delivery, now: float, thread: Thread, pools: Named) -> Incident:
    """A new incident for a group that fires."""
    known = IncidentPools(pools.candidates, pools.named, pools.unknown)
    log = IncidentLog((Entry(1, now, Event.OPENED, AlertFired(delivery.title, introduced=False)),), entries=1)
    incident = Incident(incident_id, group_of(delivery), now, thread, changed_at=now, pools=known, log=log)
    return noted(incident, now, Event.NOTED, AlertOddities(delivery.oddities)) if delivery.oddities else incident


def absorbed(incident: Incident, delivery: Delivery, now: float, pools: Named) -> Incident:
    """Process another delivery of the group: members joined, resolved, or were repeated."""
    found = changed(incident.group.alerts, delivery.alerts)
    group = replace(
        incident.group,
        kind=incident.group.kind if delivery.kind is Kind.BLIND else delivery.kind,
        alerts=found.alerts,
        truncated=left_out(incident.group.alerts, delivery.alerts, delivery.truncated) + found.unshown,
        deliveries=incident.group.deliveries + 1,
    )
    after = replace(incident, group=group, pools=incident.pools.naming(pools, now))
    if after.began_at > incident.began_at:
        after = replace(after, first_start=incident.began_at)
    if incident.closed:
        return reopened(after, now) if found.fresh else after
    if found.fresh:
        after = replace(after, pools=replace(after.pools, streaks={}))
        news = replace(found.news, coverage=coverage(after.silences, group.alerts, now))
        after = noted(after, now, Event.JOINED, news, tell=bool(news.new or news.blind or news.errors))
        if after.state is State.EASING:
            after = replace(after, state=State.OPEN, changed_at=now)
    if incident.group.firing and not after.group.firing:
        watched, silent = bool(after.pools.candidates) and after.group.kind is not Kind.BLIND, after.group.silent
        details, event = AlertResolved(watched, silent), Event.NOTED if silent else Event.ALERT_RESOLVED
        after = after if silent else replace(after, state=State.EASING, changed_at=now)
        after = noted(after, now, event, details, tell=bool(silent))
    return after


def listed(incident: Incident, absent: Collection[str], now: float) -> Incident:
    """Its source has listed what fires: all of its alerts but those with the `absent` fingerprints."""
    since = {alert.fingerprint: alert.unlisted_since or now for alert in incident.group.firing}
    alerts = tuple(
        replace(alert, unlisted_since=since.get(alert.fingerprint) if alert.fingerprint in absent else None)
        for alert in incident.group.alerts
    )
    return replace(incident, group=replace(incident.group, alerts=alerts))


def reopened(incident: Incident, now: float, who: str | None = None) -> Incident:
    """The same group fired again, or a close is taken back: continue in the same thread, judged by new samples."""
    known = incident.pools
    seen = {name: max(now - 1, known.seen.get(name, 0)) for name in known.candidates}
    again = replace(
        incident,
        state=State.OPEN if who is None or incident.group.firing or incident.group.silent else State.EASING,
        changed_at=now,
        closed_at=None,
        pools=replace(known, seen=seen, streaks={}, reported=None),
        ownership=replace(incident.ownership, escalated_at=None, muted=False),
    )
    fired = FiredAgain(now - (incident.closed_at or now)) if who is None else None
    return noted(again, now, Event.REOPENED, fired, who=who, broadcast=who is None)


def muted(incident: Incident, who: str, now: float, *, on: bool) -> Incident:
    """Stop or resume status replies; the parent is always updated."""
    event, step = (Event.MUTED, "on") if on else (Event.UNMUTED, "off")
    after = replace(incident, ownership=replace(incident.ownership, muted=on))
    return noted(after, now, event, ActionNoted("mute", step), who=who, tell=False)


def silenced(incident: Incident, silence: Silence) -> Incident:
    """Add a silence; one of the same request replaces the known one."""
    others = tuple(known for known in incident.silences if known.act != silence.act)
    return replace(incident, silences=(*others, silence))


def rooted(incident: Incident, channel: str, ts: str, shown: str, now: float) -> Incident:
    """Slack confirmed the parent."""
    thread = replace(incident.thread, channel=channel, root=ts, shown=shown, shown_at=now)
    return replace(incident, thread=thread, trouble=incident.trouble.over())


def redrawn(incident: Incident, shown: str, now: float) -> Incident:
    """Slack confirmed an edit of the parent; while a reply waits, which may be what fails, failures stay counted."""
    thread = replace(incident.thread, shown=shown, shown_at=now, replies_next=bool(incident.log.redraw))
    return replace(
        incident, thread=thread, trouble=incident.trouble if incident.log.outbox else incident.trouble.over()
    )


def reply_posted(incident: Incident, number: int) -> Incident:
    """Slack confirmed the reply for one entry."""
    return replace(incident, log=incident.log.reply_posted(number), trouble=incident.trouble.over())


def rewritten(incident: Incident, entry: Entry) -> Incident:
    """Replace the entry with the same number."""
    return replace(incident, log=incident.log.rewritten(entry))


def troubled(incident: Incident, why: str) -> Incident:
    """It could not be shown, and that says nothing of the incident itself."""
    return replace(incident, trouble=replace(incident.trouble, why=why))


def paused(incident: Incident, until: float) -> Incident:
    """Not shown before that time, whatever happens to it."""
    return replace(incident, trouble=replace(incident.trouble, retry_at=until))


def moved(incident: Incident, channel: str, now: float) -> Incident:
    """The incident in the fallback channel, with a new thread."""
    old = incident.thread
    own, left = old.instead_of or old.channel, (old.channel, old.root) if old.root else old.left
    thread = Thread(channel, instead_of=own, mention=old.mention, plain=old.plain, tried_home_at=now, left=left)
    return replace(incident, thread=thread)


def in_own_channel(incident: Incident) -> Incident:
    """The incident as in its own channel; the mention has been made already."""
    old = incident.thread
    return replace(incident, thread=Thread(old.instead_of or old.channel, plain=old.plain))


def returned(incident: Incident, ts: str, shown: str, now: float) -> Incident:
    """Slack confirmed the new first message; the one in the fallback channel must still point to it."""
    old = incident.thread
    own = replace(in_own_channel(incident).thread, root=ts, shown=shown, shown_at=now)
    left = (old.channel, old.root) if old.root else None
    back = replace(incident, thread=replace(own, left=left), trouble=incident.trouble.over())
    return noted(back, now, Event.NOTED, Noted(Note.BACK_IN_CHANNEL))


def owner_knows_worse(incident: Incident, since: float) -> bool:
    """Whether its owner was told since then that the queue is much worse."""
    owner = incident.ownership.owner
    worse = (one for one in incident.log.timeline if one.event is Event.WORSE and one.at > since)
    return owner is not None and any(one.whom == owner for one in worse)
