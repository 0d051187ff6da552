"""The effect of more runners: a table of +N, the fewest that meet a target, and when to do nothing."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.forecast import WIDEST, bounds
from bot.core.forecast.readings import LATER_MINUTES, longest_wait, readings
from bot.core.forecast.speedup import NO_SPEEDUP, Speedup, speedup_of
from bot.core.forecast.walk import HORIZON_MINUTES, walk
from bot.core.pool.hour_stats import ExpectedHour
from bot.core.pool.outlook import UNCALIBRATED, Calibration, Forecast, Verdict
from bot.core.pool.pool import PoolRules, Snapshot, cut_off
from bot.core.statement import Statement, statement

TARGET_SECONDS = 1800.0
Times = tuple[float, float, float]
"""(low, middle, high) in minutes."""
LEAST_FASTER = 1.05
"""A smaller effect is none."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Criteria of a choice."""

    cost_per_runner_hour: float | None = None
    target_seconds: float = TARGET_SECONDS
    """The queue should be empty within this time."""
    most: int | None = None
    """Largest number of added runners; None: unlimited."""
    known: Calibration | None = None
    """Of the pool's forecasts."""
    ahead: tuple[ExpectedHour, ...] = ()
    """The expectation from past weeks."""
    said: Forecast | None = None
    """The forecast that messages show: the times begin with it, so that dialog and thread agree."""
    in_vain: float = 0.0
    """The probability that added runners change nothing, by the likeliest cause."""


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
    """Cost of the added runners until the queue has drained; None if unpriced."""
    times_faster: float = 1.0
    """How many times sooner it drains than without them."""
    sooner_seconds: float = 0.0
    """By how much, in the middle case."""
    speedup: Speedup = NO_SPEEDUP
    """`times_faster` with its range, and whether the figure is likely to be right."""

    @property
    def helps(self) -> bool:
        """Whether the queue may well drain sooner than without them."""
        return (self.times_faster if self.speedup.sure else self.speedup.high) >= LEAST_FASTER


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
    said: Forecast | None = None
    """The forecast that the options begin with, where messages show one."""


def what_if(series: Sequence[Snapshot], rules: PoolRules, counts: Iterable[int], terms: Terms | None = None) -> WhatIf:
    """Walk the queue with each number of added runners; more runners never make it later."""
    terms = terms or Terms()
    queued = series[-1].queued if series else None
    if series and cut_off(series[-1], rules):
        return WhatIf(refusal=statement("cut_off"))
    if queued is not None and queued <= rules.floor:
        few = statement("at_floor", queued=queued)
        return WhatIf(refusal=few if queued else statement("nothing_queued"))
    flow = flow_of(series, rules, terms.ahead)
    if isinstance(flow, Statement):
        return WhatIf(refusal=flow)
    alone = readings(flow)
    times = _as_said(bounds(alone, terms.known or UNCALIBRATED, branch=bool(flow.blocked)), terms.said)
    known = series[-1].oldest_wait_seconds is not None
    options: list[Option] = []
    for more in sorted({0, *(one for one in counts if one > 0)}):
        speedup = speedup_of(alone, readings(flow, more), terms.in_vain) if more else NO_SPEEDUP
        options.append(_option(flow, more, speedup, times, terms, options[-1] if options else None))
    options = options if known else [replace(option, oldest_wait_seconds=None) for option in options]
    enough = next((o for o in options if o.mid_seconds is not None and o.mid_seconds <= terms.target_seconds), None)
    return WhatIf(tuple(options), enough, _do_nothing(series[-1], options[0], rules), said=terms.said)


def _as_said(times: Times, said: Forecast | None) -> Times:
    """The times with the middle of this forecast, and with its bounds where it has them; some have no latest end."""
    if said is None or not said.mid_seconds or said.mid_seconds < 60:
        return times
    middle = said.mid_seconds / 60
    low, high = (middle / times[1] * time for time in (times[0], times[2]))
    low = low if said.low_seconds is None else said.low_seconds / 60
    if said.high_seconds is not None or said.verdict is Verdict.AT_LEAST:
        high = (said.high_seconds or math.inf) / 60
    if said.verdict is Verdict.INTERVAL:
        low = max(low, 1.0001 * high / WIDEST)  # counted down, its ends have drifted apart
    return min(low, middle), middle, min(HORIZON_MINUTES, max(high, middle))


def _option(  # noqa: PLR0913, PLR0917 - the queue, what is added, and what came of less
    flow: Flow, more: int, speedup: Speedup, times: Times, terms: Terms, fewer: Option | None
) -> Option:
    most = (speedup.times if speedup.sure else speedup.high, speedup.times, speedup.times)
    known = (None, None, None) if fewer is None else (fewer.low_seconds, fewer.mid_seconds, fewer.high_seconds)
    latest = (time if cap is None else cap / 60 for time, cap in zip(times, known, strict=True))
    low, middle, high = (min(cap, max(flow.boot, time / by)) for time, by, cap in zip(times, most, latest, strict=True))
    faster, possible = times[1] / middle, max(1.0, times[2] / flow.boot)
    likeliest = max(min(possible, speedup.likeliest), 1.0 if fewer is None else fewer.speedup.likeliest)
    ends = min(faster, speedup.low), max(faster, likeliest, min(possible, speedup.high))
    span = Speedup(faster, *ends, speedup.sure, likeliest)
    price = terms.cost_per_runner_hour
    return Option(
        more,
        60 * low,
        60 * middle if middle < HORIZON_MINUTES else None,
        60 * high if high < HORIZON_MINUTES else None,
        None if (wait := longest_wait(flow, list(walk(flow, LATER_MINUTES, more)))) is None else 60 * wait,
        None if price is None else price * more * middle / 60,
        faster,
        60 * (times[1] - middle),
        span,
    )


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


def expectation(series: Sequence[Snapshot], more: int, rules: PoolRules, terms: Terms | None = None) -> WhatToExpect:
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
