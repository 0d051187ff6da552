"""The effect of more runners: a table of +N, the fewest that meet a target, and when to do nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from bot.core.forecast.drain import WalkPoint, crossing, walk
from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.forecast import INTERVAL_Z, spread_out
from bot.core.pool.hour_stats import Baseline
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.statement import Statement, statement

TARGET_SECONDS = 1800.0
ADDED_WIDEN = 1.25
"""Factor on the interval with added runners, which are not measured yet (measured on the fleet)."""
BOOT_VARIES = 0.25
"""Share of the boot time by which a new runner may be early or late."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Criteria of a choice."""

    cost_per_runner_hour: float | None = None
    target_seconds: float = TARGET_SECONDS
    """The queue should be empty within this time."""
    most: int | None = None
    """Largest number of added runners; None: unlimited."""
    widen: float = 1.0
    """The pool's calibration: how much its intervals were too narrow."""
    """See `flow_of`."""
    ahead: tuple[Baseline, ...] = ()
    """The expectation from past weeks."""


@dataclass(frozen=True, slots=True)
class Option:
    """The expected effect of `more` runners; None: the queue does not drain within the horizon."""

    more: int
    low_seconds: float | None
    mid_seconds: float | None
    high_seconds: float | None
    oldest_wait_seconds: float | None
    """The longest wait until then; None if the present queue is not served, or its oldest wait is unknown."""
    cost: float | None
    """Cost of the added runners until the queue is empty; None if unpriced or without a drain."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The options by number of added runners."""

    options: tuple[Option, ...] = ()
    enough: Option | None = None
    """The fewest added runners that meet the target; None if no option does."""
    do_nothing: Statement | None = None
    """Why nothing should be added; None when that cannot be said."""
    refusal: Statement | None = None
    """Why there is no forecast; then there are no options."""


def what_if(series: Sequence[Snapshot], rules: PoolRules, counts: Iterable[int], terms: Terms | None = None) -> WhatIf:
    """Simulate the queue with each number of added runners; more runners never make it later."""
    terms = terms or Terms()
    queued = series[-1].queued if series else None
    if queued is not None and queued <= rules.floor:
        few = statement("at_floor", queued=queued)
        return WhatIf(refusal=few if queued else statement("nothing_queued"))
    flow = flow_of(tuple(series), rules, terms.ahead)
    if isinstance(flow, Statement):
        return WhatIf(refusal=flow)
    options: list[Option] = []
    for more in sorted({0, *(number for number in counts if number > 0)}):
        option = _not_later(_option(flow, more, terms), options[-1] if options else None)
        known = series[-1].oldest_wait_seconds is not None
        options.append(option if known else replace(option, oldest_wait_seconds=None))
    enough = next((o for o in options if o.mid_seconds is not None and o.mid_seconds <= terms.target_seconds), None)
    return WhatIf(tuple(options), enough, _do_nothing(series[-1], options[0], rules))


def _option(flow: Flow, more: int, terms: Terms) -> Option:
    points = walk(flow, more)
    low, mid, high = (crossing(points, flow.floor, z) for z in (-INTERVAL_Z, 0.0, INTERVAL_Z))
    if low is not None and mid is not None:
        low, mid, high = spread_out(flow, low, mid, high, terms.widen * (ADDED_WIDEN if more else 1.0))
        if more:
            low, high = min(low, mid - BOOT_VARIES * flow.boot), _later(high, mid + BOOT_VARIES * flow.boot + 1)
    hourly = terms.cost_per_runner_hour
    cost = None if hourly is None or mid is None else hourly * more * mid / 60
    return Option(more, _seconds(low), _seconds(mid), _seconds(high), _oldest(flow, points), cost)


def _later(one: float | None, other: float) -> float | None:
    return None if one is None else max(one, other)


def _seconds(minutes: float | None) -> float | None:
    return None if minutes is None else 60 * minutes


def _oldest(flow: Flow, points: Sequence[WalkPoint]) -> float | None:
    """The longest wait; the last job in the queue starts when as many have started as wait now."""
    turn = next((p.minute for p in points if p.started >= flow.queued), None)
    first = next((p.minute for p in points if p.started >= 1), None)
    if turn is None or first is None:
        return None
    return 60 * max(flow.oldest_wait + first, turn)


def _not_later(option: Option, fewer: Option | None) -> Option:
    """Use the option with fewer runners where rounding makes more look later."""
    if fewer is None:
        return option
    return Option(
        option.more,
        _sooner(option.low_seconds, fewer.low_seconds),
        _sooner(option.mid_seconds, fewer.mid_seconds),
        _sooner(option.high_seconds, fewer.high_seconds),
        _sooner(option.oldest_wait_seconds, fewer.oldest_wait_seconds),
        option.cost,
    )


def _sooner(one: float | None, other: float | None) -> float | None:
    known = [value for value in (one, other) if value is not None]
    return min(known) if known else None


def _do_nothing(now: Snapshot, alone: Option, rules: PoolRules) -> Statement | None:
    waits = (now.oldest_wait_seconds or 0) > rules.boot_time_seconds
    if now.idle and now.queued and waits and now.idle >= min(2, now.queued):
        return statement("idle_beside_queue", idle=now.idle, queued=now.queued)
    if alone.mid_seconds is not None and alone.mid_seconds <= rules.boot_time_seconds:
        return statement("drains_before_boot", seconds=alone.mid_seconds, boot=rules.boot_time_seconds)
    return None


@dataclass(frozen=True, slots=True)
class WhatToExpect:
    """The expected effect of `more` runners, for the confirmation."""

    more: int
    now: Snapshot | None
    """The newest sample; None when the pool was never measured."""
    what_if: WhatIf = field(default_factory=WhatIf)
    """With half, all and twice as many runners, as far as permitted."""
    terms: Terms = field(default_factory=Terms)


def foreseen(series: Sequence[Snapshot], more: int, rules: PoolRules, terms: Terms | None = None) -> WhatToExpect:
    """The expected effect of `more` runners, from the pool's samples."""
    terms = terms or Terms()
    if not series:
        return WhatToExpect(more, None, terms=terms)
    twice = 2 * more if terms.most is None else max(more, min(2 * more, terms.most))
    return WhatToExpect(more, series[-1], what_if(series, rules, {more // 2, more, twice}, terms), terms)


def least(series: Sequence[Snapshot], rules: PoolRules, most: int, terms: Terms | None = None) -> Option | None:
    """The smallest number of added runners, up to `most`, expected to meet the target; None if none does."""
    low, high, best = 0, most, None
    while low <= high:
        middle = (low + high) // 2
        found = what_if(series, rules, {middle}, terms)
        option = found.options[-1] if found.options else None
        wanted = (terms or Terms()).target_seconds
        if option is not None and option.mid_seconds is not None and option.mid_seconds <= wanted:
            best, high = option, middle - 1
        else:
            low = middle + 1
    return best
