"""The jobs of a pool's newest sample by group and by name; apart from the pool, since few screens need them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.core.kinds.paces import JobGroup, RunningJob

CHANCE_STARTS = 3.0
"""Origin: of jobs that start in their turn, none of a group that is next is among three in one of twenty times."""


@dataclass(frozen=True, slots=True)
class LeftGroup:
    """A group whose every job waits long while those of other groups do not, and how long it has lost no job."""

    group: JobGroup
    since: float
    """Epoch seconds."""
    started: float = 0.0
    """Jobs of the pool that started since."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells groups apart."""
        return self.group.key


@dataclass(frozen=True, slots=True)
class JobsNow:
    """Which jobs wait, and which run longest, at one instant."""

    id: str
    """The pool."""
    at: float
    composition: tuple[JobGroup, ...] = ()
    running: tuple[RunningJob, ...] = ()
    left: tuple[LeftGroup, ...] = ()


def left_groups(
    known: JobsNow, at: float, groups: Sequence[JobGroup], starts_per_minute: float | None, normal_wait: float
) -> tuple[LeftGroup, ...]:
    """Groups whose every job waits longer than twice the normal, while no other job waits longer than normal.

    One that lost a job begins anew: its jobs start.
    """
    stuck = tuple(one for one in groups if one.shortest_seconds > 2 * normal_wait)
    if any(one.longest_seconds > normal_wait for one in groups if one not in stuck):
        return ()
    passed = at - known.at
    before = {one.key: one for one in known.left} if 0 <= passed <= normal_wait else {}
    started = (starts_per_minute or 0.0) * passed / 60
    found = list[LeftGroup]()
    for group in stuck:
        was = before.get(group.key)
        if was is None or group.jobs < was.group.jobs:
            found.append(LeftGroup(group, at))
        else:
            found.append(replace(was, group=group, started=was.started + started))
    return tuple(found)


def overtaken(left: Sequence[LeftGroup], at: float, normal_wait: float) -> tuple[JobGroup, ...]:
    """The groups of which no job started for a normal wait, although enough jobs of the pool did.

    Such jobs fit no runner, or are held back: the place in the queue is not why they wait.
    """
    return tuple(one.group for one in left if at - one.since >= normal_wait and one.started >= CHANCE_STARTS)


def newest_first(groups: Sequence[JobGroup], most: int) -> tuple[JobGroup, ...]:
    """The largest groups and the one that waits longest, those first whose jobs came last."""
    longest = max(groups, key=lambda one: one.median_seconds, default=None)
    chosen = sorted(groups, key=lambda one: (one is not longest, -one.jobs))[:most]
    return tuple(sorted(chosen, key=lambda one: (one.median_seconds, -one.jobs)))
