"""What every scaler's table says besides its own keys: how far, how fast and for how long a pool may be raised."""

from pydantic import Field

from bot.config import Seconds, Table
from bot.core.guards import ScalePolicy


class PolicyTable(Table):
    """The common keys of `[pool."NAME".scaler]`."""

    kind: str
    max: int = Field(ge=1)
    """Never above."""
    step: int | None = Field(default=None, ge=1)
    """Never more than this at once."""
    cooldown: Seconds = 0.0
    approval_above: int | None = Field(default=None, ge=0)
    """A second person must agree to a target above this."""
    lease: Seconds | None = None
    """Extra capacity is handed back after this long at the latest."""
    cost_per_runner_hour: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @property
    def policy(self) -> ScalePolicy:
        """The same, as the core judges by it."""
        return ScalePolicy(
            maximum=self.max,
            step=self.step,
            cooldown_seconds=self.cooldown,
            approval_above=self.approval_above,
            lease_seconds=self.lease,
            cost_per_runner_hour=self.cost_per_runner_hour,
        )
