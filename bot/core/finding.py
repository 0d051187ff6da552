"""The shape of a diagnosis: facts in, findings out; a cause is never named without what was observed of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import median

from bot.core.pool.pool import Pool, PoolRules, Snapshot, empty, stale
from bot.core.words import listed

NORMAL_WAIT_SECONDS = 300.0
"""A wait this long is normal even where machines boot faster (docs/design/diagnosis.md#definitions)."""


class Cause(StrEnum):
    """Why jobs queue; the value is how it reads in a sentence."""

    GHOSTS = "rows that only look queued"
    BLIND = "the metric source is blind"
    UNKNOWN_LABEL = "no runner carries the label"
    HOSTED = "a hosted label: the machines are the CI provider's"
    PROVIDER = "the CI provider assigns no jobs"
    UNASSIGNED = "idle runners are not given the jobs"
    OFFLINE = "hosts or agents are offline"
    STOCKOUT = "the cloud has no such machines left"
    QUOTA = "a quota of the cloud account is used up"
    PERMISSION = "the cloud refuses for lack of permission"
    IMAGE = "the machine image cannot be found"
    THROTTLED = "an API limit is exhausted"
    CLOUD_DOWN = "the cloud itself fails"
    REFUSED = "the cloud refuses new machines"
    UNREGISTERED = "machines boot but their runners never register"
    FAILED_FILL = "failed runners fill the limit"
    LIMIT = "the pool's limit is reached"
    LOST_EVENTS = "the autoscaler does not hear of the jobs"
    FLOOD = "one source floods the pool"
    HUNG = "jobs hang or run far longer than usual"
    SURGE = "a surge of jobs"
    TOGETHER = "something that many pools share"


class Scaling(StrEnum):
    """Whether more runners help."""

    HELPS = "helps"
    NO = "does not help"
    HARMFUL = "harms"
    UNKNOWN = "is open"


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause that the facts speak for."""

    cause: Cause
    confidence: float
    """0 to 1; see `sureness`."""
    evidence: tuple[str, ...]
    """Sentences with the figures that were observed; never empty."""
    scaling: Scaling
    advice: str
    """What to do, as a sentence."""
    pool: str = ""
    missing: tuple[str, ...] = ()
    """Figures that would have made it surer, and were not to be had."""

    @property
    def sureness(self) -> str:
        """`high`, `medium` or `low`."""
        return "high" if self.confidence >= 0.75 else "medium" if self.confidence >= 0.5 else "low"


@dataclass(frozen=True, slots=True)
class Around:
    """What is known beside the pool itself."""

    measured: tuple[str, ...] = ()
    """Pools with a fresh sample whose queue is known."""
    queueing: tuple[str, ...] = ()
    """Of these, those in which jobs wait longer than is normal."""
    idle_beside: tuple[str, ...] = ()
    """Of the queueing ones, those with idle runners."""
    failing: tuple[str, ...] = ()
    """Pools in which creates fail."""
    provider_up: bool | None = None
    unknown_labels: tuple[str, ...] = ()
    """Labels that the alert names and the configuration does not know."""

    @property
    def widespread(self) -> bool:
        """Whether more than half of the measured pools queue, and at least two."""
        return len(self.queueing) > 1 and len(self.queueing) * 2 > len(self.measured)

    @property
    def spread(self) -> str:
        """Isolated or widespread, in words."""
        if not self.measured:
            return "Whether it is isolated or widespread is unknown: no pool could be measured."
        share = f"{len(self.queueing)} of {len(self.measured)} measured pools"
        if not self.queueing:
            return f"In none of the {len(self.measured)} measured pools do jobs wait longer than is normal."
        if len(self.measured) == 1:
            return f"Only {self.measured[0]} was measured, and it queues; whether that is isolated is unknown."
        kind = "Widespread" if self.widespread else "Isolated"
        return f"{kind}: {share} queue ({listed(self.queueing)})."


@dataclass(frozen=True, slots=True)
class Facts:
    """One pool, its samples, and what is around it: all that a rule may look at."""

    rules: PoolRules
    series: tuple[Snapshot, ...] = ()
    around: Around = field(default_factory=Around)
    trouble: str | None = None
    """Why the last measurement gave nothing."""
    old: bool = False
    """The newest sample is stale."""
    speed: float = 1.0
    """Seconds of the fleet in one second of the clock; 1 except in a simulation."""

    @property
    def pool(self) -> str:
        """The pool's name."""
        return self.rules.name

    @property
    def now(self) -> Snapshot:
        """The newest sample; all unknown when there is none."""
        return self.series[-1] if self.series else Snapshot(self.pool, 0.0)

    @property
    def normal_wait(self) -> float:
        """Seconds that a job may wait without anything being wrong."""
        return max(NORMAL_WAIT_SECONDS, 1.5 * self.rules.boot_time_seconds)

    @property
    def waits(self) -> bool:
        """Whether jobs wait longer than is normal; an unknown wait counts as long when the queue is known."""
        if empty(self.now, self.rules.floor) is not False:
            return False
        return self.now.oldest_wait_seconds is None or self.now.oldest_wait_seconds > self.normal_wait

    def recent(self, minutes: float) -> tuple[Snapshot, ...]:
        """The samples of the last so many minutes of the fleet's time."""
        since = self.now.at - minutes * 60 / self.speed
        return tuple(s for s in self.series if s.at >= since)

    def before(self, minutes: float) -> tuple[Snapshot, ...]:
        """The samples that are older than that."""
        since = self.now.at - minutes * 60 / self.speed
        return tuple(s for s in self.series if s.at < since)

    def usual(self, figure: str, given: float | None = None) -> float | None:
        """What is usual: as the source says, else the median of the samples older than 20 minutes, at least three."""
        if given is not None:
            return given
        past = [v for s in self.before(20) if (v := getattr(s, figure)) is not None]
        return float(median(past)) if len(past) >= 3 else None


Find = Callable[[Facts], Finding | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One cause and how to tell it. A rule without its figures stays silent, and what it lacked is said."""

    cause: Cause
    find: Find
    needs: tuple[str, ...] = ()
    """Figures of the newest sample that must be known."""
    always: bool = False
    """Also asked when no job waits longer than is normal, or nothing could be measured."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When is looked, and by which clock."""

    now: float
    """Epoch seconds."""
    poll_seconds: float = 30.0
    speed: float = 1.0
    unknown_labels: tuple[str, ...] = ()


def facts_of(
    names: Sequence[str], pools: Mapping[str, Pool], rules: Mapping[str, PoolRules], moment: Moment
) -> tuple[Facts, ...]:
    """The facts of every pool, each with what is around it."""
    alone = [_alone(pools.get(name), rules.get(name, PoolRules(name)), moment) for name in dict.fromkeys(names)]
    around = _around(alone, moment.unknown_labels)
    return tuple(replace(facts, around=around) for facts in alone)


def _alone(pool: Pool | None, rules: PoolRules, moment: Moment) -> Facts:
    if pool is None:
        return Facts(rules, trouble="never measured", old=True, speed=moment.speed)
    old = stale(pool, moment.now, moment.poll_seconds)
    return Facts(rules, pool.samples, trouble=pool.trouble, old=old, speed=moment.speed)


def _around(alone: Sequence[Facts], unknown_labels: tuple[str, ...]) -> Around:
    fresh = [f for f in alone if not f.old and f.now.queued is not None]
    queueing = [f for f in fresh if f.waits]
    said = [f.now.provider_up for f in fresh if f.now.provider_up is not None]
    return Around(
        measured=tuple(f.pool for f in fresh),
        queueing=tuple(f.pool for f in queueing),
        idle_beside=tuple(f.pool for f in queueing if f.now.idle),
        failing=tuple(f.pool for f in fresh if f.now.create_failures),
        provider_up=all(said) if said else None,
        unknown_labels=unknown_labels,
    )
