"""Reads a queue's rates from samples and history: arrivals, pace and capacity."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.pool.hour_stats import HOUR_SECONDS, Baseline
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.statement import Statement, statement

LEAST_SAMPLES = 3
RATE_MINUTES = 10.0
"""The window over which sources usually average rates."""
CREATE_MINUTES = 15.0
PACE_MINUTES = 30.0
USUAL_MINUTES = 15.0
"""Weight of the usual rate, in minutes of measurements."""
BURST = 2.5
"""Factor on the usual rate: more jobs at once are a burst that is over."""
MEAN_OVER_MEDIAN = 1.12
"""Durations have a long tail; their mean exceeds the median by this factor."""


@dataclass(frozen=True, slots=True)
class Habit:
    """The value of past weeks at the middle of a coming hour; rates are per minute."""

    minute: float
    """From now."""
    arrivals: float
    spread: float


@dataclass(frozen=True, slots=True)
class Flow:
    """A pool's rates; per minute."""

    queued: float
    oldest_wait: float
    """Minutes."""
    arrivals: float
    arrivals_doubt: float
    """Standard deviation of `arrivals`."""
    usual: float | None
    online: float
    booting: float
    joins: float
    """Runners that come online per minute, while there is room."""
    room: float
    """Runners that may still be created below the limit."""
    pace: float
    """Jobs that one busy runner finishes per minute."""
    doubt: float
    """Relative uncertainty of the pace."""
    ephemeral: bool
    """A runner ends with its job."""
    boot: float
    """Minutes."""
    floor: float
    habits: tuple[Habit, ...] = ()
    """The pool's past weeks by hour; if any, arrivals return to them instead of `usual`."""
    lasts: bool = False
    """Whether arrivals keep their difference to the usual rate instead of returning to it."""


def flow_of(series: tuple[Snapshot, ...], rules: PoolRules, ahead: tuple[Baseline, ...] = ()) -> Flow | Statement:
    """The flow from the samples, or the reason why there is none.

    `ahead`: expectations from past weeks for the coming hours; if empty, the source's own figure is the usual one.
    """
    last = series[-1] if series else Snapshot(rules.name, 0.0)
    found = _pace(last, [s for s in series if last.at - s.at <= PACE_MINUTES * 60])
    if why := _unreadable(last):
        return why
    if found is None:
        return statement("pace_unknown")
    if (known := sum(sample.queued is not None for sample in series)) < LEAST_SAMPLES:
        return statement("few_samples", known=known, needed=LEAST_SAMPLES)
    window = [s for s in series if last.at - s.at <= RATE_MINUTES * 60]
    habits = _habits(ahead, last.at)
    usual = usual_at(habits, 0.0) if habits else last.usual_arrivals_per_minute
    arrivals = _arriving(last, series, usual)
    boot = max(rules.boot_time_seconds / 60, 0.1)
    online = (last.busy or 0) + (last.idle or 0)
    booting = _mean(s.booting for s in window) if last.booting is not None else 0.0
    ephemeral = _ephemeral(last, series, found[0])
    return Flow(
        queued=max(0.0, (last.queued or 0) - (last.unservable or 0)),
        oldest_wait=(last.oldest_wait_seconds or 0.0) / 60,
        arrivals=arrivals[0],
        arrivals_doubt=arrivals[1],
        usual=usual,
        online=online,
        booting=last.booting or 0,
        joins=_joins(last, booting, boot),
        room=_room(last, online),
        pace=found[0],
        doubt=found[1],
        ephemeral=ephemeral,
        boot=boot,
        floor=rules.floor,
        habits=habits,
    )


def _habits(ahead: tuple[Baseline, ...], at: float) -> tuple[Habit, ...]:
    """Past weeks on the walk's time scale; none if they do not cover the present."""
    middles = [((usual.hour + 0.5) * HOUR_SECONDS, usual) for usual in ahead]
    if not any(abs(middle - at) <= HOUR_SECONDS for middle, _ in middles):
        return ()
    return tuple(Habit((m - at) / 60, u.arrivals_per_minute, u.spread_per_minute) for m, u in middles)


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
    if last.arrivals_per_minute is None:
        return statement("arrivals_unknown")
    return statement("busy_unknown") if last.busy is None else None


