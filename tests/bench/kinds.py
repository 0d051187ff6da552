"""How steady the kind of a forecast is, and how soon it is the oracle's, on the job-level simulator.

The oracle lives other futures of the moment of the alert: in most of them the queue drains today, or it does not. What
is said has its kind where the probability that is said lies on the same side.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bot.context.causes import told_by_cause
from bot.context.forecast_inputs import inputs_of
from bot.core.finding import Moment
from bot.core.forecast.forecast import forecast
from bot.core.pool.pool import Pool, PoolRules, measured
from bot.core.pool.steady_forecast import steadied
from tests.bench.drains import HORIZON, JobWorld, another, drained, drained_after
from tests.bench.jobfleet import cases, stories
from tests.bench.rough import HOUR, MINUTE

FUTURES = 9
SOON_MINUTES = 10
"""In which the oracle's kind should be there."""
HOUR_MINUTES = 60


@dataclass(frozen=True)
class Course:
    """What was said in the first hour of one case."""

    changes: int
    """How often its kind changed."""
    agrees: bool | None
    """Whether its kind was the oracle's after SOON_MINUTES; None: it had drained, or had no kind."""


def course(found: cases.Case) -> Course | None:
    """The first hour after the alert; None without one in six hours."""
    world, rules = JobWorld(found), PoolRules(stories.NAME, boot_time_seconds=round(found.spec.boot))
    pool, said, held, oracle = Pool(rules.name), list[tuple[str, bool | None]](), None, None
    while len(said) < HOUR_MINUTES and (world.now < 6 * HOUR or oracle is not None):
        sample = world.minute()
        if sample is not None:
            pool = measured(pool, sample, sample.at)
        if oracle is None:
            if world.now <= 0 or world.waits() <= found.alert_seconds or world.waiting() <= rules.floor:
                continue
            ends = [drained_after(another(number)(world), rules) for number in range(FUTURES)]
            oracle = median(ends) < HORIZON
        if drained(world, rules) or not pool.samples:
            break
        inputs = inputs_of(pool, told_by_cause(pool, rules, Moment(pool.samples[-1].at, MINUTE)))
        held = steadied(held, forecast(pool.samples, rules, inputs=inputs))
        today = held.forecast.today if held else None
        said.append((held.forecast.verdict.value if held else "none", None if today is None else today >= 1 / 2))
    if oracle is None:
        return None
    changes = sum(one != other for (one, _), (other, _) in pairwise(said))
    today = said[SOON_MINUTES][1] if len(said) > SOON_MINUTES else None
    return Course(changes, None if today is None else today is oracle)


def rows(suite: str, kinds: Sequence[str], number: int) -> Iterator[str]:
    """The figures of so many cases of each kind."""
    every = [course(cases.case(kind, place, suite)) for kind in kinds for place in range(number)]
    known = [one for one in every if one is not None]
    agree = [one.agrees for one in known if one.agrees is not None]
    changes = [one.changes for one in known]
    yield f"| **kinds, {suite}, no weeks** | {len(known)} incidents |"
    yield f"| changes of the kind in an hour: median; most | {median(changes):g}; {max(changes)} |"
    yield f"| {SOON_MINUTES} min after the alert *today* or *not*, as the oracle | {sum(agree)} of {len(agree)} |"
