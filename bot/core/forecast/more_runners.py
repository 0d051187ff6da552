"""The effect of more runners: a table of +N, whether they help, the fewest that meet a target, when to do nothing."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.core.forecast.forecast import calibrated
from bot.core.forecast.model import effects
from bot.core.forecast.seen import Seen, seen_of
from bot.core.pool.hour_stats import DayStats, ExpectedHour
from bot.core.pool.outlook import (
    LEAST_FASTER,
    NOTHING,
    UNBOUND,
    UNCALIBRATED,
    Calibration,
    Forecast,
    Quantiles,
    Reach,
    RunnerPrice,
    ToldByCause,
)
from bot.core.pool.pool import PoolRules, Snapshot, cut_off
from bot.core.statement import Statement, statement

TARGET_SECONDS = 1800.0
"""The queue should be empty within this time. Origin: judgement; half an hour is what people wait for a build."""


@dataclass(frozen=True, slots=True)
class Terms:
    price: RunnerPrice | None = None
    known: Calibration | None = None
    """Of the pool's forecasts."""
    ahead: tuple[ExpectedHour, ...] = ()
    """The expectation from past weeks."""
    day: DayStats | None = None
    shown_forecast: Forecast | None = None
    """The forecast that messages show: the times begin with it, so that dialog and thread agree."""
    reach: Reach = UNBOUND
    told: ToldByCause = NOTHING


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
    """How many times sooner it drains than without them, in the middle of all that may come."""
    sooner_seconds: float = 0.0
    """By how much, in the middle case; 0 where either is beyond the horizon."""
    times_low: float = 1.0
    times_high: float = 1.0
    """The range of `times_faster` in 4 of 5 cases."""

    @property
    def helps(self) -> bool:
        """Whether the queue drains sooner by more than a tenth."""
        return self.times_faster > LEAST_FASTER

    @property
    def is_in_time(self) -> bool:
        """Whether the queue is expected to be empty within the target."""
        return self.mid_seconds is not None and self.mid_seconds <= TARGET_SECONDS


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The options by number of added runners."""

    options: tuple[Option, ...] = ()
    do_nothing: Statement | None = None
    """Why nothing should be added; None when that cannot be said."""
    refusal: Statement | None = None
    """Why there is no forecast; then there are no options."""
    shown_forecast: Forecast | None = None
    """The forecast that the options begin with, where messages show one."""
    unsure: bool = False
    """Whether nobody knows if added runners come; the options hold if they do."""

    @property
    def best(self) -> Option | None:
        """The option that shortens the drain most, if one does by more than a tenth."""
        helping = [option for option in self.options if option.more and option.helps]
        return max(helping, key=lambda option: (option.times_faster, -option.more), default=None)

    @property
    def helps(self) -> bool | None:
        """Whether some number of added runners shortens the drain; None: unknown."""
        if not any(option.more for option in self.options) or (self.best and self.unsure):
            return None
        return self.best is not None


def what_if(series: Sequence[Snapshot], rules: PoolRules, counts: Iterable[int], terms: Terms | None = None) -> WhatIf:
    """Walk the queue with each number of added runners; more runners never make it later."""
    terms = terms or Terms()
    queued = series[-1].queued if series else None
    if series and cut_off(series[-1], rules):
        return WhatIf(refusal=statement("cut_off"))
    if queued is not None and queued <= rules.floor:
        few = statement("at_floor", queued=queued)
        return WhatIf(refusal=few if queued else statement("nothing_queued"))
    seen = seen_of(series, rules, terms.ahead, terms.day, told=terms.told, known=terms.known)
    if not isinstance(seen, Seen):
        return WhatIf(refusal=seen)
    options = _options(seen, rules, counts, terms)
    if series[-1].oldest_wait_seconds is None:
        options = [replace(option, oldest_wait_seconds=None) for option in options]
    nothing = _do_nothing(series[-1], options[0], rules)
    return WhatIf(tuple(options), nothing, None, terms.shown_forecast, seen.unsure(terms.reach.lever))


def _options(seen: Seen, rules: PoolRules, counts: Iterable[int], terms: Terms) -> list[Option]:
    known, price = terms.known or UNCALIBRATED, terms.price
    found = effects(seen, rules.name, counts, terms.reach)
    alone = calibrated(found[0].drains, known)
    first = _as_shown(alone, terms.shown_forecast)
    drifts = [one / other if 0 < other < math.inf else 1.0 for one, other in zip(first, alone, strict=True)]
    options, before = list[Option](), first
    for effect in found:
        each = zip(calibrated(effect.drains, known), drifts, before, strict=True)
        before = Quantiles(*(min(latest, time * drift) for time, drift, latest in each)) if effect.more else first
        ends = (before.low, before.middle, before.high)
        low, middle, high = (None if math.isinf(time) else time for time in ends)
        sooner = first.middle - before.middle if middle is not None and first.middle < math.inf else 0.0
        cost = None if price is None or middle is None else price.an_hour(effect.more) * middle / 3600
        options.append(
            Option(effect.more, low, middle, high, effect.waits, cost, effect.times, sooner, effect.low, effect.high)
        )
    return options


def _as_shown(times: Quantiles, shown_forecast: Forecast | None) -> Quantiles:
    """The times with those of this forecast, where it has them."""
    if shown_forecast is None or not shown_forecast.mid_seconds or shown_forecast.mid_seconds < 60:
        return times
    drift = shown_forecast.mid_seconds / times.middle if times.middle < math.inf else 1.0
    low = times.low * drift if shown_forecast.low_seconds is None else shown_forecast.low_seconds
    high = times.high * drift if shown_forecast.high_seconds is None else shown_forecast.high_seconds
    middle = shown_forecast.mid_seconds
    return Quantiles(min(low, middle), min(times.lower * drift, middle), middle, max(times.upper * drift, middle),
                max(high, middle))  # fmt: skip


def _do_nothing(now: Snapshot, alone: Option, rules: PoolRules) -> Statement | None:
    waits = (now.oldest_wait_seconds or 0) > rules.boot_time_seconds
    if now.idle and now.queued and waits and now.idle >= min(2, now.queued):
        return statement("idle_beside_queue", idle=now.idle, queued=now.queued)
    if alone.mid_seconds is not None and alone.mid_seconds <= rules.boot_time_seconds:
        return statement("drains_before_boot", seconds=alone.mid_seconds, boot=rules.boot_time_seconds)
    return None