def _arriving(last: Snapshot, series: tuple[Snapshot, ...], usual: float | None) -> tuple[float, float]:
    """Arrivals per minute and their standard deviation: the last half hour without bursts, adjusted to the usual."""
    now = last.arrivals_per_minute or 0.0
    rates = [now]
    for ago in (1, 2):
        at = last.at - ago * RATE_MINUTES * 60
        near = [s for s in series if abs(s.at - at) <= 90 and s.arrivals_per_minute is not None]
        rates += [min(near, key=lambda s: abs(s.at - at)).arrivals_per_minute or 0.0] if near else []
    middle = sorted(rates)[(len(rates) - 1) // 2]
    most = BURST * max(middle if usual is None else min(max(middle, usual), 2 * usual), 0.2)
    calm = [rate for rate in rates if rate <= most] or [min(rates)]
    minutes, jobs = RATE_MINUTES * len(calm), RATE_MINUTES * sum(calm)
    if usual is not None:
        minutes, jobs = minutes + USUAL_MINUTES, jobs + USUAL_MINUTES * usual
    rate = jobs / minutes
    return rate, math.sqrt(max(rate, 0.05) / minutes)


def _pace(last: Snapshot, window: list[Snapshot]) -> tuple[float, float] | None:
    """Jobs per minute of one runner, from completions and durations, weighted by their data."""
    both = [(s.completions_per_minute, s.busy) for s in window if s.completions_per_minute is not None and s.busy]
    busy, rate = _mean(b for _, b in both), _mean(c for c, _ in both)
    by_time = 60 / (last.duration_p50_seconds * MEAN_OVER_MEDIAN) if last.duration_p50_seconds else None
    by_count = rate / busy if rate and busy else None
    if by_count is None:
        return None if by_time is None else (by_time, 0.35)
    seen = rate * max(RATE_MINUTES, (last.at - window[0].at) / 60)
    alone = 0.7 / math.sqrt(seen + 2)
    if by_time is None:
        return by_count, alone
    trust = seen / (seen + 12)
    pace = trust * by_count + (1 - trust) * by_time
    return pace, min(0.5, math.hypot(0.7 * alone, 0.25 * abs(by_count - by_time) / pace))


def _joins(last: Snapshot, booting: float, boot: float) -> float:
    by_boot = booting / boot
    if last.creates is None:
        return by_boot
    if last.registered is not None and last.creates >= 3 and last.registered == 0:
        return 0.0
    return 0.6 * by_boot + 0.4 * last.creates / CREATE_MINUTES if by_boot else 0.0


def _room(last: Snapshot, online: float) -> float:
    if last.limit is None:
        return math.inf
    return max(0.0, last.limit - online - (last.booting or 0) - (last.offline or 0) - (last.failed or 0))


def _ephemeral(last: Snapshot, series: tuple[Snapshot, ...], pace: float) -> bool:
    """Whether runners are created about as fast as jobs end, although the pool does not grow."""
    ends = last.completions_per_minute or pace * (last.busy or 0)
    if not last.creates or not ends:
        return False
    created = last.creates / CREATE_MINUTES
    past = [s for s in series if last.at - s.at <= CREATE_MINUTES * 60 and s.online is not None]
    before, now = past[0] if past else last, last
    minutes = max(1.0, (now.at - before.at) / 60)
    grown = ((now.online or 0) + (now.booting or 0) - (before.online or 0) - (before.booting or 0)) / minutes
    return (created - grown) / ends > 0.5


def _mean(values: Iterable[float | None]) -> float:
    known = [float(v) for v in values if v is not None]
    return sum(known) / len(known) if known else 0.0
