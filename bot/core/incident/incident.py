"""An incident and its legal moves: pure functions from one record to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.alert import Alert, Delivery, Kind
from bot.core.charts.queue_series import QueueSeries
from bot.core.forecast.outlook import Score
from bot.core.incident.correlate import Maxima
from bot.core.incident.details.details import Details
from bot.core.incident.details.general import AlertFired, AlertResolved, FiredAgain
from bot.core.incident.membership import changed, flaps, left_out
from bot.core.incident.silence import Silence as Silence  # noqa: PLC0414 - a part of the incident, known by this name
from bot.core.incident.timeline import Entry, Event, shortened
from bot.core.pool.pool import Peak, Snapshot


class State(StrEnum):
    """Where an incident stands."""

    OPEN = "open"
    EASING = "easing"
    """The alert has resolved, or a fix works, but the queue is not empty yet."""
    DRAINED = "drained"
    """Over: enough fresh samples in a row at or under every affected pool's floor."""
    RESOLVED = "resolved"
    """Over without a measured drain: by hand, or the alert resolved and no pool could be measured."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The figures that the thread was last told, to judge what is news."""

    at: float
    queued: int | None
    oldest_wait_seconds: float | None
    worst: str | None


@dataclass(frozen=True, slots=True)
class Thread:
    """Where the incident stands in Slack, and what is confirmed there."""

    channel: str
    root: str | None = None
    """The parent's `ts`, once Slack confirmed it."""
    shown: str = ""
    """Digest of the rendering that Slack confirmed last."""
    shown_at: float = 0.0
    instead_of: str | None = None
    """The channel that could not be used, when this one is the fallback."""
    mention: str | None = None
    """User group to tell once, when the thread opens."""
    plain: bool = False
    """Slack refused the full rendering; the minimal one is used."""
    tried_home_at: float = 0.0
    """When the channel that this one stands in for was tried last (epoch seconds)."""
    left: tuple[str, str] | None = None
    """(channel, `ts`) of a first message that must still say that the incident has gone home."""


@dataclass(frozen=True, slots=True)
class Incident:
    """What is open for one alert group; has exactly one thread."""

    id: str
    key: str
    source: str
    receiver: str
    group_key: str
    title: str
    kind: Kind
    opened_at: float
    thread: Thread
    state: State = State.OPEN
    alerts: tuple[Alert, ...] = ()
    truncated: int = 0
    deliveries: int = 1
    """How many deliveries of this group arrived, repeats included."""
    changed_at: float = 0.0
    """When `state` last changed."""
    closed_at: float | None = None
    candidates: tuple[str, ...] = ()
    """Pools of which the alert may speak; all of them are measured."""
    affected: tuple[str, ...] = ()
    """Candidates that were seen to queue; the drain is judged on these."""
    unknown_pools: tuple[str, ...] = ()
    """Names that the alert gives and the configuration does not know."""
    peaks: Mapping[str, Peak] = field(default_factory=dict)
    streaks: Mapping[str, int] = field(default_factory=dict)
    """Fresh samples in a row at or under the floor, by affected pool."""
    seen: Mapping[str, float] = field(default_factory=dict)
    """Time of the newest sample taken in, by pool."""
    owner: str | None = None
    acked_at: float | None = None
    owner_knows: int | None = None
    """Jobs queued when the owner was last told, or took it; None: not known yet."""
    escalated_at: float | None = None
    muted: bool = False
    silences: tuple[Silence, ...] = ()
    timeline: tuple[Entry, ...] = ()
    entries: int = 0
    """How many timeline entries were ever written."""
    outbox: tuple[int, ...] = ()
    """Numbers of the entries that the thread has not been told yet, oldest first."""
    redraw: tuple[int, ...] = ()
    """Numbers of the entries whose reply shows buttons that are decided (`core/choice.py`), or gets its picture."""
    charts: tuple[int, ...] = ()
    """Numbers of the entries whose reply stands and whose picture is being made (`core/picture.py`)."""
    courses: Mapping[str, QueueSeries] = field(default_factory=dict)
    """How the queue of each affected pool went."""
    reported: Reported | None = None
    scores: tuple[Score, ...] = ()
    """How the forecasts made while it was open came out; filled when it has drained."""
    maxima: Maxima | None = None
    """Which pools hold what the alert reports, when it names no pool (`core/correlate.py`)."""
    uses: Mapping[str, int] = field(default_factory=dict)
    """Action name → how often it was asked for; makes the ids of the buttons (`core/offer.py`)."""
    attempts: int = 0
    """Failures in a row to show this incident."""
    retry_at: float = 0.0
    trouble: str | None = None

    @property
    def closed(self) -> bool:
        """Whether the incident is over."""
        return self.state in {State.DRAINED, State.RESOLVED}

    @property
    def firing(self) -> tuple[Alert, ...]:
        """The alerts that fire now."""
        return tuple(alert for alert in self.alerts if alert.firing)

    @property
    def began_at(self) -> float:
        """The earliest start of an alert that had not ended by the opening, else the opening itself; epoch seconds."""
        starts = [a.starts_at for a in self.alerts if a.starts_at and (a.ends_at or self.opened_at) >= self.opened_at]
        return min([*starts, self.opened_at])

    @property
    def priority(self) -> str | None:
        """The most urgent priority among the alerts."""
        return min((alert.priority for alert in self.alerts if alert.priority), default=None)

    @property
    def active_silence(self) -> Silence | None:
        """The silence of this incident that has not been ended, the latest end first."""
        active = [silence for silence in self.silences if not silence.ended]
        return max(active, key=lambda silence: silence.ends_at, default=None)

    def entry(self, number: int) -> Entry | None:
        """The timeline entry with that number; None when it was dropped."""
        return next((entry for entry in self.timeline if entry.number == number), None)


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
    number = incident.entries + 1
    entry = Entry(number, at, event, details, who, figures=figures, broadcast=broadcast, see=see, request=request)
    return replace(
        incident,
        entries=number,
        timeline=shortened((*incident.timeline, entry)),
        outbox=(*incident.outbox, number) if tell else incident.outbox,
    )


