"""The present problems of this process and its dependencies."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Health:
    """One sentence per dependency, for /readyz and the log; empty if it works. Never stored."""

    redis: str = ""
    slack: str = ""
    socket_mode: str = ""
    records: str = ""
    """Set while lost records are being recovered; no action runs until then."""
    pagers: dict[str, str] = field(default_factory=dict)
    """By name: why a pager could not be reached the last time."""
    crowded: dict[str, float] = field(default_factory=dict)
    """By channel: until when replies wait behind first messages (epoch seconds)."""
    simplified: Counter[str] = field(default_factory=Counter)
    """How often this process omitted a kind of block because Slack refused it."""
    accepted: set[str] = field(default_factory=set)
    """Kinds of newer blocks that this process sent successfully and stored as accepted."""
