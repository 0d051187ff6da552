"""Reads a queue's rates from its samples and history: arrivals, runners, their pace, and what is usual.

Figures that a source does not give are taken from those it gives, by Little's law where jobs start in order of arrival:
as many jobs wait as arrived during the longest wait (J. D. C. Little, Operations Research 9, 1961).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bot.core.pool.baseline import MEAN_OVER_MEDIAN, mean, weights
from bot.core.pool.hour_stats import HOUR_SECONDS, ExpectedHour
from bot.core.pool.pool import NORMAL_WAIT_SECONDS, PoolRules, Snapshot, cut_off
from bot.core.statement import Statement, statement

LEAST_SAMPLES = 3
NOW_MINUTES = 30.0
"""Arrivals and pace are means over this time."""
SLOPE_MINUTES = 20.0
LATELY_MINUTES = 10.0
BUSY_MINUTES = 5.0
"""Busy runners are a mean over this time: rates lag behind a change."""
UNKNOWN_PACE = 1 / 20
"""Jobs per minute of one runner where nothing tells; only the product with the runners matters then."""
ENOUGH_SECONDS = 3 * 3600.0
"""Samples of a shorter time are mostly of the trouble; the source's mean is of a day. An incident begins with the four
hours before it where the source has them, and must not change its mind when these grow by a minute."""
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
    blocked: Statement | None = None
    """Why jobs do not start although they could; None if they do."""
    cut_off: bool = False
    """Whether more jobs may wait than are counted."""


def flow_of(series: Sequence[Snapshot], rules: PoolRules, ahead: Sequence[ExpectedHour] = ()) -> Flow | Statement:
    """The flow from the samples, or the reason why there is none.

    `ahead`: expectations from past weeks for the coming hours; if empty, the mean of the samples is the usual.
    """
    last = series[-1] if series else Snapshot(rules.name, 0.0)
    if why := _unreadable(last):
        return why
    shrinks = _shrinks(series, LATELY_MINUTES)
    rates = _rates(series, last)
    if rates is None:
        known = sum(sample.queued is not None for sample in series)
        return statement("few_samples", known=known, needed=LEAST_SAMPLES)
    arrivals, served = rates
    pace, usual_pace = _pace(series, last)
    waited = _waited(series, rules.floor, pace)
    blocked = _blocked(last, rules, waited)
    usual = _habits(ahead, last.at)
    habits = usual or (Habit(0.0, _usual_arrivals(series, last, arrivals)),)
    working = _mean(s.busy for s in _within(series, BUSY_MINUTES) if _ended(s) is not None)
    runners = served / pace if working is None else working
    most, usual_runners = _capacity(series, rules, habits[0].arrivals, usual_pace)
    return Flow(
        queued=_servable(last),
        waited=waited,
        floor=rules.floor,
        normal_wait=rules.normal_wait_seconds / 60,
        boot=max(rules.boot_time_seconds / 60, 0.1),
        arrivals=arrivals,
        usual=habits,
        weeks=bool(usual),
        runners=0.0 if blocked else runners,
        busy=float(last.busy or 0) if blocked else runners,
        grows=0.0 if blocked else _grows(series, last, rules),
        most=max(runners, most),
        pace=pace,
        usual_runners=max(runners, usual_runners),
        usual_pace=usual_pace,
        shrinks=shrinks,
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


def _servable(sample: Snapshot) -> float:
    return float(max(0, (sample.queued or 0) - (sample.unservable or 0)))


def _habits(ahead: Sequence[ExpectedHour], at: float) -> tuple[Habit, ...]:
    """Past weeks on the walk's time scale; none if they do not cover the present."""
    middles = [((usual.hour + 0.5) * HOUR_SECONDS, usual.arrivals_per_minute) for usual in ahead]
    if not any(abs(middle - at) <= HOUR_SECONDS for middle, _ in middles):
        return ()
    return tuple(Habit((middle - at) / 60, rate) for middle, rate in middles)


def _usual_arrivals(series: Sequence[Snapshot], last: Snapshot, arrivals: float) -> float:
    """Of the samples; of the source, where they are too few to hold much else than the trouble."""
    seen = mean(series, "arrivals_per_minute")
    if last.usual_arrivals_per_minute is not None and last.at - series[0].at < ENOUGH_SECONDS:
        return last.usual_arrivals_per_minute
    return arrivals if seen is None else seen


