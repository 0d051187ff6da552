"""The present and usual flow of jobs through a pool, from its samples and history."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bot.core.forecast.rates import (
    LEAST_SAMPLES,
    NOW_MINUTES,
    SLOPE_MINUTES,
    TYPICAL_MINUTES,
    ended_in,
    mean_of,
    paces,
    rates_of,
    servable,
    usual_arrivals,
    within,
)
from bot.core.pool.baseline import batches_of
from bot.core.pool.hour_stats import HOUR_SECONDS, ExpectedHour
from bot.core.pool.merge import one_source
from bot.core.pool.pool import PoolRules, Snapshot, cut_off
from bot.core.statement import Statement, statement

BUSY_MINUTES = 5.0
"""Busy runners are a mean over this time: rates lag behind a change."""
UNKNOWN_PACE = 1 / TYPICAL_MINUTES
"""Jobs per minute of one runner where nothing tells; only the product with the runners matters then."""
NEARLY = 0.1
"""Share of the limit by which an estimate of the machines that boot may miss it."""
COUNTED_MINUTES = 15.0
"""Over which sources count machines."""
LEAST_ORDERED, FEW = 3, 0.15
"""Of at least so many ordered machines, a smaller share than this is almost none."""
ROOM = 1.25
"""Usual capacity over usual arrivals where neither limit nor runners are known."""


@dataclass(frozen=True, slots=True)
class Habit:
    """The usual arrivals per minute, at so many minutes from now."""

    minute: float
    arrivals: float


@dataclass(frozen=True, slots=True)
class Flow:
    """A pool's present and usual rates; minutes, and jobs or runners per minute."""

    queued: float
    waited: float
    """The longest wait."""
    floor: float
    normal_wait: float
    boot: float
    arrivals: float
    usual: tuple[Habit, ...]
    """At least one; one alone holds for all times."""
    weeks: bool
    """Whether `usual` comes from past weeks."""
    runners: float
    """Runners that take jobs now."""
    busy: float
    grows: float
    """Runners that come per minute."""
    most: float
    """Runners that the pool may reach as it is."""
    pace: float
    """Jobs that one runner finishes per minute."""
    usual_runners: float
    usual_pace: float
    shrinks: float | None
    """Jobs by which the queue fell per minute lately; None: unknown."""
    come: float = 1.0
    """Share of more machines that become runners as it is."""
    spread: float = 0.0
    """Variance of the queue's length per minute, by the chance of arrivals and ends."""
    blocked: Statement | None = None
    """Why jobs do not start although they could; None if they do."""
    cut_off: bool = False
    """Whether more jobs may wait than are counted."""


def flow_of(series: Sequence[Snapshot], rules: PoolRules, ahead: Sequence[ExpectedHour] = ()) -> Flow | Statement:
    """The flow from the samples, or the reason why there is none.

    `ahead`: expectations from past weeks for the coming hours; if empty, the mean of the samples is the usual.
    """
    series = one_source(series)
    last = series[-1] if series else Snapshot(rules.name, 0.0)
    if why := _unreadable(last):
        return why
    pace, usual_pace = paces(series)
    weeks = _habits(ahead, last.at)
    usual = weeks[0].arrivals if weeks else usual_arrivals(series, usual_pace)
    if (rates := rates_of(series, usual)) is None:
        return statement("few_samples", known=sum(s.queued is not None for s in series), needed=LEAST_SAMPLES)
    working = mean_of(s.busy for s in within(series, BUSY_MINUTES)) if pace else None
    pace, usual_pace = pace or UNKNOWN_PACE, usual_pace or UNKNOWN_PACE
    waited = _waited(series, rules.floor, pace)
    blocked = _blocked(last, rules, waited)
    runners = rates.served / pace if working is None else working
    most, usual_runners = _capacity(series, rules, rates.arrivals if usual is None else usual, usual_pace)
    come = _come(series, rules.boot_time_seconds)
    return Flow(
        queued=servable(last),
        waited=waited,
        floor=rules.floor,
        normal_wait=rules.normal_wait_seconds / 60,
        boot=max(rules.boot_time_seconds / 60, 0.1),
        arrivals=rates.arrivals,
        usual=weeks or (Habit(0.0, rates.arrivals if usual is None else usual),),
        weeks=bool(weeks),
        runners=0.0 if blocked else runners,
        busy=float(last.busy or 0) if blocked else runners,
        grows=0.0 if blocked else _grows(series, last, rules),
        come=come,
        most=max(runners, most) if come == 1.0 else runners + (last.booting or 0),
        pace=pace,
        usual_runners=max(runners, usual_runners),
        usual_pace=usual_pace,
        shrinks=rates.shrinks,
        spread=rates.arrivals * batches_of(series) + pace * runners,
        blocked=blocked,
        cut_off=cut_off(last, rules),
    )


def _blocked(last: Snapshot, rules: PoolRules, waited: float) -> Statement | None:
    """Why past rates cannot be used: jobs are not assigned, or there are no runners."""
    waits = 60 * waited > rules.boot_time_seconds
    if last.provider_up is False:
        return statement("provider_down")
    if last.idle and waits and last.queued and last.idle >= min(2, last.queued):
        return statement("not_assigned", idle=last.idle)
    return statement("no_runners") if last.busy == last.idle == 0 and not last.booting else None


