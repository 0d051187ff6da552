"""Periodic work of the whole installation, done by any worker, and its last result."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chore:
    """The record of a chore; times are epoch seconds."""

    id: str
    """resync, sweep, silences, weekly, pools, tidy or watch."""
    done_at: float = 0.0
    note: str = ""
    """The problem as a sentence; empty if none."""
    since: float | None = None
    """Since when the problem exists; for `watch`: since when the oldest message has waited for Slack."""
    told: bool = False
    """Whether the webhook outside Slack was notified."""