def _rates(series: Sequence[Snapshot], last: Snapshot) -> tuple[float, float] | None:
    """(arrivals, starts) per minute: two of arrivals, starts and the queue's slope give the third.

    Where only the queue is known, as many arrived as it rose from sample to sample, whatever its slope over time.
    """
    window = _within(series, NOW_MINUTES)
    falls = _shrinks(series, SLOPE_MINUTES)
    arrivals = _mean(s.arrivals_per_minute for s in window)
    starts = _mean(_ended(s) for s in _within(series, SLOPE_MINUTES))
    waited = (last.oldest_wait_seconds or 0.0) / 60
    if arrivals is None and waited > NORMAL_WAIT_SECONDS / 120:
        arrivals = _servable(last) / waited
    if starts is None and last.busy is not None and last.duration_p50_seconds:
        starts = last.busy * 60 / (last.duration_p50_seconds * MEAN_OVER_MEDIAN)
    if falls is None:
        return None if arrivals is None or starts is None else (arrivals, starts)
    came = _mean((arrivals, None if starts is None else max(0.0, starts - falls)))
    came = _rises(_within(series, SLOPE_MINUTES)) if came is None else came
    return came, max(0.0, came + falls)


def _waited(series: Sequence[Snapshot], floor: int, pace: float) -> float:
    """Minutes of the longest wait; where unknown, as long as fewer jobs have started than waited then."""
    last, started = series[-1], 0.0
    if last.oldest_wait_seconds is not None:
        return last.oldest_wait_seconds / 60
    for before, now in pairwise(reversed(series)):
        ended = _ended(before)
        least = _servable(now) - _servable(before)
        started += max(least, ((before.busy or 0) * pace if ended is None else ended) * (before.at - now.at) / 60)
        if now.queued is not None and now.queued <= max(floor, started):
            return (last.at - before.at) / 60
    return (last.at - series[0].at) / 60


def _rises(series: Sequence[Snapshot]) -> float:
    """Jobs by which the queue rose per minute, without its falls."""
    known = [s for s in series if s.queued is not None]
    rose = sum(max(0.0, _servable(after) - _servable(before)) for before, after in pairwise(known))
    return rose * 60 / (known[-1].at - known[0].at)


def _shrinks(series: Sequence[Snapshot], minutes: float) -> float | None:
    """Jobs by which the queue fell per minute; None with too few samples."""
    known = [s for s in _within(series, minutes) if s.queued is not None]
    if len(known) < LEAST_SAMPLES:
        return None
    return (_servable(known[0]) - _servable(known[-1])) * 60 / (known[-1].at - known[0].at)


def _pace(series: Sequence[Snapshot], last: Snapshot) -> tuple[float, float]:
    """(present, usual) jobs per minute of one runner, by Little's law; else from the median duration."""
    by_time = 60 / (last.duration_p50_seconds * MEAN_OVER_MEDIAN) if last.duration_p50_seconds else None
    usual = _per_runner(series)
    present = _per_runner(_within(series, NOW_MINUTES)) or by_time or usual or UNKNOWN_PACE
    return present, usual or present


def _per_runner(window: Sequence[Snapshot]) -> float | None:
    both = [
        (ended * seconds, s.busy * seconds)
        for s, seconds in zip(window, weights(window), strict=False)
        if (ended := _ended(s)) is not None and s.busy is not None
    ]
    busy = sum(number for _, number in both)
    return sum(ended for ended, _ in both) / busy or None if busy else None


def _ended(sample: Snapshot) -> float | None:
    """Jobs that runners finished per minute; where unknown, those that they started."""
    known = sample.completions_per_minute
    return sample.starts_per_minute if known is None else known


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
        s
        for s in _within(series, max(NOW_MINUTES, boot_seconds / 20))
        if s.booting is not None and s.limit and (online := _online(s)) is not None and online + s.booting >= s.limit
    ]
    lasted = len(full) >= LEAST_SAMPLES and full[-1].at - full[0].at >= 2 * boot_seconds
    return float(median(s.booting or 0 for s in full)) if lasted else 0.0


def _grows(series: Sequence[Snapshot], last: Snapshot, rules: PoolRules) -> float:
    """Runners that come per minute: as lately, or those that boot now beyond the machines that boot all the time.

    Where each job has its own machine, machines boot all the time and their number stays.
    """
    known = [(s.at, online) for s in _within(series, SLOPE_MINUTES) if (online := _online(s)) is not None]
    seconds = known[-1][0] - known[0][0] if len(known) >= LEAST_SAMPLES else 0.0
    seen = max(0.0, (known[-1][1] - known[0][1]) * 60 / seconds) if seconds else 0.0
    always = median([s.booting for s in _within(series, NOW_MINUTES) if s.booting is not None] or [0])
    return max(seen, ((last.booting or 0) - always) * 60 / max(rules.boot_time_seconds, 60.0))


def _online(sample: Snapshot) -> int | None:
    return None if sample.busy is None else sample.busy + (sample.idle or 0)


def _within(series: Sequence[Snapshot], minutes: float) -> Sequence[Snapshot]:
    return [s for s in series if series[-1].at - s.at <= minutes * 60]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [float(v) for v in values if v is not None]
    return sum(known) / len(known) if known else None
