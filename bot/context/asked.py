"""What the model of the queue is told beside the figures: what the scaler does, and what the first cause says."""

from collections.abc import Iterable
from typing import NamedTuple

from bot.context.context import Context
from bot.core.finding import Diagnosis
from bot.core.forecast.forecast import MOST_ADDED, Asked
from bot.core.forecast.more_runners import Terms, WhatIf, what_if
from bot.core.pool.pool import Pool


class ToldByCause(NamedTuple):
    """What the walk is told of the first cause."""

    still: bool = False
    """Supply stands still until it is repaired."""
    shared: bool = False
    """Several runners share machines that are short."""


NOTHING = ToldByCause()


def asked_of(context: Context, pool: str, told: ToldByCause = NOTHING) -> Asked:
    """What a forecast of this pool is told."""
    if pool not in context.pool_scalers:
        return Asked(still=told.still, shared=told.shared)
    policy = context.pool_scalers[pool].policy
    return Asked(policy.lever, policy.step or MOST_ADDED, told.still, told.shared)


def terms_of(context: Context, pool: Pool) -> Terms:
    """The criteria of a choice for this pool: its forecast is told the same."""
    price = context.pool_scalers[pool.id].policy.price if pool.id in context.pool_scalers else None
    made = pool.outlook
    asked = asked_of(context, pool.id, ToldByCause(made.still, made.shared) if made else NOTHING)
    return Terms(
        price, known=pool.calibration, ahead=pool.ahead, day=pool.day, said=pool.said, lever=asked.lever,
        still=asked.still, shared=asked.shared,
    )  # fmt: skip


def steps_of(context: Context, pool: str, usual: tuple[int, ...]) -> tuple[int, ...]:
    """The usual numbers of added runners, as far as the pool's scaler may be asked for so many at once."""
    most = asked_of(context, pool).most
    return tuple(dict.fromkeys(min(number, most) for number in usual))


def effects_of(context: Context, pool: Pool, found: Diagnosis, counts: Iterable[int], terms: Terms) -> WhatIf:
    """The effect of each number of added runners; none while its figures are old or could not be measured."""
    rules = context.settings.file.rules_of(pool.id)
    return WhatIf() if found.blind else what_if(pool.samples, rules, counts, terms)
