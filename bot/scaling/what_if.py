"""What more runners would do for a pool, from its record: the table for the dialog, the question and the command."""

from bot.context.causes import against
from bot.context.context import Context
from bot.core.forecast.more_runners import Terms, foreseen, least, what_if
from bot.core.forecast.scoring import calibration
from bot.core.pool.pool import Pool, PoolRules
from bot.views.words.forecasts import what_more_would_do, what_to_expect

USUAL = (5, 10, 20, 40)


async def effect_of(context: Context, pool: str, more: int) -> tuple[str, ...]:
    """The sentences of the question: what speaks against it, the table around `more`, what is enough, the boot time."""
    held = await context.store.get(Pool, pool)
    record = held.value if held else None
    terms, caution = _terms(context, record, pool), await against(context, pool)
    rules = _rules(context, pool)
    return what_to_expect(foreseen(record.samples if record else (), more, rules, terms), rules, caution)


async def effects(context: Context, pool: str, current: int | None) -> tuple[str, ...]:
    """The same before anybody has chosen: a few numbers that are allowed; or why there is no table."""
    held = await context.store.get(Pool, pool)
    if held is None or current is None or pool not in context.levers:
        return ()
    policy = context.levers[pool].policy
    most = min(policy.maximum - current, policy.step or policy.maximum)
    counts = sorted({min(number, most) for number in USUAL if most > 0})
    found = what_if(held.value.samples, _rules(context, pool), counts, _terms(context, held.value, pool))
    return what_more_would_do(found, await against(context, pool))


def enough(context: Context, pool: Pool | None, most: int) -> int | None:
    """The fewest added runners, up to `most`, that are expected to drain it in time; None when that cannot be said."""
    if pool is None or most < 1:
        return None
    option = least(pool.samples, _rules(context, pool.id), most, _terms(context, pool, pool.id))
    return option.more if option else None


def useless(context: Context, pool: Pool | None) -> bool:
    """Whether its figures say that nothing should be added: idle runners beside the queue, or it is over too soon."""
    if pool is None:
        return False
    return what_if(pool.samples, _rules(context, pool.id), (), _terms(context, pool, pool.id)).do_nothing is not None


def _rules(context: Context, pool: str) -> PoolRules:
    return context.settings.file.pools.get(pool, PoolRules(pool))


def _terms(context: Context, pool: Pool | None, name: str) -> Terms:
    policy = context.levers[name].policy if name in context.levers else None
    cost, most = (policy.cost_per_runner_hour, policy.step or None) if policy else (None, None)
    widen, ahead = (calibration(pool.scores).widen, pool.ahead) if pool else (1.0, ())
    return Terms(cost, most=most, widen=widen, ahead=ahead)
