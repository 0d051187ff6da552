"""What the samples say of a pool at one instant: load, pace, runners, supply, and what is usual."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from bot.core.forecast.rates import (
    BUSY_MINUTES,
    LEAST_SAMPLES,
    NOW_MINUTES,
    PACE_MINUTES,
    Count,
    arrivals_of,
    ends_of,
    mean_of,
    rise_of,
    servable,
    served_lately,
    since_it_began,
    started_in_order,
    together,
    waited_minutes,
    within,
)
from bot.core.forecast.supply import LEAST_MINUTES, Supply, none_came, refused_launches, returned_hosts, supply_of
from bot.core.pool.baseline import Baseline, baseline_of
from bot.core.pool.hour_stats import HOUR_SECONDS, DayStats, ExpectedHour
from bot.core.pool.merge import one_source
from bot.core.pool.outlook import NOTHING, Calibration, Lever, ToldByCause
from bot.core.pool.pool import PoolRules, Snapshot, cut_off
from bot.core.statement import Statement, statement

TYPICAL_MINUTES = 20.0
"""Of a job where nothing tells. Origin: the middle of public traces of CI jobs."""
DAY_MINUTES = 1440.0  # origin: minutes of a day
LEAST_BOOT = 0.1
"""Minutes. Origin: six seconds; nothing boots sooner, and it stands under a fraction."""


@dataclass(frozen=True, slots=True)
class Habit:
    """The usual arrivals per minute, at so many minutes from now."""

    minute: float
    arrivals: float


@dataclass(frozen=True, slots=True)
class Usual:
    habits: tuple[Habit, ...]
    """At least one; one alone holds for all times."""
    minutes: float
    """Of observation behind each of them; 0: no earlier day knows these hours."""
    pace: float | None
    """Jobs that a runner ends per minute."""
    runners: float
    """Runners that the pool has when nothing keeps them away."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A pool at one instant; minutes, jobs and runners."""

    at: float
    queued: float
    waited: float
    """The longest wait."""
    lasted: float
    """Since the first late job arrived, ..."""
    well: float
    """... and before it, as far as is measured."""
    floor: float
    normal_wait: float
    boot: float
    arrivals: Count
    batches: float
    """Variance over mean of the arrivals: how many of them came together."""
    ends: Count
    """Ended jobs, over runner-minutes of work."""
    runners: float
    """That take jobs now."""
    runners_counted: bool
    """Whether they are counted; else they follow from the jobs that started."""
    supply: Supply
    offline: float
    returned: Count
    """Hosts that came back, over minutes of hosts that were offline."""
    usual: Usual
    held: Statement | None = None
    """Why jobs do not start although runners wait for them; None if they do."""
    refused: Statement | None = None
    """Why ordered machines do not come; None if they do."""
    still: Statement | None = None
    """Why the pool does not grow although it may; None if it does, or need not."""
    unservable: float = 0.0
    """Queued jobs that no runner may take."""
    told: ToldByCause = NOTHING
    tail: float = 1.0
    """Exponent of the law of how long trouble lasts."""
    cut_off: bool = False
    """Whether more jobs may wait than are counted."""

    @property
    def until(self) -> Statement | None:
        """What has to be repaired before the pool has its runners again; None if nothing."""
        return self.held or self.refused or self.still

    def no_gain(self, lever: Lever) -> bool:
        """Whether more runners end no more jobs as it is: they cost or hurt, or start none before a repair.

        After it those that are missing then can be added. Only a size is asked for past a silent autoscaler.
        """
        silent = self.still is not None and lever is not Lever.SIZE
        return self.told.no_gain or self.held is not None or self.refused is not None or silent

    def unsure(self, lever: Lever) -> bool:
        """Whether nobody knows if machines come that are asked for now, or would get jobs.

        No job ends and no runner is seen: jobs may wait for something else. Or no machine starts although the limit
        allows more, and nobody counts refused launches: none are asked for, or none are granted. Only a size is asked
        for past the autoscaler; limits and requests wait for it either way.
        """
        unseen = not self.runners_counted or (self.runners == self.supply.booting == 0)
        if unseen and not self.ends.jobs:
            return True
        full = self.supply.limited and self.supply.reached
        return lever is Lever.SIZE and self.still is not None and not full and self.supply.share_succeeding is None


def seed_of(pool: str) -> int:
    """The seed of all chance of a pool: from the same samples its walk is the same again."""
    return crc32(pool.encode())


def unreadable(last: Snapshot) -> Statement | None:
    """Why nothing can be said of this sample's queue."""
    if last.queued is None:
        return statement("queue_unknown")
    if last.unservable is None and any(gap.figure == "unservable" for gap in last.missing):
        return statement("servable_unknown")
    return None


def habits_of(ahead: Sequence[ExpectedHour], at: float) -> tuple[Habit, ...]:
    """Earlier days or weeks on the walk's time scale; none if they do not cover the present."""
    middles = [((usual.hour + 0.5) * HOUR_SECONDS, usual.arrivals_per_minute) for usual in ahead]
    if not any(abs(middle - at) <= HOUR_SECONDS for middle, _ in middles):
        return ()
    return tuple(Habit((middle - at) / 60, rate) for middle, rate in middles)


