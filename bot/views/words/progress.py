"""How far work in the background has come, for operators."""

from bot.core.pool.backfill import DaysLeft
from bot.core.words import count


def history_left(left: DaysLeft) -> str:
    """`The history of 412 pools is being filled in: 5,840 days are left.`"""
    pools, days = count(left.pools, "pool"), count(left.days, "day")
    return f"The history of {pools} is being filled in: {days} {'is' if left.days == 1 else 'are'} left."
