"""The warning before an alert: when a pool is about to wait as long as alerts fire at, told once and scored."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import log
from statistics import median_low, pstdev

from bot.core.forecast.drain import WalkPoint, arriving_at, walk
from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.forecast import INTERVAL_Z, blocked_by
from bot.core.pool.early_warning import Crossing, EarlyWarning, Ending, Measure, Threshold, WarningHistory
from bot.core.pool.hour_stats import Baseline, Fired
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.statement import Statement

LOOK_AHEAD_MINUTES = 60.0
SURE_Z = 0.85
"""Standard deviations on the good side at which it must still be crossed for a warning: 4 of 5, if all were normal."""
BLUNT_MINUTES = 2.0
"""No interval is sharper than the looks it is made from and judged by."""
LEAST_FIRED = 2
"""One alert does not show whether it fired for the wait or for the length of the queue."""
KEPT_FIRED = 20
LEARN_FROM = 10
SURE_LOOKS = 3
"""So many looks in a row must be sure before a warning is given."""
CALM_SECONDS = 600.0
"""A warning has passed when nothing was expected for that long."""
REST_SECONDS = 1800.0
"""After the end of one the next does not begin sooner."""
LONGEST_SECONDS = 6 * 3600.0
BELOW = 0.8
"""The share of a threshold below which it counts as left again."""


def thresholds(rules: PoolRules, fired: Sequence[Fired] = ()) -> tuple[Threshold, ...]:
    """What is configured, else what past alerts fired at; empty when neither is known."""
    wait, queued = rules.warn_wait_seconds, rules.warn_queued
    set_wait = (Threshold(Measure.WAIT, wait),) if wait else ()
    set_queued = (Threshold(Measure.QUEUED, queued),) if queued else ()
    if set_wait or set_queued:
        return set_wait + set_queued
    learnt = learnt_from(fired)
    return (learnt,) if learnt else ()


def learnt_from(fired: Sequence[Fired]) -> Threshold | None:
    """Alerts fire at about the same height of what they watch: the figure that varies less is taken, by its median."""
    known = [(f.oldest_wait_seconds, f.queued) for f in fired if f.oldest_wait_seconds and f.queued][-LEARN_FROM:]
    if len(known) < LEAST_FIRED:
        return None
    waits, sizes = [wait for wait, _ in known], [float(queued) for _, queued in known]
    steadier = pstdev(map(log, waits)) <= pstdev(map(log, sizes))
    measure, values = (Measure.WAIT, waits) if steadier else (Measure.QUEUED, sizes)
    return Threshold(measure, median_low(values), len(known))


def reached(sample: Snapshot, limits: Sequence[Threshold], share: float = 1.0) -> bool:
    """Whether a sample is at a threshold, or at a share of it; unknown figures reach nothing."""
    return any((_height(sample, limit.measure) or 0.0) >= share * limit.value for limit in limits)


def _height(sample: Snapshot, measure: Measure) -> float | None:
    return sample.oldest_wait_seconds if measure is Measure.WAIT else sample.queued


@dataclass(frozen=True, slots=True)
class Ahead:
    """How the next hour is expected to go."""

    flow: Flow
    points: list[WalkPoint]
    ages: list[tuple[float, float]]
    """See `_ages`."""


def expected(
    series: Sequence[Snapshot],
    rules: PoolRules,
    limits: Sequence[Threshold],
    ahead: tuple[Baseline, ...] = (),
) -> tuple[Crossing, ...]:
    """The thresholds that are expected to be crossed within the hour, the first one first.

    Nothing is expected of a queue at its floor, of waits that are normal, or where rates are unknown.
    """
    last = series[-1] if series else None
    if last is None or (last.queued or 0) <= rules.floor or reached(last, limits):
        return ()
    flow = flow_of(tuple(series), rules, ahead)
    if isinstance(flow, Statement) or flow.oldest_wait * 60 <= rules.boot_time_seconds:
        return ()
    if blocked_by(last, rules):
        flow = replace(flow, pace=0.0, joins=0.0)
    points = [point for point in walk(flow) if point.minute <= LOOK_AHEAD_MINUTES]
    coming = Ahead(flow, points, _ages(series, flow))
    found = [_crossing(limit, series, coming) for limit in limits]
    return tuple(sorted((one for one in found if one), key=lambda one: one.mid_seconds))


def _crossing(limit: Threshold, series: Sequence[Snapshot], ahead: Ahead) -> Crossing | None:
    low, mid, sure, high = (_when(limit, series[-1], ahead, z) for z in (INTERVAL_Z, 0.0, -SURE_Z, -INTERVAL_Z))
    if low is None or mid is None:
        return None
    low, high = max(0.0, low - BLUNT_MINUTES), None if high is None else high + BLUNT_MINUTES
    return Crossing(limit, series[-1].at, 60 * low, 60 * mid, None if high is None else 60 * high, sure is not None)


def _when(limit: Threshold, last: Snapshot, ahead: Ahead, z: float) -> float | None:
    """Minutes until the height is reached when the queue is `z` standard deviations longer than expected."""
    if limit.measure is Measure.QUEUED:
        unservable = last.unservable or 0
        heights = [point.queued + z * point.spread + unservable for point in ahead.points]
    else:
        heights = [60 * wait for wait in _waits(ahead, z)]
    before: tuple[float, float] | None = None
    for point, height in zip(ahead.points, heights, strict=True):
        if height >= limit.value:
            return _between(before, (point.minute, height), limit.value)
        before = (point.minute, height)
    return None


def _between(before: tuple[float, float] | None, after: tuple[float, float], value: float) -> float:
    if before is None:
        return after[0]
    return before[0] + (after[0] - before[0]) * (value - before[1]) / (after[1] - before[1])


def _waits(ahead: Ahead, z: float) -> list[float]:
    """The oldest wait at each point, in minutes: the first in line arrived when as many had come as have gone since."""
    points, flow = ahead.points, ahead.flow
    steps = [arriving_at(flow, one.minute) * (other.minute - one.minute) for one, other in pairwise(points)]
    came = [flow.queued, *(flow.queued + more for more in accumulate(steps))]
    waits = []
    for point, total in zip(points, came, strict=True):
        waiting = point.queued + z * point.spread
        gone = total - waiting
        if waiting <= 0:
            waits.append(0.0)
        elif gone <= flow.queued:
            waits.append(point.minute + _age(ahead.ages, max(0.0, gone)))
        else:
            waits.append(point.minute - points[min(bisect_left(came, gone), len(points) - 1)].minute)
    return waits


def _ages(series: Sequence[Snapshot], flow: Flow) -> list[tuple[float, float]]:
    """(how many wait in front of a job, how many minutes it has waited), from the front of the line to its end.

    Who queued at an earlier look and has not been started since is at least as old as that look; first in, first out.
    """
    last, ages = series[-1], [(flow.queued, 0.0)]
    started, after = 0.0, last
    for sample in reversed(series[:-1]):
        minutes = (last.at - sample.at) / 60
        if minutes >= flow.oldest_wait or sample.queued is None or after.starts_per_minute is None:
            break
        started += after.starts_per_minute * (after.at - sample.at) / 60
        still = min(ages[-1][0], max(0.0, sample.queued - started))
        ages.append((still, minutes))
        after = sample
    return [(0.0, flow.oldest_wait), *reversed(ages)]


def _age(ages: list[tuple[float, float]], place: float) -> float:
    """The minutes that the job with so many in front of it has waited."""
    for (front, old), (back, young) in pairwise(ages):
        if place <= back:
            return old if back <= front else old + (young - old) * (place - front) / (back - front)
    return 0.0


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one look at a pool showed, for the episode that it may belong to."""

    now: float
    sample: Snapshot
    limits: tuple[Threshold, ...]
    """Empty: no warning is wanted, or nothing is known that it could speak of."""
    crossings: tuple[Crossing, ...] = ()
    incidents: tuple[str, ...] = ()
    """Open incidents that speak of the pool; while there are any, nothing is warned of."""
    fired: str = ""
    """The incident whose alert has just fired for this pool."""
    scaled_at: float | None = None
    """When the pool was scaled last (epoch seconds)."""