def seen_of(  # noqa: PLR0913 - all that is known of a pool
    series: Sequence[Snapshot],
    rules: PoolRules,
    ahead: Sequence[ExpectedHour] = (),
    day: DayStats | None = None,
    *,
    told: ToldByCause = NOTHING,
    known: Calibration | None = None,
) -> Seen | Statement:
    """What the samples say, or the reason why they say nothing.

    `told`: what the first cause says, and figures alone may not show.
    `known`: what the pool's own troubles say of how long they last.
    """
    last = (series := one_source(series))[-1] if series else Snapshot(rules.name, 0.0)
    if why := unreadable(last):
        return why
    usual = baseline_of(series, rules.normal_wait_seconds, ahead, day)
    if isinstance(flow := _flow(series, usual), Statement):
        return flow
    came, ends, pace, runners = flow
    boot, waited = max(rules.boot_time_seconds / 60, LEAST_BOOT), waited_minutes(series, rules.floor, pace)
    supply, since = supply_of(series, usual, boot, pace), (last.at - usual.since) / 60
    seen = Seen(
        at=last.at,
        queued=servable(last),
        waited=waited,
        lasted=max(waited, since),
        floor=rules.floor,
        normal_wait=rules.normal_wait_seconds / 60,
        boot=boot,
        arrivals=came,
        batches=together(series, usual.batches, usual.since),
        ends=ends,
        runners=runners,
        runners_counted=last.busy is not None,
        supply=replace(supply, max_runners=max(supply.max_runners, 0.0 if supply.limited else runners)),
        offline=max(0.0, (last.offline or 0) - (usual.offline or 0.0)),
        returned=returned_hosts(series),
        usual=_usual(usual, ahead, last, came, max(runners, supply.usual)),
        cut_off=cut_off(last, rules), unservable=float(last.unservable or 0), told=told,
        tail=(known and known.tail) or 1.0, well=max(0.0, usual.since - series[0].at) / 60,
    )  # fmt: skip
    return _repairs(seen, series, rules)


def _flow(series: Sequence[Snapshot], usual: Baseline) -> tuple[Count, Count, float, float] | Statement:
    """(arrivals, ends, jobs that a runner ends per minute, runners); or why they are not known."""
    pace = 60 / usual.duration if usual.duration else None
    since = max(LEAST_MINUTES, (series[-1].at - usual.since) / 60)
    ends = ends_of(series, min(since, PACE_MINUTES)) or (None if pace else started_in_order(series))
    pace = ends.rate if ends and ends.jobs else pace
    served = served_lately(series, pace)
    came = arrivals_of(series, served, min(since_it_began(since), NOW_MINUTES))
    if came is None:
        known = sum(s.queued is not None for s in series)
        return statement("few_samples", known=known, needed=LEAST_SAMPLES)
    pace = pace or 1 / TYPICAL_MINUTES
    busy = mean_of(s.busy for s in within(series, BUSY_MINUTES))
    served = max(0.0, came.rate - rise_of(series, came.minutes)) if served is None else served
    return came, ends or Count(0.0, 0.0), pace, served / pace if busy is None else busy


def _usual(known: Baseline, ahead: Sequence[ExpectedHour], last: Snapshot, came: Count, runners: float) -> Usual:
    pace = 60 / known.duration if known.duration else None
    habits = habits_of(ahead, last.at)
    if habits:
        days = max(1, *(max(one.weeks, one.days) for one in ahead))
        return Usual(habits, HOUR_SECONDS / 60 * days, pace, runners)
    usual = known.arrivals if known.arrivals is not None else came.rate
    return Usual((Habit(0.0, usual),), 0.0, pace, runners)


def _repairs(seen: Seen, series: Sequence[Snapshot], rules: PoolRules) -> Seen:
    """What stands still until it is repaired, read off the figures, or by the first cause."""
    last = series[-1]
    if held := _held(last, seen, rules):
        return replace(seen, held=held, queued=max(seen.queued, float(last.queued or 0) * (held.id == "none_servable")))
    none_works = seen.runners_counted and seen.runners == last.idle == 0  # between two jobs one sample may show none
    if seen.supply.reached and not none_works:
        return seen
    if refused := refused_launches(series, seen.boot):
        return replace(seen, refused=refused)
    if none_works and not last.booting:
        return replace(seen, still=statement("no_runners"))
    return replace(
        seen,
        still=none_came(series, seen.boot, seen.floor, seen.supply)
        or (statement("stands_still") if seen.told.still else None),
    )


def _held(last: Snapshot, seen: Seen, rules: PoolRules) -> Statement | None:
    """Why jobs do not start although runners wait for them."""
    if seen.queued <= seen.floor < (last.queued or 0):
        return statement("none_servable", jobs=last.unservable)
    if last.provider_up is False:
        return statement("provider_down")
    waits = 60 * seen.waited > rules.boot_time_seconds
    idle = last.idle and waits and last.queued and last.idle >= min(2, last.queued)
    return statement("not_assigned", idle=last.idle) if idle else None
