"""The effect of more runners from a pool's record, for dialog, confirmation and command."""

from bot.context.context import Context
from bot.core.forecast.more_runners import Option, Terms, expectation, least, what_if
from bot.core.pool.pool import Pool
from bot.views.words.forecasts import Preview, what_more_would_do, what_to_expect

USUAL = (5, 10, 20, 40)


def effect_of(context: Context, pool: Pool, more: int, caution: str) -> Preview:
    """The preview of the confirmation: the table around `more`, the smallest enough, the boot time."""
    rules = context.settings.file.rules_of(pool.id)
    found = expectation(pool.samples, more, rules, _terms(context, pool))
    return what_to_expect(found, rules, caution, context.settings.file.slack.currency)


def effects_of(
    context: Context, pool: Pool | None, current: int | None, caution: str, chosen: int | None = None
) -> Preview | None:
    """The same for several allowed numbers, the proposed one among them; None for a pool that cannot be scaled."""
    if pool is None or current is None or pool.id not in context.pool_scalers:
        return None
    policy = context.pool_scalers[pool.id].policy
    most = min(policy.maximum - current, policy.step or policy.maximum)
    counts = sorted({*(min(number, most) for number in USUAL if most > 0), *((chosen,) if chosen else ())})
    found = what_if(pool.samples, context.settings.file.rules_of(pool.id), counts, _terms(context, pool))
    return what_more_would_do(found, chosen, caution, context.settings.file.slack.currency)


def fewest_enough(context: Context, pool: Pool, most: int) -> int | None:
    """The fewest added runners, up to `most`, expected to drain it in time; None if unknown."""
    if most < 1:
        return None
    option = least(pool.samples, context.settings.file.rules_of(pool.id), most, _terms(context, pool))
    return option.more if option else None


def with_more(context: Context, pool: Pool, more: int) -> Option | None:
    """The expected effect of exactly so many added runners; None if there is no forecast."""
    found = what_if(pool.samples, context.settings.file.rules_of(pool.id), (more,), _terms(context, pool)).options
    return found[-1] if found and found[-1].more == more else None


def will_not_help(context: Context, pool: Pool, more: int) -> bool:
    """Whether nothing should be added: idle runners beside the queue, it clears too soon, or no sooner with `more`."""
    found = what_if(pool.samples, context.settings.file.rules_of(pool.id), (more,), _terms(context, pool))
    return found.do_nothing is not None or any(option.more and not option.helps for option in found.options)


def _terms(context: Context, pool: Pool) -> Terms:
    policy = context.pool_scalers[pool.id].policy if pool.id in context.pool_scalers else None
    cost, most = (policy.cost_per_runner_hour, policy.step or None) if policy else (None, None)
    return Terms(cost, most=most, known=pool.calibration, ahead=pool.ahead, said=pool.said)
