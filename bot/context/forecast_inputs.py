"""Inputs of the queue model beside the figures: the reach of the scaler, and what the first cause says."""

from collections.abc import Iterable

from bot.context.context import Context
from bot.core.finding import Diagnosis
from bot.core.forecast.forecast import ForecastInputs
from bot.core.forecast.more_runners import Terms, WhatIf, what_if
from bot.core.pool.outlook import MOST_ADDED, NOTHING, UNBOUND, Reach, ToldByCause
from bot.core.pool.pool import Pool


def reach_of(context: Context, pool: str) -> Reach:
    """What the scaler of this pool can do."""
    if pool not in context.pool_scalers:
        return UNBOUND
    policy = context.pool_scalers[pool].policy
    return Reach(policy.lever, policy.step or MOST_ADDED, policy.maximum)


def inputs_of(pool: Pool, told: ToldByCause = NOTHING) -> ForecastInputs:
    return ForecastInputs(pool.reach, told)


def terms_of(context: Context, pool: Pool) -> Terms:
    """The criteria of a choice for this pool: with the inputs of its forecast."""
    price = context.pool_scalers[pool.id].policy.price if pool.id in context.pool_scalers else None
    return Terms(
        price, known=pool.calibration, ahead=pool.ahead, day=pool.day, shown_forecast=pool.shown_forecast,
        reach=reach_of(context, pool.id), told=pool.outlook.told if pool.outlook else NOTHING,
    )  # fmt: skip


def steps_of(context: Context, pool: str, usual: tuple[int, ...]) -> tuple[int, ...]:
    """The usual numbers of added runners, as far as the pool's scaler may be asked for so many at once."""
    most = reach_of(context, pool).step
    return tuple(dict.fromkeys(min(number, most) for number in usual))


def effects_of(context: Context, pool: Pool, found: Diagnosis, counts: Iterable[int], terms: Terms) -> WhatIf:
    """The effect of each number of added runners; none while its figures are old or could not be measured."""
    rules = context.settings.file.rules_of(pool.id)
    return WhatIf() if found.blind else what_if(pool.samples, rules, counts, terms)