def usual_at(habits: tuple[Habit, ...], minute: float) -> float:
    """Usual arrivals per minute at so many minutes from now, interpolated between hours."""
    later = next((i for i, habit in enumerate(habits) if habit.minute > minute), len(habits))
    if later in {0, len(habits)}:
        return habits[min(later, len(habits) - 1)].arrivals
    one, other = habits[later - 1], habits[later]
    return one.arrivals + (other.arrivals - one.arrivals) * (minute - one.minute) / (other.minute - one.minute)


def _unreadable(last: Snapshot) -> Statement | None:
    if last.queued is None:
        return statement("queue_unknown")
    if last.unservable is None and any(gap.figure == "unservable" for gap in last.missing):
        return statement("servable_unknown")
    return None


def _habits(ahead: Sequence[ExpectedHour], at: float) -> tuple[Habit, ...]:
    """Past weeks on the walk's time scale; none if they do not cover the present."""
    middles = [((usual.hour + 0.5) * HOUR_SECONDS, usual.arrivals_per_minute) for usual in ahead]
    if not any(abs(middle - at) <= HOUR_SECONDS for middle, _ in middles):
        return ()
    return tuple(Habit((middle - at) / 60, rate) for middle, rate in middles)


def _waited(series: Sequence[Snapshot], floor: int, pace: float) -> float:
    """Minutes of the longest wait; where unknown, as long as fewer jobs have started than waited then."""
    last, started = series[-1], 0.0
    if last.oldest_wait_seconds is not None:
        return last.oldest_wait_seconds / 60
    for before, now in pairwise(reversed(series)):
        ended = ended_in(before)
        least = servable(now) - servable(before)
        started += max(least, ((before.busy or 0) * pace if ended is None else ended) * (before.at - now.at) / 60)
        if now.queued is not None and now.queued <= max(floor, started):
            return (last.at - before.at) / 60
    return (last.at - series[0].at) / 60


def _capacity(series: Sequence[Snapshot], rules: PoolRules, arrivals: float, usual_pace: float) -> tuple[float, float]:
    """(the most runners that take jobs as it is, those of usual times)."""
    limits = [float(s.limit) for s in series if s.limit is not None]
    if not limits:
        present = [online for s in series if (online := _online(s)) is not None]
        usual = 1.1 * max(present) if present else ROOM * arrivals / usual_pace
        return usual, usual
    booting, boot = _booting_at_limit(series, rules.boot_time_seconds), rules.boot_time_seconds / 60
    return limits[-1] - booting, max(limits) - min(booting, max(limits) * boot / (boot + 1 / usual_pace))


def _booting_at_limit(series: Sequence[Snapshot], boot_seconds: float) -> float:
    """Machines that boot at the limit over two boot times: where each job has its own machine, some always do."""
    full = [
        (s.at, booting)
        for s in within(series, max(NOW_MINUTES, boot_seconds / 20))
        if s.limit and (booting := _boots(s, boot_seconds)) is not None and (_online(s) or 0) + booting >= s.limit
    ]
    lasted = len(full) >= LEAST_SAMPLES and full[-1][0] - full[0][0] >= 2 * boot_seconds
    return float(median(booting for _, booting in full)) if lasted else 0.0


def _boots(sample: Snapshot, boot_seconds: float) -> float | None:
    """Machines that boot; where unknown, those that jobs without a free runner need during a boot, up to the limit."""
    online, starts = _online(sample), sample.starts_per_minute
    if online is None or sample.booting is not None:
        return None if online is None else sample.booting
    if starts is None or not sample.queued or sample.idle or not sample.limit:
        return None
    room = max(0, sample.limit - online)
    return room if starts * boot_seconds / 60 >= room - NEARLY * sample.limit else None


def _grows(series: Sequence[Snapshot], last: Snapshot, rules: PoolRules) -> float:
    """Runners that come per minute: as lately, or those that boot now beyond the machines that boot all the time.

    Where each job has its own machine, machines boot all the time and their number stays. Where boots are slow, as
    small a share of them comes in time as of the machines created a boot ago.
    """
    known = [(s.at, online) for s in within(series, SLOPE_MINUTES) if (online := _online(s)) is not None]
    seconds = known[-1][0] - known[0][0] if len(known) >= LEAST_SAMPLES else 0.0
    seen = max(0.0, (known[-1][1] - known[0][1]) * 60 / seconds) if seconds else 0.0
    always = median([s.booting for s in within(series, NOW_MINUTES) if s.booting is not None] or [0])
    created = within(series, rules.boot_time_seconds / 60 + 1)[0].creates or 0
    counted = last.registered is not None and created >= LEAST_ORDERED
    in_time = min(1.0, (last.registered or 0) / created) if counted else 1.0
    return max(seen, in_time * ((last.booting or 0) - always) * 60 / max(rules.boot_time_seconds, 60.0))


def _come(series: Sequence[Snapshot], boot_seconds: float) -> float:
    """Share of the machines ordered a boot ago that came; 1 unless almost none did, as refused orders are repeated.

    Where the source does not count those that came, there are no more of them than jobs that started.
    """
    last, then = series[-1], within(series, boot_seconds / 60 + 1)[0]
    ordered = (then.creates or 0) + (then.create_failures or 0)
    seen = last.creates if last.registered is None else last.registered
    came = COUNTED_MINUTES * last.starts_per_minute if seen is None and last.starts_per_minute is not None else seen
    return 1.0 if came is None or ordered < LEAST_ORDERED or came > FEW * ordered else came / ordered


def _online(sample: Snapshot) -> int | None:
    return None if sample.busy is None else sample.busy + (sample.idle or 0)
