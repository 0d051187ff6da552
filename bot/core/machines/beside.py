"""What is counted beside a state of a pool: places that do no work, jobs that run once more, marks of what failed."""

from collections.abc import Sequence

from bot.core.finding import Facts
from bot.core.machines.room import LEAST_ROOM, PART, runners_in_service
from bot.core.pool.baseline import COUNTED_MINUTES
from bot.core.pool.pool import Snapshot, Tally
from bot.core.statement import Statement, statement

CPU = "CPUUtilization"
"""The metric of a cloud's ready-made scaling by CPU (docs.aws.amazon.com, ASGAverageCPUUtilization)."""
MOST_OF = 0.5
"""Origin: most of what failed has the mark."""


def idle_places(facts: Facts) -> tuple[Statement, ...]:
    """Busy runners without a job, and those of machines in service that did not register: they hold places."""
    now, found = facts.now, list[Statement]()
    if now.busy and now.running_jobs is not None and _clear(now.busy - now.running_jobs, now.busy):
        found.append(statement("busy_with_nothing", busy=now.busy, jobs=now.running_jobs))
    of, alone = runners_in_service(facts, now), machines_alone(facts, now)
    if alone is not None and _clear(alone, of):
        found.append(statement("machines_alone", machines=alone, of=of))
    return tuple(found)


def machines_alone(facts: Facts, sample: Snapshot) -> int | None:
    """Runners that machines in service lack; None where either number is unknown."""
    if sample.machines is None or sample.online is None:
        return None
    return runners_in_service(facts, sample) - sample.online - (sample.offline or 0)


def repeated(facts: Facts) -> tuple[Statement, ...]:
    """Jobs that failed and run once more are a part of the load."""
    now, rate = facts.now, facts.now.arrivals_per_minute
    if not now.reruns or rate is None or not _clear(now.reruns, COUNTED_MINUTES * rate):
        return ()
    return (statement("run_again", jobs=now.reruns, of=round(COUNTED_MINUTES * rate), failed=now.failed_jobs),)


def common_mark(marks: Sequence[Tally], failed: float) -> tuple[Statement, ...]:
    """The zone, node or image of most machines that failed."""
    top = max(marks, key=lambda one: one.number, default=None)
    if top is None or top.number < LEAST_ROOM or top.number <= MOST_OF * failed:
        return ()
    return (statement("common_mark", mark=top.name, machines=round(top.number), of=round(failed)),)


def looks_at_cpu(facts: Facts) -> tuple[Statement, ...]:
    """Runners that wait for the network or a test are no load, so a CPU says nothing of the queue."""
    return (statement("scales_on_cpu"),) if facts.now.scales_on == CPU else ()


def _clear(part: float, whole: float) -> bool:
    """Whether so many are more than two samples of different times explain."""
    return part >= max(LEAST_ROOM, PART * whole)
