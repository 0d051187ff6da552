"""What would have been without the runners that somebody added."""

from dataclasses import dataclass

from bot.core.pool.outlook import Score


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What the forecast said just before somebody added runners, against the actual end."""

    pool: str
    helped: Score | None = None
    """The forecast with the extra runners, against what came; None if it is not known, or they were not alone."""
    took_seconds: float | None = None
    without_low_seconds: float | None = None
    without_mid_seconds: float | None = None
    without_high_seconds: float | None = None
    """From the first scale-up on, the time that it took, and that the walk told without it; None: beyond two days."""
    without_seed: int | None = None
    """Of that walk; None: the queue was not measured, so nothing is known."""

    @property
    def shortened(self) -> bool | None:
        """Whether it ended sooner than four in five without them, or later; None: within what may have been."""
        low, high, took = self.without_low_seconds, self.without_high_seconds, self.took_seconds
        if took is not None and low is not None and took < low:
            return True
        return False if took is not None and high is not None and took > high else None