def advanced(early: WarningHistory, seen: Measurement) -> WarningHistory:
    """The record after one more look: a warning begins, stays, or ends, and is counted as right or wrong."""
    over = reached(seen.sample, seen.limits)
    after = _standing(early, seen, over=over) if early.standing else _watching(early, seen, over=over)
    below = not seen.incidents and not reached(seen.sample, seen.limits, BELOW)
    return replace(after, above=(after.above or over or bool(seen.fired)) and not below)


def _watching(early: WarningHistory, seen: Measurement, *, over: bool) -> WarningHistory:
    """No warning stands: one begins when several looks in a row are sure; what comes unforeseen is missed."""
    if seen.limits and not early.above and (seen.fired or (over and not seen.incidents)):
        return replace(early, missed=early.missed + 1, streak=0)
    sure = next((one for one in seen.crossings if one.sure), None)
    if sure is None or seen.incidents or early.above:
        return replace(early, streak=0)
    last, streak = early.episode, early.streak + 1
    rested = last is None or seen.now - (last.ended_at or last.began_at) >= REST_SECONDS
    if streak < SURE_LOOKS or not rested:
        return replace(early, streak=streak)
    sample = seen.sample
    begun = EarlyWarning(
        seen.now, sure, sure, seen.now, queued=sample.queued, oldest_wait_seconds=sample.oldest_wait_seconds
    )
    return replace(early, episode=begun, streak=0)


def _standing(early: WarningHistory, seen: Measurement, *, over: bool) -> WarningHistory:
    """The warning stands: an incident takes it over, its threshold is crossed or left, or it passes."""
    episode, now = early.episode, seen.now
    if episode is None:
        return early
    if seen.scaled_at is not None and seen.scaled_at >= episode.began_at:
        episode = replace(episode, scaled_at=seen.scaled_at)
    crossed = episode.crossed_at is not None
    if seen.incidents or seen.fired:
        ended = _ended(episode, Ending.FIRED, now, seen.fired or seen.incidents[0])
        return replace(early, episode=ended, hits=early.hits + (bool(seen.fired) and not crossed))
    if over and not crossed:
        return replace(early, episode=replace(episode, crossed_at=now), hits=early.hits + 1)
    if seen.crossings:
        episode = replace(episode, expected=seen.crossings[0], likely_at=now)
    ending = _ending(episode, seen)
    if ending is None:
        return replace(early, episode=episode)
    if episode.scaled_at is not None and ending in {Ending.EXPIRED, Ending.PASSED}:
        ending = Ending.AVERTED
    wrong = ending in {Ending.EXPIRED, Ending.PASSED}
    return replace(early, episode=_ended(episode, ending, now), false=early.false + wrong)


def _ending(episode: EarlyWarning, seen: Measurement) -> Ending | None:
    if not seen.limits:
        return Ending.WITHDRAWN
    if episode.crossed_at is not None:
        return None if reached(seen.sample, seen.limits, BELOW) else Ending.EASED
    if seen.now - episode.began_at >= LONGEST_SECONDS:
        return Ending.EXPIRED
    return Ending.PASSED if seen.now - episode.likely_at >= CALM_SECONDS else None


def _ended(episode: EarlyWarning, ending: Ending, now: float, incident: str = "") -> EarlyWarning:
    return replace(episode, ending=ending, ended_at=now, incident=incident)
