"""Everything that a behavior may use, filled by `handlers/wiring.py`; and the declaration of an action."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from bot.config import Settings
from bot.context.fleet import FEW, Fleet, looked_at
from bot.context.making import Making
from bot.context.past import PastReader
from bot.core.alert_holder import Holder, holders
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.timeline import Entry, Event
from bot.core.notifications.tell import LeftToTell, Tell
from bot.core.pool.pool import Pool, fresh
from bot.core.record import Prepared, Stored
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Offer, Surface, request_id
from bot.core.requests.request import Request, Result
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Alertmanager, Chat, IssueTracker, Jobs, Metrics, Pager, Scaler, Sns, Store

MOST_GROUPS = 10_000
"""Groups that a process remembers."""


@dataclass(slots=True)
class Health:
    """One sentence per dependency, for /readyz and the log; empty if it works. Never stored."""

    redis: str = ""
    slack: str = ""
    socket_mode: str = ""
    records: str = ""
    """Set while lost records are being recovered; no action runs until then."""
    pagers: dict[str, str] = field(default_factory=dict)
    """By name: why a pager could not be reached the last time."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """By configured name: why a metrics source did not answer this process the last time."""
    resumed_at: float = 0.0
    """Since when this process works without a gap (epoch seconds of the product's clock)."""
    crowded: dict[str, float] = field(default_factory=dict)
    """By channel: until when replies wait behind first messages (epoch seconds)."""
    simplified: Counter[str] = field(default_factory=Counter)
    """How often this process omitted a kind of block because Slack refused it."""
    accepted: set[str] = field(default_factory=set)
    """Kinds of newer blocks that this process sent successfully and stored as accepted."""
    groups: set[str] = field(default_factory=set, compare=False)
    """Indexes of alert groups that this process heard of lately."""

    def unheard(self, index: str) -> bool:
        """Whether this group is new to the process; from now on it is not."""
        new = index not in self.groups
        if len(self.groups) >= MOST_GROUPS:
            self.groups.clear()
        self.groups.add(index)
        return new


@dataclass(frozen=True, slots=True)
class PoolScaler:
    scaler: Scaler
    policy: ScalePolicy


@dataclass(slots=True)
class Context:
    """Ports, clocks and settings. `settings` may be replaced at any time: always read it anew."""

    settings: Settings
    store: Store
    chat: Chat
    metrics: Mapping[str, Metrics]
    """By pool name: its metrics source."""
    pool_scalers: Mapping[str, PoolScaler]
    """By pool name."""
    alertmanagers: Mapping[str, Alertmanager]
    """By configured name."""
    now: Callable[[], float]
    """Epoch seconds."""
    monotonic: Callable[[], float]
    """Seconds that never jump, for waits and leases inside this process."""
    actions: "Mapping[str, Action]"
    """By name, in display order."""
    new_id: Callable[[str], str]
    """A new opaque id with a prefix, from a cryptographic source."""
    pagers: Mapping[str, Pager] = field(default_factory=dict)
    """By configured name; the address of an old `[outside_slack]` is named OUTSIDE."""
    sns: Sns | None = None
    issues: IssueTracker | None = None
    jobs: Jobs | None = None
    health: Health = field(default_factory=Health)
    past: PastReader = field(default_factory=PastReader)
    fleet: Fleet = field(default_factory=Fleet)
    making: Making = field(default_factory=Making)
    tellings: "Mapping[str, Telling]" = field(default_factory=dict)
    """By kind of what a person is told later: what is left to tell when it leaves."""

    async def close(self) -> None:
        """End what is done in the background."""
        await self.past.close()
        await self.making.close()

    def in_doubt(self) -> bool:
        """Whether lost records are not all recovered: no action runs until then (P10, C18)."""
        return self.store.lost_data() or bool(self.health.records)

    def holders(self, incident: Incident) -> tuple[str, ...]:
        """The names of the Alertmanagers that may hold an incident's alerts; one if it is certain."""
        known = [Holder(name, one.kind, one.addresses) for name, one in self.alertmanagers.items()]
        return holders(incident.group.source, incident.group.alerts, known)

    def sharing(self, pool: str) -> tuple[str, ...]:
        """The pools that one autoscaler serves together with this one, itself included; sorted."""
        own = self.pool_scalers.get(pool)
        if own is None or not own.policy.target:
            return (pool,)
        return tuple(sorted(name for name, one in self.pool_scalers.items() if one.policy.target == own.policy.target))

    def lease_key(self, pool: str) -> str:
        """The record of leases and cooldown of a pool: they belong to the autoscaler's target, not to the name."""
        return self.sharing(pool)[0]

    async def view(self, incident: Incident) -> View:
        """The pools of an incident, with their settings, and the others while idle runners get no jobs.

        Of many pools, those that are fine have their newest sample only.
        """
        pools = await self.looked_at(incident.pools.candidates, incident.pools.affected)
        idle = any(pool.latest and pool.latest.idle and pool.latest.queued for pool in pools.values())
        return View(
            pools, self.settings.file.pools, bool(self.holders(incident)),
            fileable=self.issues is not None, pageable=bool(self.pagers),
            sourceless=frozenset(incident.pools.candidates) - self.metrics.keys(),
            beside=await self.beside(pools) if idle else {},
        )  # fmt: skip

    async def looked_at(self, names: Collection[str], needed: Collection[str] = ()) -> dict[str, Pool]:
        """The pools' records; of many, those that are fine and not `needed` have their newest sample only."""
        return await looked_at(self.store, names, self.settings.file.pools, needed)

    async def beside(self, known: Collection[str]) -> dict[str, Pool]:
        """Every other configured pool, as context; of many, with its newest sample only."""
        others = [one for one in self.settings.file.pool if one not in known]
        if len(others) <= FEW:
            return await self.pools(others)
        every = await self.fleet.newest(self.store, list(self.settings.file.pool), self.monotonic())
        return {name: every[name] for name in others if name in every}

    async def pools(self, names: Iterable[str]) -> dict[str, Pool]:
        """The pools' records by name, without those that have none."""
        return {name: held.value for name, held in (await self.store.get_many(Pool, list(names))).items()}

    async def pool(self, name: str) -> Pool:
        """The record of a pool; one without samples if nobody has measured it."""
        held = await self.store.get(Pool, name)
        return held.value if held else Pool(name)

    async def pool_now(self, name: str) -> Pool:
        """The pool, without its samples if they are stale: a figure of the past is not one of now."""
        pool, paces = await self.pool(name), self.settings.file.paces
        return pool if fresh(pool, self.now(), max(paces.poll, paces.watch)) else replace(pool, samples=())

    async def request(self, request_id: str) -> Request | None:
        """The record of a request; None if there is none."""
        held = await self.store.get(Request, request_id)
        return held.value if held else None

    async def incident_here(self, interaction: Interaction) -> str:
        """The id of the incident in whose thread somebody asks; empty if there is none."""
        if not interaction.thread:
            return ""
        return await self.store.find(f"thread:{interaction.channel}:{interaction.thread}") or ""

    def offers(self, incident: Incident, view: View) -> tuple[Offer, ...]:
        """The buttons of an incident's parent now; none if it has ended."""
        if incident.closed:
            return ()
        labels = [(name, action.label(incident, view)) for name, action in self.actions.items()]
        return tuple(
            Offer(name, label.text, request_id(incident, name), label.place, label.primary)
            for name, label in labels
            if label is not None
        )

    def reply_labels(self, entry: Entry) -> dict[str, ButtonLabel]:
        """The buttons of a timeline entry's reply, by action."""
        known = {name: self.actions[name] for name in entry.choices if name in self.actions}
        found = {name: action.reply_labels.get(entry.event, action.reply_label) for name, action in known.items()}
        return {name: label for name, label in found.items() if label}


Telling = Callable[[Context, Tell], Awaitable[LeftToTell]]

WORDS = frozenset({Surface.COMMAND, Surface.MENTION})
"""Surfaces of an action that is typed, in a channel or a thread."""
IN_THREAD = frozenset({Surface.BUTTON, Surface.MENTION})
"""Surfaces of an action on a thread's incident."""


async def as_asked(_context: Context, request: Request, _incident: Incident | None) -> Prepared:
    """Nothing to check again beyond the kill switch and the permission."""
    return Prepared(request)


async def may_be_repeated(_context: Context, _request: Request, _incident: Incident | None) -> None:
    """Nothing to read back: running it once more is harmless."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The worker's part of an action: kill switch and permission, `prepare`, the stored intent, `run`."""

    run: Callable[[Context, Request, Incident | None], Awaitable[Result]]
    """Do it, once; raises Refused or Unreachable."""
    prepare: Callable[[Context, Request, Incident | None], Awaitable[Prepared]] = as_asked
    """Check everything else again before execution; raises Refused."""
    check: Callable[[Context, Request, Incident | None], Awaitable[Result | None]] = may_be_repeated
    """After a crash or a time-out: the actual state; None if it certainly did not happen."""
    check_condition: Callable[[Context, Stored[Request]], Awaitable[None]] | None = None
    """For a request that waits for a condition: check the condition, and make the request due once it is met."""
    moves_lease: bool = False
    """Whether its pool's lease is checked when it is finished."""
    undo: tuple[str, ...] = ()
    """The actions of the reply if the outcome is unknown."""


@dataclass(frozen=True, slots=True)
class MessageShortcut:
    callback: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Action:
    """One action. A module declares it; every table of actions is derived from these."""

    name: str
    """Fixed: the action_id of its button, and its name in the audit trail."""
    handle: Callable[[Context, Interaction], Awaitable[Answer]]
    """Store the request, or open a dialog first. Raises Refused with a sentence for the person."""
    permission: str
    """Its list under [permissions], checked at the click and before the effect; empty: `handle` decides."""
    typed: str = ""
    """Its verb where that is not its name."""
    also: tuple[str, ...] = ()
    """Further verbs: what its button says, since people type that too."""
    takes: str = "[POOL]"
    """What may be typed after that word."""
    help: str = ""
    surfaces: frozenset[Surface] = WORDS
    """Where it is available."""
    label: Callable[[Incident, View], ButtonLabel | None] = lambda *_: None
    """Its button on the parent; None if it is not possible now."""
    reply_label: ButtonLabel | None = None
    """Its button on replies; None: no reply offers it."""
    reply_labels: Mapping[Event, ButtonLabel] = field(default_factory=dict)
    """The same where it is another one, by what the reply is about."""
    in_thread: bool = False
    """Whether it is about a thread or one of its replies, and cannot be typed in a channel."""
    acknowledges: bool = False
    """Whether the person whose request was carried out has acknowledged the incident."""
    kill_switch: bool = False
    """Whether `actions.enabled = false` stops it, at the click and before the effect."""
    for_self: bool = False
    """Whether it concerns nobody but the person, so that any number of people may do it at the same moment."""
    reads_only: bool = False
    """Whether it stores nothing."""
    measures: bool = False
    """Whether it stores a request, and only measures and tells."""
    dialogs: tuple[str, ...] = ()
    """Callback ids of its dialogs; a button that opens one stores nothing."""
    stored_by_dialog: bool = False
    """Whether only its dialog stores anything, also where it was typed."""
    meant_by: tuple[str, ...] = ()
    """When typed, it also applies to a reply that offers one of these actions."""
    shortcut: MessageShortcut | None = None
    events: tuple[Event, ...] = ()
    """What it writes in the timeline; the first one is the result of its effect."""
    steps: tuple[str, ...] = ()
    """Those of its `ActionNoted`, each with a sentence; empty if its details have classes of their own."""
    effect: Effect | None = None
    """The worker's part; None if the action is complete at once."""

    @property
    def acts(self) -> bool:
        """Whether it changes something for others; a measurement does not."""
        return not (self.reads_only or self.measures)

    @property
    def verb(self) -> str:
        """The word after `/queue` or `@tailback`; empty: it cannot be typed."""
        return (self.typed or self.name) if self.surfaces & WORDS else ""

    @property
    def usage(self) -> str:
        """How it is typed; empty if it cannot be."""
        return f"{self.verb} {self.takes}".strip() if self.verb else ""
