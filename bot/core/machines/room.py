"""Room below a pool's limit: the runners that are allowed beside those that are there or come."""

from bot.core.finding import Facts
from bot.core.pool.backlog import WINDOW_SECONDS
from bot.core.pool.pool import Snapshot

LEAST_MINUTES, BOOTS, SAMPLES = 10.0, 2.0, 3
"""Origin: a machine that was asked for two boot times ago would be there; rates are averages of ten minutes. Three
samples hardly share one error."""
LEAST_ROOM, PART = 2, 0.1
"""Origin: judgement; between two jobs one place is empty, and in a large pool a tenth, with a machine for each job."""


def window(facts: Facts) -> tuple[Snapshot, ...]:
    """The samples of ten minutes, of two boot times, and three at least, with known runners while jobs wait."""
    minutes = max(LEAST_MINUTES, BOOTS * facts.rules.boot_time_seconds / 60)
    lately = max(facts.recent(minutes), facts.series[-SAMPLES:], key=len)
    return tuple(s for s in lately if s.busy is not None and s.queued)


def rate_minutes(facts: Facts) -> float:
    """The minutes over which the source averages its rates."""
    return (facts.now.rate_seconds or WINDOW_SECONDS) / 60


def limit_of(facts: Facts, sample: Snapshot) -> int | None:
    """The limit of that time; where it is unknown, the most runners that the pool has had."""
    if sample.limit is not None:
        return sample.limit
    return max((s.busy + (s.idle or 0) + (s.offline or 0) for s in facts.series if s.busy is not None), default=None)


def runners_in_service(facts: Facts, sample: Snapshot) -> int:
    """The runners of the machines that the cloud has in service, whether or not they registered; 0 where unknown."""
    return facts.rules.runners_per_machine * (sample.machines or 0)


def slots_used(facts: Facts, sample: Snapshot) -> int:
    """All runners and machines that hold a place."""
    runners = sum(n or 0 for n in (sample.busy, sample.idle, sample.offline, sample.failed))
    return (sample.booting or 0) + max(runners_in_service(facts, sample), runners)


def room_of(facts: Facts, sample: Snapshot) -> float:
    """Places that are free, and that nothing that boots will take; where nobody counts that, by Little's law.

    Where as many runners stay all the time, jobs start without a machine of their own.
    """
    limit, coming = limit_of(facts, sample), 0.0
    if sample.booting is None and not stays(facts):
        flow = sample.completions_per_minute if sample.starts_per_minute is None else sample.starts_per_minute
        coming = (flow or 0.0) * facts.rules.boot_time_seconds / 60
    return (limit or 0) - slots_used(facts, sample) - coming


def stays(facts: Facts) -> bool:
    """Whether no runner came or went in ten minutes and two boots, although jobs started."""
    lately = facts.recent(max(LEAST_MINUTES, BOOTS * facts.rules.boot_time_seconds / 60))
    sizes = {s.online for s in lately}
    started = sum(bool(s.starts_per_minute or s.completions_per_minute) for s in lately)
    return len(lately) > LEAST_MINUTES / 2 and len(sizes) == 1 and None not in sizes and 2 * started > len(lately)


def has_room(facts: Facts, sample: Snapshot) -> bool:
    """Whether clearly more runners are allowed than there are."""
    return room_of(facts, sample) >= max(LEAST_ROOM, PART * (limit_of(facts, sample) or 0))


def never_came(facts: Facts) -> bool:
    """Whether none is idle, and there was room in every sample of the window: then machines do not come."""
    samples = window(facts)
    return len(samples) >= SAMPLES and all(not s.idle and has_room(facts, s) for s in samples)
