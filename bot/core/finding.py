"""Values of a diagnosis: facts in, findings out; every cause has evidence."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from bot.core.forecast.attribution import attributed
from bot.core.pool.backlog import TIME, Backlog, Factor
from bot.core.pool.baseline import Baseline, baseline_of
from bot.core.pool.hour_stats import DayStats, ExpectedHour
from bot.core.pool.merge import one_source
from bot.core.pool.pool import Pool, PoolRules, Snapshot, empty, stale
from bot.core.statement import Statement

HIGH, MEDIUM, LOW = 0.85, 0.5, 0.2
"""Direct evidence, inference, the rest. Origin: the numbers stand in records; they order the three, no more."""
AS_MANY, SHRUNK = 0.9, 0.7
"""From this share on, runners count as many as before; with fewer busy than that of the usual, runners are missing."""
CHANCE = 2.0
"""Standard deviations by which more jobs wait than start within the normal wait, from which they will wait longer."""
TYPICAL_SECONDS = 900.0
"""Of a job of a pool with a limit, where nobody knows how long jobs take."""


class Scaling(StrEnum):
    """Whether more runners help."""

    HELPS = "yes"
    NO = "no"
    HARMFUL = "harm"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Found:
    confidence: float
    """HIGH for direct evidence, MEDIUM for inference, else LOW."""
    evidence: tuple[Statement, ...]
    """Observations with their figures; a cause without any is not named."""
    missing: tuple[str, ...] = ()
    """Unavailable figures that would have told more."""
    part: int | None = None
    """Waiting jobs that it explains; None: perhaps all."""
    remedy: str = ""
    """What to do where the evidence says more than the rule; empty: the rule's remedy."""
    shared: bool = False
    """Whether several runners share machines that are short, so that more of them make it worse."""
    fresh: bool = False  # whether machines are short of what a new one has


@dataclass(frozen=True, slots=True)
class Finding:
    cause: str
    confidence: float
    evidence: tuple[Statement, ...]
    scaling: Scaling
    remedy: str
    pool: str = ""
    missing: tuple[str, ...] = ()
    shows: str = ""
    """The figure that the evidence gives whenever it counts; empty: none in particular."""
    last_seen: float | None = None
    """When its rule found it last (epoch seconds), if that was some measurements ago; the evidence is of then."""
    share: float | None = None
    """Part of the queue that it explains; None: unknown."""
    added: int = 0
    times_faster: float = 1.0
    """By the walk: `added` runners drain the queue so many times sooner, where they help."""
    shared: bool = False
    fresh: bool = False
    full: bool = False
    """Whether the pool has as many runners as its scaler takes; `shared` and `fresh`: see `Found`."""
    evidence_at: float | None = None
    """When the evidence was found (epoch seconds), if the newest measurement does not show it; None: it does."""

    @property
    def sureness(self) -> str:
        """`high`, `medium` or `low`."""
        return "high" if self.confidence >= HIGH else "medium" if self.confidence >= MEDIUM else "low"

    @property
    def speaks_against_scaling(self) -> bool:
        """Whether it is likely, and more runners would be useless or harmful."""
        return self.confidence >= 0.5 and self.scaling in {Scaling.NO, Scaling.HARMFUL}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    pool: str
    findings: tuple[Finding, ...]
    missing: tuple[str, ...]
    """Figures that rules needed and did not get."""
    waits: bool
    """Whether jobs wait longer than normal; otherwise hardly a rule is run."""
    blind: bool = False
    """Whether the figures are old, or could not be measured."""
    remembered: bool = False
    """Whether its first cause is the one that the incident remembers."""
    attribution: Mapping[Factor, int] = field(default_factory=dict)
    """Waiting jobs by why they wait; empty if the figures do not carry it. The parts add up to the queue."""
    untold: bool = False  # whether nobody can tell yet how many wait for the load: no earlier day has this hour
    either: bool = False  # whether nothing tells which of its first two causes it is
    seen: tuple[Statement, ...] = ()
    """What is plainly seen where no cause is."""
    over: frozenset[str] = frozenset()  # causes that are known to have ended

    @property
    def claims(self) -> tuple[Finding, ...]:
        """The causes to name; none while no job waits too long, unless one is remembered or all is unknown."""
        return self.findings if self.waits or self.blind or self.remembered else ()

    @property
    def top(self) -> Finding | None:
        """The likeliest cause; None if no rule matches."""
        return self.findings[0] if self.findings else None


@dataclass(frozen=True, slots=True)
class FleetContext:
    measured: tuple[str, ...] = ()
    """Pools with a fresh sample and a known queue."""
    queueing: tuple[str, ...] = ()
    """Those of them in which jobs wait longer than normal."""
    idle_beside: tuple[str, ...] = ()
    """Queueing pools with idle runners."""
    failing: tuple[str, ...] = ()
    """Pools with failed launch requests."""
    provider_up: bool | None = None
    unknown_labels: tuple[str, ...] = ()
    """Labels in the alert that the configuration does not contain."""

    @property
    def widespread(self) -> bool:
        """Whether more than half of the measured pools queue, and at least two."""
        return len(self.queueing) > 1 and len(self.queueing) * 2 > len(self.measured)


