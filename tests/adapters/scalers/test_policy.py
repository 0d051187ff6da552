"""The keys that every scaler's table has in common."""

from bot.adapters.scalers.policy import PolicyTable
from bot.core.guards import ScalePolicy


def test_what_is_not_said_is_no_rule():
    """Only the maximum is required: no scaler without a ceiling."""
    assert PolicyTable.model_validate({"kind": "http", "max": 40}).policy == ScalePolicy(40)
