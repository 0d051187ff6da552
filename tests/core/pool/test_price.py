"""Machines are paid whole, however many of their runners were asked for."""

import pytest

from bot.core.pool.outlook import RunnerPrice


@pytest.mark.parametrize(
    ("together", "runners", "cost"), [(1, 5, 2.5), (4, 0, 0.0), (4, 1, 2.0), (4, 4, 2.0), (4, 5, 4.0)]
)
def test_the_price_of_more_runners_is_that_of_whole_machines(together: int, runners: int, cost: float) -> None:
    assert RunnerPrice(0.5, together).an_hour(runners) == cost


@pytest.mark.parametrize(
    ("each", "together", "most", "runners"), [(0.5, 1, 3.4, 6), (0.5, 4, 3.9, 4), (0.5, 4, 1.9, 0), (0.0, 4, 0.0, None)]
)
def test_what_is_affordable_are_whole_machines(each: float, together: int, most: float, runners: int | None) -> None:
    price = RunnerPrice(each, together)
    assert price.affordable(most) == runners
    if runners is not None:
        assert price.an_hour(runners) <= most < price.an_hour(runners + 1)
