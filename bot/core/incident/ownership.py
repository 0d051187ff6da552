"""The owner of an incident, and its notifications."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who acknowledged, and whether it was escalated."""

    owner: str | None = None
    acked_at: float | None = None
    owner_knows: int | None = None
    """Queued jobs when the owner acknowledged or was last notified; None: unknown. Doublings count from then."""
    escalated_at: float | None = None
    by_acting: bool = False
    """Whether the owner did not say so, but scaled or silenced."""
    muted: bool = False
    """No status replies; the parent stays true."""

    def acked(self, who: str, now: float, *, by_acting: bool = False) -> "Ownership":
        """Somebody acknowledged; a second acknowledgement hands it over."""
        return replace(self, owner=who, acked_at=now, owner_knows=None, by_acting=by_acting)

    def released(self) -> "Ownership":
        """The owner does not have it; it is escalated again if nobody else acknowledges."""
        return replace(self, owner=None, acked_at=None, owner_knows=None, by_acting=False)

    def informed(self, queued: int | None) -> "Ownership":
        """The owner knows how many jobs are queued."""
        return replace(self, owner_knows=queued)

    def reopened(self) -> "Ownership":
        """The alert fired again: escalate again if needed, and resume updates."""
        return replace(self, escalated_at=None, muted=False)
