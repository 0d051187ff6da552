"""Settings common to all scalers: how far, how fast and for how long a pool may be raised."""

import json
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from bot.config import Period, Seconds, Table, WrongSetting
from bot.core.scaling.limits import ScalePolicy


def target_of(raw: Mapping[str, object]) -> str:
    """What a scaler's table sets: equal for pools of one autoscaler. Limits and credentials are no part of it.

    Empty for a table that sets nothing, or one of a command that is given the pool's name.
    """
    given = {
        key: value.rstrip("/") if isinstance(value, str) else value
        for key, value in raw.items()
        if (key == "kind" or key not in PolicyTable.model_fields) and not key.endswith(("_env", "_file"))
    }
    found = json.dumps(given, sort_keys=True, default=str)
    return "" if raw.get("kind") == "none" or "{pool}" in found else found


class PolicyTable(Table):
    """The common keys of `[pool."NAME".scaler]`."""

    kind: str
    counts: Literal["runners", "machines"] | None = None
    """What the numbers of the back end are; None: machines for a group of machines, else runners."""
    max: int = Field(ge=1)
    """The maximum."""
    step: int | None = Field(default=None, ge=1)
    """The largest increase at once."""
    cooldown: Seconds = 0.0
    approval_above: int | None = Field(default=None, ge=0)
    """A second person must approve a target above this."""
    approval_within: Period = 900.0
    """Time for the approval; then the request expires."""
    lease: Period | None = None
    """Extra runners are returned after this long at the latest; absent: never automatically."""
    max_lease: Period | None = None
    """The same with all extensions; absent: each extension adds a lease."""
    drained_for: Seconds = 600.0
    """How long the queue must be empty before extra runners are returned early."""
    cost_per_runner_hour: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    max_cost_per_hour: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Upper bound for the cost of this pool's extra runners."""

    @model_validator(mode="after")
    def _priced(self) -> Self:
        if self.max_cost_per_hour is not None and self.cost_per_runner_hour is None:
            raise WrongSetting("max_cost_per_hour needs cost_per_runner_hour to be judged by", "add it")
        if self.max_lease is not None and (self.lease is None or self.max_lease < self.lease):
            raise WrongSetting(
                "max_lease bounds a lease with its extensions", "set lease, and no longer than max_lease"
            )
        return self

    @property
    def policy(self) -> ScalePolicy:
        """All of it but the price, which depends on the pool's machines too."""
        return ScalePolicy(
            maximum=self.max,
            step=self.step,
            cooldown_seconds=self.cooldown,
            approval_above=self.approval_above,
            approval_within_seconds=self.approval_within,
            lease_seconds=self.lease,
            max_lease_seconds=self.max_lease,
            drained_seconds=self.drained_for,
            max_cost_per_hour=self.max_cost_per_hour,
        )
