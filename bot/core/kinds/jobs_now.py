"""The jobs of a pool's newest sample by group and by name; apart from the pool, since few screens need them."""

from dataclasses import dataclass

from bot.core.kinds.paces import JobGroup, RunningJob


@dataclass(frozen=True, slots=True)
class JobsNow:
    """Which jobs wait, and which run longest, at one instant."""

    id: str
    """The pool."""
    at: float
    composition: tuple[JobGroup, ...] = ()
    running: tuple[RunningJob, ...] = ()


def overtaken(
    groups: tuple[JobGroup, ...], starts_per_minute: float | None, normal_wait: float
) -> tuple[JobGroup, ...]:
    """Groups whose every job waits longer than twice the normal, while the others start within it.

    Such jobs fit no runner, or are held back: the place in the queue is not why they wait.
    """
    stuck = tuple(one for one in groups if one.shortest_seconds > 2 * normal_wait)
    others = [one for one in groups if one not in stuck]
    if not starts_per_minute or any(one.longest_seconds > normal_wait for one in others):
        return ()
    return stuck