@dataclass(frozen=True)
class Facts:
    """One pool, its samples and context: all that a rule may use; without slots, to compute some values once."""

    rules: PoolRules
    series: tuple[Snapshot, ...] = ()
    fleet: FleetContext = field(default_factory=FleetContext)
    trouble: str | None = None
    """Why the last measurement failed."""
    old: bool = False
    """The newest sample is stale."""
    ahead: tuple[ExpectedHour, ...] = ()
    """The expectation from the pool's past weeks."""
    day: DayStats | None = None

    @property
    def blind(self) -> bool:
        """Whether the pool's queue is unknown now, for whatever reason."""
        return self.trouble is not None or self.old or (bool(self.series) and self.now.queued is None)

    @property
    def pool(self) -> str:
        return self.rules.name

    @property
    def now(self) -> Snapshot:
        """The newest sample; all figures unknown if there is none."""
        return self.series[-1] if self.series else Snapshot(self.pool, 0.0)

    @property
    def normal_wait(self) -> float:
        """The normal wait in seconds."""
        return self.rules.normal_wait_seconds

    @property
    def waits(self) -> bool:
        """Whether jobs wait longer than normal, or will; an unknown wait counts as long if the queue is known.

        Waits are normal while machines boot: not where none does, and more requests were refused than jobs wait.
        """
        now, wait = self.now, self.now.oldest_wait_seconds
        if empty(now, self.rules.floor) is not False:
            return False
        none = now.booting == now.idle == 0 and (now.create_failures or 0) > max(now.creates or 0, now.queued or 0)
        return wait is None or wait > self.normal_wait or none or self._too_many

    @property
    def _too_many(self) -> bool:
        """Whether far more jobs wait than runners may come, or end a job within the normal wait."""
        now, lasts = self.now, self.usual.duration or TYPICAL_SECONDS
        if now.busy is None or (now.limit is None and not self.usual.duration):
            return False
        idle = now.idle or 0
        room = (now.booting or 0) + idle if now.limit is None else max(now.limit - now.busy, idle)
        starts = room + now.busy * self.normal_wait / lasts
        return (now.queued or 0) > starts + CHANCE * math.sqrt(starts + CHANCE)

    def recent(self, minutes: float) -> tuple[Snapshot, ...]:
        """The samples of the last so many minutes."""
        return self.series[self._since(minutes) :]

    def before(self, minutes: float) -> tuple[Snapshot, ...]:
        return self.series[: self._since(minutes)]

    def _since(self, minutes: float) -> int:
        return bisect_left(self.series, self.now.at - minutes * 60, key=TIME)

    @cached_property
    def usual(self) -> Baseline:
        """What is usual for the pool: the one baseline of all rules."""
        return baseline_of(self.series, self.normal_wait, self.ahead, self.day)

    @cached_property
    def backlog(self) -> Backlog:
        """The waiting jobs by factor."""
        return attributed(self.series, self.usual)

    @property
    def parts(self) -> Mapping[Factor, int]:
        """The same as it is said and ranks causes: empty while what is usual at this hour is not known."""
        return self.backlog.parts if self.usual.known and not self.blind else {}

    @property
    def shrunk(self) -> bool:
        """Whether far fewer runners than usual are busy, and not for the limit."""
        now, usual, busy = self.now, self.usual.busy, self.now.busy or 0
        return usual is not None and busy < SHRUNK * usual and (now.limit is None or busy < 0.8 * now.limit)

    @property
    def limit_fell(self) -> bool:
        """Whether the limit is clearly lower than usual."""
        usual, limit = self.usual.limit, self.now.limit
        return usual is not None and limit is not None and limit < AS_MANY * usual


Find = Callable[[Facts], Found | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One cause and its test; a rule without its figures says nothing, and the missing ones are reported."""

    cause: str
    """The cause's id: the name of its rule's module; `machines/refused.py` holds those of the cloud's codes."""
    find: Find
    scaling: Scaling
    remedy: str
    needs: tuple[str, ...] = ()
    """Figures of the newest sample that the rule requires."""
    shows: str = ""
    """The figure that its evidence gives whenever the figure counts; nobody needs to repeat it."""
    one_of: tuple[str, ...] = ()
    """Further figures; without any of them the rule finds nothing."""
    always: bool = False
    """Whether the rule also runs when no job waits long, or nothing could be measured."""
    factor: Factor = Factor.SUPPLY
    """Its part of the queue in the attribution."""
    still: bool = True
    """Whether no runner is added until it is repaired."""
    over: Callable[[Facts], bool] | None = None
    """Whether the cause is known to have ended, where its figures tell."""
    in_vain: bool = False
    """Whether added runners get none of the jobs: they are given to nobody, or to others, or none would come."""


@dataclass(frozen=True, slots=True)
class Moment:
    now: float
    """Epoch seconds."""
    poll_seconds: float = 30.0
    unknown_labels: tuple[str, ...] = ()


def facts_of(
    names: Sequence[str], pools: Mapping[str, Pool], rules: Mapping[str, PoolRules], moment: Moment
) -> tuple[Facts, ...]:
    alone = [_alone(pools.get(name), rules.get(name, PoolRules(name)), moment) for name in dict.fromkeys(names)]
    fresh = [f for f in alone if not f.old and f.now.queued is not None]
    queueing = [f for f in fresh if f.waits]
    states = [f.now.provider_up for f in fresh if f.now.provider_up is not None]
    fleet = FleetContext(
        measured=tuple(f.pool for f in fresh),
        queueing=tuple(f.pool for f in queueing),
        idle_beside=tuple(f.pool for f in queueing if f.now.idle),
        failing=tuple(f.pool for f in fresh if f.now.create_failures),
        provider_up=all(states) if states else None,
        unknown_labels=moment.unknown_labels,
    )
    return tuple(replace(facts, fleet=fleet) for facts in alone)


def _alone(pool: Pool | None, rules: PoolRules, moment: Moment) -> Facts:
    if pool is None:
        return Facts(rules, trouble="never measured", old=True)
    old = stale(pool, moment.now, moment.poll_seconds)
    return Facts(rules, one_source(pool.samples), trouble=pool.trouble, old=old, ahead=pool.ahead, day=pool.day)
