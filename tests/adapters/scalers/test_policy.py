"""The keys that every scaler's table has in common."""

import pytest
from pydantic import ValidationError

from bot.adapters.scalers.policy import PolicyTable
from bot.core.scaling.limits import ScalePolicy


def test_what_is_not_said_is_no_rule() -> None:
    """Only the maximum is required: no scaler without a ceiling."""
    assert PolicyTable.model_validate({"kind": "http", "max": 40}).policy == ScalePolicy(40)


def test_what_is_said_is_what_is_judged_by() -> None:
    """Every key of care reaches the core, durations in seconds; the price is the pool's (test_per_machine.py)."""
    pace = {"step": 10, "cooldown": "10m"}
    care = {"approval_above": 20, "approval_within": "5m", "lease": "1h", "max_lease": "8h", "drained_for": "2m"}
    price = {"cost_per_runner_hour": 0.5, "max_cost_per_hour": 4}
    assert PolicyTable.model_validate({"kind": "http", "max": 40, **pace, **care, **price}).policy == ScalePolicy(
        maximum=40,
        step=10,
        cooldown_seconds=600.0,
        approval_above=20,
        approval_within_seconds=300.0,
        lease_seconds=3600.0,
        max_lease_seconds=28800.0,
        drained_seconds=120.0,
        max_cost_per_hour=4.0,
    )


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"lease": "0s"}, "must be longer than 0 s"),
        ({"max_lease": "8h"}, "max_lease bounds a lease with its extensions"),
        ({"max_lease": "8h", "lease": "9h"}, "max_lease bounds a lease with its extensions"),
        ({"max_cost_per_hour": 4}, "max_cost_per_hour needs cost_per_runner_hour"),
    ],
)
def test_a_bound_that_bounds_nothing_is_a_mistake(keys: dict[str, object], why: str) -> None:
    """A longest lease without a shorter one, a limit of cost without a price."""
    with pytest.raises(ValidationError, match=why):
        PolicyTable.model_validate({"kind": "http", "max": 40, **keys})
