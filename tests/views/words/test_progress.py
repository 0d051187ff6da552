"""How far Tailback is with its own work."""

from bot.core.pool.backfill import DaysLeft
from bot.views.words.operators import history_left


def test_the_history_that_is_left_is_told_in_days() -> None:
    assert history_left(DaysLeft(35, 1)) == "The history of 1 pool is being filled in: 35 days are left."
    assert history_left(DaysLeft(1, 412)) == "The history of 412 pools is being filled in: 1 day is left."