def opened(incident_id: str, delivery: Delivery, now: float, thread: Thread, pools: "Named") -> Incident:
    """A new incident for a group that fires."""
    group = changed((), delivery.alerts)
    incident = Incident(
        id=incident_id,
        key=delivery.key,
        source=delivery.source,
        receiver=delivery.receiver,
        group_key=delivery.group_key,
        title=delivery.title,
        kind=delivery.kind,
        opened_at=now,
        changed_at=now,
        thread=thread,
        alerts=group.alerts,
        truncated=delivery.truncated + group.unshown,
        candidates=pools.candidates,
        affected=pools.named,
        unknown_pools=pools.unknown,
    )
    return noted(incident, now, Event.OPENED, AlertFired(delivery.title), tell=False)


@dataclass(frozen=True, slots=True)
class Named:
    """Which pools an alert group speaks of."""

    candidates: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def absorbed(incident: Incident, delivery: Delivery, now: float, pools: Named) -> Incident:
    """Take in another delivery of the group: members joined, resolved, or only repeated."""
    group = changed(incident.alerts, delivery.alerts)
    after = replace(
        incident,
        kind=incident.kind if delivery.kind is Kind.BLIND else delivery.kind,
        alerts=group.alerts,
        truncated=left_out(incident.alerts, delivery.alerts, delivery.truncated) + group.unshown,
        deliveries=incident.deliveries + 1,
        seen={**{name: now - 1 for name in pools.candidates if name not in incident.candidates}, **incident.seen},
        candidates=tuple(dict.fromkeys((*incident.candidates, *pools.candidates))),
        affected=tuple(dict.fromkeys((*incident.affected, *pools.named))),
        unknown_pools=tuple(dict.fromkeys((*incident.unknown_pools, *pools.unknown))),
    )
    if incident.closed:
        return reopened(after, now) if group.fresh else after
    calm = not flaps(incident.timeline, now)
    if group.fresh:
        after = noted(replace(after, streaks={}), now, Event.JOINED, group.news, tell=calm or bool(group.news.new))
        if after.state is State.EASING:
            after = replace(after, state=State.OPEN, changed_at=now)
    if incident.firing and not after.firing:
        after = replace(after, state=State.EASING, changed_at=now)
        after = noted(after, now, Event.ALERT_RESOLVED, AlertResolved(bool(after.candidates)), tell=calm)
    return after


def reopened(incident: Incident, now: float) -> Incident:
    """The same group fired again soon after the end: go on in the same thread, judged by samples from now on."""
    seen = {name: max(now - 1, incident.seen.get(name, 0)) for name in incident.candidates}
    again = replace(incident, state=State.OPEN, changed_at=now, closed_at=None, seen=seen, streaks={}, reported=None)
    again = replace(again, escalated_at=None, muted=False)
    return noted(again, now, Event.REOPENED, FiredAgain(now - (incident.closed_at or now)), broadcast=True)


def acked(incident: Incident, who: str, now: float) -> Incident:
    """Somebody has it; a second acknowledgement hands it over."""
    told = replace(incident, owner=who, acked_at=now, owner_knows=None)
    return noted(told, now, Event.ACKED, who=who, tell=False)


def muted(incident: Incident, who: str, now: float, *, on: bool) -> Incident:
    """Stop, or resume, status replies; the parent stays true either way."""
    event = Event.MUTED if on else Event.UNMUTED
    return noted(replace(incident, muted=on), now, event, who=who, tell=False)


def silenced(incident: Incident, silence: Silence) -> Incident:
    """A silence exists for this incident; one with the same request replaces what was known of it."""
    others = tuple(known for known in incident.silences if known.act != silence.act)
    return replace(incident, silences=(*others, silence))


def rooted(incident: Incident, channel: str, ts: str, shown: str, now: float) -> Incident:
    """Slack confirmed the parent."""
    thread = replace(incident.thread, channel=channel, root=ts, shown=shown, shown_at=now)
    return replace(incident, thread=thread, attempts=0, trouble=None)


def redrawn(incident: Incident, shown: str, now: float) -> Incident:
    """Slack confirmed an edit of the parent."""
    return replace(incident, thread=replace(incident.thread, shown=shown, shown_at=now), attempts=0, trouble=None)


def told(incident: Incident, number: int) -> Incident:
    """Slack confirmed the reply for one entry."""
    return replace(incident, outbox=tuple(n for n in incident.outbox if n != number), attempts=0, trouble=None)


def rewritten(incident: Incident, entry: Entry) -> Incident:
    """The incident with this entry in the place of the one with its number."""
    timeline = tuple(entry if known.number == entry.number else known for known in incident.timeline)
    return replace(incident, timeline=timeline)
