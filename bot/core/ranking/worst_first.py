"""The order in which pools are shown and treated: the worst first."""

from collections.abc import Container, Mapping, Sequence
from enum import IntEnum

from bot.core.pool.pool import PoolRules, Snapshot, drained

NO_RULES: Mapping[str, PoolRules] = {}


class QueueLevel(IntEnum):
    """How bad a pool's queue is, as far as it is known; smaller is worse."""

    QUEUES = 0
    """Above its floor, with a long wait or an unknown one."""
    UNKNOWN = 1
    """Neither its queue nor its wait is known, or more jobs may wait than are counted."""
    NORMAL = 2


def queue_level(sample: Snapshot, rules: PoolRules) -> QueueLevel:
    """An unknown wait counts as long while jobs queue above the floor: unknown is not zero."""
    wait, over = sample.oldest_wait_seconds, drained(sample, rules)
    if over is None and wait is not None:
        return QueueLevel.QUEUES if wait > rules.normal_wait_seconds else QueueLevel.NORMAL
    if over is None:
        return QueueLevel.UNKNOWN
    return QueueLevel.NORMAL if over else QueueLevel.QUEUES


def worst_first(
    snapshots: Sequence[Snapshot], rules: Mapping[str, PoolRules] = NO_RULES, affected: Container[str] = ()
) -> list[Snapshot]:
    """Affected pools first, then those that queue, those of which nothing is known, and those within normal.

    Pools that queue: longest wait first, then longest queue, then name. One with an unknown wait stands before the
    first whose queue is shorter. Waits are compared by the minute in which they began. So pools of one outage do not
    change places because one was measured some seconds later.
    """
    groups: dict[tuple[bool, QueueLevel], list[Snapshot]] = {}
    for sample in snapshots:
        known = queue_level(sample, rules.get(sample.pool) or PoolRules(sample.pool))
        groups.setdefault((sample.pool not in affected, known), []).append(sample)
    return [sample for place in sorted(groups) for sample in _ordered(groups[place])]


def _ordered(group: Sequence[Snapshot]) -> list[Snapshot]:
    waits = sorted((one for one in group if one.oldest_wait_seconds is not None), key=_by_wait)
    for sample in sorted((one for one in group if one.oldest_wait_seconds is None), key=_by_queue):
        shorter = (place for place, one in enumerate(waits) if _is_shorter(one, sample))
        waits.insert(next(shorter, len(waits)), sample)
    return waits


def _is_shorter(one: Snapshot, than: Snapshot) -> bool:
    """Whether the queue of one is known to be shorter, or its wait is as unknown and it comes later."""
    if than.queued is None or one.queued is None:
        return False
    return one.queued < than.queued


def _by_wait(sample: Snapshot) -> tuple[bool, int, float, str]:
    wait = sample.oldest_wait_seconds
    began = round((sample.at - wait) / 60) if wait else 0
    return (not wait, began, *_by_queue(sample))


def _by_queue(sample: Snapshot) -> tuple[float, str]:
    return (1.0 if sample.queued is None else -sample.queued, sample.pool)
