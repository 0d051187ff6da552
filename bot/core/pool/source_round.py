"""What one process read from a source, for the others that share it."""

from dataclasses import dataclass

from bot.core.pool.pool import Snapshot


@dataclass(frozen=True, slots=True)
class SourceRound:
    """The newest samples of a source's pools."""

    id: str
    """The source's configured name."""
    holder: str = ""
    """The process that reads the source; others use its samples while they are recent."""
    at: float = 0.0
    """When they were stored (epoch seconds)."""
    samples: tuple[Snapshot, ...] = ()
