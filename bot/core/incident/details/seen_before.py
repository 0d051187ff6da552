"""What a new incident looked like before, for the entry of a diagnosis."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """The newest closed incident that looked alike; no names of people."""

    at: float
    """When it opened (epoch seconds)."""
    cause: str
    confirmed: bool | None = None
    """What most people answered to "Was this the cause?"; None: nobody did."""
    done: str = ""
    """The event by which somebody acted on the queue; empty if nobody did."""
    done_seconds: float | None = None
    """How long after its start."""
    seconds: float = 0.0
    """How long it lasted."""
