"""Decides when a pool gets an early warning, how it ends, and whether it was right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log
from statistics import median_low, pstdev

from bot.core.forecast.model import crossing
from bot.core.forecast.seen import Seen, seen_of
from bot.core.pool.early_warning import Crossing, EarlyWarning, Ending, Measure, Threshold, WarningHistory
from bot.core.pool.hour_stats import ExpectedHour, Fired
from bot.core.pool.pool import PoolRules, Snapshot, drained

LOOK_AHEAD_MINUTES = 60.0
SURE = 0.8
"""Share of the particles that must cross. Origin: as four in five forecasts hold."""
BLUNT_MINUTES = 2.0
"""No interval is narrower than the time between samples."""
LEAST_FIRED = 2
"""One alert does not show whether its rule is about the wait or the length."""
KEPT_FIRED = 20  # origin: judgement; a rule that fires weekly shows half a year
LEARN_FROM = 10  # origin: judgement; the last quarter, as limits are changed
SURE_SAMPLES = 3
"""Samples in a row that must be sure before a warning. Origin: two may share one error, three hardly do."""
CALM_SECONDS = 600.0
"""A warning has passed when no crossing was expected for this long. Origin: sources average over as long."""
REST_SECONDS = 1800.0
"""Pause between two warnings. Origin: judgement; who was told acts within it."""
LONGEST_SECONDS = 6 * 3600.0  # origin: judgement; later it is another shift
BELOW = 0.8
"""Share of a threshold below which it counts as left. Origin: judgement; so that it is not crossed at each sample."""


def thresholds(rules: PoolRules, fired: Sequence[Fired] = ()) -> tuple[Threshold, ...]:
    """The configured thresholds, else those learnt from past alerts; empty if unknown."""
    wait, queued = rules.warn_wait_seconds, rules.warn_queued
    set_wait = (Threshold(Measure.WAIT, wait),) if wait else ()
    set_queued = (Threshold(Measure.QUEUED, queued),) if queued else ()
    if set_wait or set_queued:
        return set_wait + set_queued
    learnt = learnt_from(fired)
    return (learnt,) if learnt else ()


def learnt_from(fired: Sequence[Fired]) -> Threshold | None:
    """The threshold of past alerts: the figure that varied less, by its median."""
    known = [(f.oldest_wait_seconds, f.queued) for f in fired if f.oldest_wait_seconds and f.queued][-LEARN_FROM:]
    if len(known) < LEAST_FIRED:
        return None
    waits, sizes = [wait for wait, _ in known], [float(queued) for _, queued in known]
    steadier = pstdev(map(log, waits)) <= pstdev(map(log, sizes))
    measure, values = (Measure.WAIT, waits) if steadier else (Measure.QUEUED, sizes)
    return Threshold(measure, median_low(values), len(known))


def reached(sample: Snapshot, limits: Sequence[Threshold], share: float = 1.0) -> bool:
    """Whether a sample reaches a threshold, or a share of it; unknown figures never do."""
    figures = {Measure.WAIT: sample.oldest_wait_seconds, Measure.QUEUED: sample.queued}
    return any((figures[limit.measure] or 0.0) >= share * limit.value for limit in limits)


def eased(sample: Snapshot, limits: Sequence[Threshold]) -> bool:
    """Whether a sample is known to be well under every threshold; unknown figures are not, and nobody's wait is 0."""
    wait = 0.0 if sample.queued == 0 and sample.oldest_wait_seconds is None else sample.oldest_wait_seconds
    figures = {Measure.WAIT: wait, Measure.QUEUED: sample.queued}
    known = [(figures[limit.measure], BELOW * limit.value) for limit in limits]
    return all(figure is not None and figure < below for figure, below in known)


def expected(
    series: Sequence[Snapshot], rules: PoolRules, limits: Sequence[Threshold], ahead: tuple[ExpectedHour, ...] = ()
) -> tuple[Crossing, ...]:
    """Thresholds expected to be crossed within the hour, the first one first.

    None for a queue at its floor, normal waits, unknown rates, and without past weeks: a batch then looks like a surge.
    """
    last = series[-1] if series else None
    weeks = tuple(one for one in ahead if one.weeks)
    if last is None or not weeks or drained(last, rules) is not False or reached(last, limits):
        return ()
    seen = seen_of(series, rules, weeks)
    if not isinstance(seen, Seen) or not seen.usual.minutes or last.arrivals_per_minute is None:
        return ()
    found, ages = list[Crossing](), _ages(series, seen)
    crossings = crossing(seen, rules.name, limits, ages, LOOK_AHEAD_MINUTES)
    for limit, (share, span) in zip(limits, crossings, strict=True):
        if math.isinf(span.middle):
            continue
        high = None if math.isinf(span.high) else span.high + 60 * BLUNT_MINUTES
        low = max(0.0, span.low - 60 * BLUNT_MINUTES)
        found.append(Crossing(limit, last.at, low, span.middle, high, share >= SURE))
    return tuple(sorted(found, key=lambda one: one.mid_seconds))


