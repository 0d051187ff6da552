"""A duty of the whole installation, done by whichever worker claims it, and what was found when it was done last."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chore:
    """What every process may know of a duty; times are epoch seconds."""

    id: str
    """resync, sweep, silences, weekly, pools, tidy or watch."""
    done_at: float = 0.0
    note: str = ""
    """What is wrong, as a sentence; empty when all is well."""
    since: float | None = None
    """Since when it is wrong; of `watch`: since when the oldest message waits for Slack."""
    told: bool = False
    """Whether somebody outside Slack was told of it."""