def _ages(series: Sequence[Snapshot], seen: Seen) -> list[float]:
    """Minutes that each job of the queue has waited at least, the oldest first.

    A job that queued at an earlier sample and has not started since is at least as old as that sample.
    """
    last, ages = series[-1], [(seen.queued, 0.0)]
    started, after = 0.0, last
    for sample in reversed(series[:-1]):
        minutes = (last.at - sample.at) / 60
        if minutes >= seen.waited or sample.queued is None or after.starts_per_minute is None:
            break
        started += after.starts_per_minute * (after.at - sample.at) / 60
        still = min(ages[-1][0], max(0.0, sample.queued - started))
        ages.append((still, minutes))
        after = sample
    profile = [(0.0, seen.waited), *reversed(ages)]
    return [_age(profile, place) for place in range(int(seen.queued))]


def _age(ages: list[tuple[float, float]], place: float) -> float:
    """Minutes that the job with so many ahead has waited."""
    for (front, old), (back, young) in pairwise(ages):
        if place <= back:
            return old if back <= front else old + (young - old) * (place - front) / (back - front)
    return 0.0


@dataclass(frozen=True, slots=True)
class Measurement:
    """One sample of a pool, for its possible warning."""

    now: float
    sample: Snapshot
    limits: tuple[Threshold, ...]
    """Empty: warnings are off, or no threshold is known."""
    crossings: tuple[Crossing, ...] = ()
    incidents: tuple[str, ...] = ()
    """Open incidents with the pool; while there are any, there is no warning."""
    fired: str = ""
    """The incident whose alert just fired for this pool."""
    scaled_at: float | None = None
    """When the pool was scaled last (epoch seconds)."""
    scaled_by: str = ""


def advanced(early: WarningHistory, seen: Measurement) -> WarningHistory:
    """The record after one more sample: a warning begins, continues, or ends and is scored."""
    over = reached(seen.sample, seen.limits)
    after = _standing(early, seen, over=over) if early.standing else _watching(early, seen, over=over)
    below = not seen.incidents and eased(seen.sample, seen.limits)
    return replace(after, above=(after.above or over or bool(seen.fired)) and not below)


def _watching(early: WarningHistory, seen: Measurement, *, over: bool) -> WarningHistory:
    """Without a warning: one begins when several samples in a row are sure; other crossings are missed."""
    if seen.limits and not early.above and (seen.fired or (over and not seen.incidents)):
        return replace(early, missed=early.missed + 1, streak=0)
    sure = next((one for one in seen.crossings if one.sure), None)
    if sure is None or seen.incidents or early.above:
        return replace(early, streak=0)
    last, streak = early.current, early.streak + 1
    rested = last is None or seen.now - (last.ended_at or last.began_at) >= REST_SECONDS
    if streak < SURE_SAMPLES or not rested:
        return replace(early, streak=streak)
    sample = seen.sample
    begun = EarlyWarning(
        seen.now, sure, sure, seen.now, queued=sample.queued, oldest_wait_seconds=sample.oldest_wait_seconds
    )
    return replace(early, current=begun, streak=0)


def _standing(early: WarningHistory, seen: Measurement, *, over: bool) -> WarningHistory:
    """With a warning: an incident takes over, the threshold is crossed or left, or the warning passes."""
    episode, now = early.current, seen.now
    if episode is None:
        return early
    if seen.scaled_at is not None and seen.scaled_at >= episode.began_at:
        episode = replace(episode, scaled_at=seen.scaled_at, scaled_by=seen.scaled_by)
    crossed = episode.crossed_at is not None
    if seen.incidents or seen.fired:
        ended = _ended(episode, Ending.FIRED, now, seen.fired or seen.incidents[0])
        return replace(early, current=ended, hits=early.hits + (bool(seen.fired) and not crossed))
    if over and not crossed:
        return replace(early, current=replace(episode, crossed_at=now), hits=early.hits + 1)
    if seen.crossings:
        episode = replace(episode, expected=seen.crossings[0], likely_at=now)
    ending = _ending(episode, seen)
    if ending is None:
        return replace(early, current=episode)
    if episode.scaled_at is not None and ending in {Ending.EXPIRED, Ending.PASSED}:
        ending = Ending.AVERTED
    wrong = ending in {Ending.EXPIRED, Ending.PASSED}
    return replace(early, current=_ended(episode, ending, now), false=early.false + wrong)


def _ending(episode: EarlyWarning, seen: Measurement) -> Ending | None:
    if not seen.limits:
        return Ending.WITHDRAWN
    overdue = seen.now - episode.began_at >= LONGEST_SECONDS
    if episode.crossed_at is not None:
        unknown = overdue and not reached(seen.sample, seen.limits, BELOW)
        return Ending.EASED if unknown or eased(seen.sample, seen.limits) else None
    if overdue:
        return Ending.EXPIRED
    return Ending.PASSED if seen.now - episode.likely_at >= CALM_SECONDS else None


def _ended(episode: EarlyWarning, ending: Ending, now: float, incident: str = "") -> EarlyWarning:
    return replace(episode, ending=ending, ended_at=now, incident=incident)
