"""What is said before the click in each story, beside its untouched copy: `python -m tests.bench.stories [seeds]`.

The same fleet goes on twice from the moment of the click: untouched, and with the largest step of the pool's scaler.
As in the demo, pools are measured from the alert on, and what was before is read from their source's history; a story
with a warning has measured them before.
"""

import argparse
import copy
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from bot.adapters.prometheus.pool import PAST
from bot.context.causes import diagnoses, told_by_cause
from bot.context.forecast_inputs import inputs_of
from bot.core.finding import Moment
from bot.core.forecast.forecast import forecast
from bot.core.forecast.more_runners import Terms, what_if
from bot.core.pool.history import PoolHistory, usual_ahead
from bot.core.pool.hour_stats import HOUR_SECONDS
from bot.core.pool.outlook import LEAST_FASTER, Lever, Reach
from bot.core.pool.pool import Pool, PoolRules, Snapshot, drained, measured
from bot.core.pool.steady_forecast import steadied
from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import SCENARIOS, Scenario
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.weeks import known_weeks
from tests.bench.fleet_eye import Eye
from tests.bench.forecast import MOST

PAST_SECONDS, HORIZON = 36_000.0, 86_400.0
BEGINS = 1_799_625_600.0
"""2027-01-11 00:00 UTC: second 0 of the story."""
CLICK_SECONDS = 300.0
"""After the alert: the first message, the thread and the dialog have been read."""
HOUR_MINUTES = 60
IN_A_ROW = 3
"""Minutes that show a drain, as in `timing.drained_samples`."""


@dataclass(frozen=True)
class Told:
    """One story with one seed; times in seconds."""

    causes: tuple[str, ...]
    kind: str
    low: float | None
    middle: float | None
    high: float | None
    true: float
    times: float
    """So many times faster with the largest step, as said, ..."""
    faster: float
    """... and in truth."""
    changed: int
    """How often the kind changed in the next hour."""

    @property
    def held(self) -> bool:
        """Whether the untouched copy's time lies in what was said."""
        return (self.low or 0.0) <= self.true <= (math.inf if self.high is None else self.high)


def rules_of(scenario: Scenario) -> dict[str, PoolRules]:
    """The rules of each pool, as the demo configures them."""
    return {spec.name: PoolRules(spec.name, floor=spec.drained_at, boot_time_seconds=spec.boot_seconds)
            for spec in scenario.pools}  # fmt: skip


def lived(
    scenario: Scenario, seed: int, *, weeks: bool = False
) -> tuple[SimulatedFleet, dict[str, Pool], dict[str, Eye]]:
    """The fleet at the click, what was measured of its pools, and what measured it."""
    fleet = SimulatedFleet(scenario.pools, scenario.faults, seed, -PAST_SECONDS)
    eyes = {spec.name: Eye(fleet, spec.name) for spec in scenario.pools}
    reaches = {spec.name: Reach(Lever.SIZE, spec.step, spec.ceiling) for spec in scenario.pools}
    pools, click = {name: Pool(name, reach=reaches[name]) for name in eyes}, math.inf
    if weeks:
        pasts = [put.value for put in known_weeks(scenario.pools, BEGINS - PAST_SECONDS).puts]
        pools = {past.id: replace(pools[past.id], ahead=usual_ahead(past, int(BEGINS // HOUR_SECONDS)))
                 for past in pasts if isinstance(past, PoolHistory)}  # fmt: skip
    while fleet.now_seconds < min(click, HORIZON):
        fleet.advance(fleet.now_seconds + 60)
        now = BEGINS + fleet.now_seconds
        pools = {name: measured(pools[name], replace(eye.look(), at=now), now) for name, eye in eyes.items()}
        if click == math.inf and fleet.now_seconds >= 0 and breaches(scenario.rule, [read(fleet, one) for one in eyes]):
            click = fleet.now_seconds + CLICK_SECONDS
            pools = pools if scenario.warned else {name: looked_up(pool) for name, pool in pools.items()}
    return fleet, pools, eyes


def looked_up(pool: Pool) -> Pool:
    """The pool as its source's history tells it."""
    kept = (*PAST, "signals")
    return replace(pool, samples=tuple(
        Snapshot(one.pool, one.at, **{name: getattr(one, name) for name in kept}) for one in pool.samples
    ))  # fmt: skip


def changes(eye: Eye, pool: Pool, rules: PoolRules) -> int:
    """How often in the next hour what is said has another kind."""
    fleet, held, seen = eye.fleet, None, list[str]()
    for _ in range(HOUR_MINUTES):
        fleet.advance(fleet.now_seconds + 60)
        now = BEGINS + fleet.now_seconds
        pool = measured(pool, replace(eye.look(), at=now), now)
        if drained(pool.latest, rules):
            break
        says = told_by_cause(pool, rules, Moment(now, 60.0))
        held = steadied(held, forecast(pool.samples, rules, ahead=pool.ahead, inputs=inputs_of(pool, says)))
        seen += [held.forecast.verdict.value] if held else []
    return sum(one != other for one, other in pairwise(seen))


def drain_of(fleet: SimulatedFleet, rules: PoolRules) -> float:
    """Seconds until the pool has drained; at most HORIZON."""
    begun, short, eye = fleet.now_seconds, 0, Eye(fleet, rules.name)
    while short < IN_A_ROW and fleet.now_seconds - begun < HORIZON:
        fleet.advance(fleet.now_seconds + 60)
        short = short + 1 if drained(eye.look(), rules) else 0
    return fleet.now_seconds - begun - 60 * (IN_A_ROW - 1) * (short == IN_A_ROW)


def told(scenario: Scenario, seed: int, *, weeks: bool = False) -> Told:
    """What is said of the first affected pool at the click, and what came."""
    fleet, pools, eyes = lived(scenario, seed, weeks=weeks)
    name, rules = scenario.affected[0], rules_of(scenario)
    pool, moment, step = pools[name], Moment(BEGINS + fleet.now_seconds, 60.0), fleet.pools[name].spec.step
    inputs = inputs_of(pool, told_by_cause(pool, rules[name], moment))
    made = forecast(pool.samples, rules[name], ahead=pool.ahead, inputs=inputs)
    terms = Terms(reach=inputs.reach, told=inputs.told, ahead=pool.ahead)
    options = what_if(pool.samples, rules[name], [step], terms).options
    found = diagnoses([name], pools, rules, moment)[0]
    other, third = copy.deepcopy(fleet), copy.deepcopy(eyes[name])
    there = other.pools[name]
    other.set_target(name, max(there.spec.minimum, min(there.capacity + step, there.spec.ceiling)))
    true, helped = drain_of(fleet, rules[name]), drain_of(other, rules[name])
    return Told(
        tuple(one.cause for one in found.claims), made.verdict.value, made.low_seconds, made.mid_seconds,
        made.high_seconds, true, options[-1].times_faster if options else 1.0, max(60.0, true) / max(60.0, helped),
        changes(third, pool, rules[name]),
    )  # fmt: skip


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds / 60:.0f}"


def rows(scenario: Scenario, seeds: int, *, weeks: bool = False) -> Iterator[str]:
    """A line for each seed, and their sum."""
    found = [told(scenario, seed, weeks=weeks) for seed in range(seeds)]
    for seed, one in enumerate(found):
        said = f"{_time(one.low)} to {_time(one.high)}, {_time(one.middle)} in the middle"
        yield (
            f"| {scenario.name} | {seed} | {', '.join(one.causes)} | `{one.kind}` {said} | {_time(one.true)} | "
            f"{'yes' if one.held else 'no'} | {one.times:.2f} | {one.faster:.2f} | {one.changed} |"
        )
    near = sum(1 / 1.5 <= min(MOST, one.times) / min(MOST, one.faster) <= 1.5 for one in found)
    right = sum((one.times > LEAST_FASTER) == (one.faster > LEAST_FASTER) for one in found)
    first = Counter(one.causes[0] if one.causes else "none" for one in found)
    yield (
        f"| **{scenario.name}** | {seeds} | {', '.join(f'{cause} {n}' for cause, n in first.most_common())} | | "
        f"{_time(median(one.true for one in found))} | {sum(one.held for one in found)} held | "
        f"{near} within 1.5 × | {right} advices right | {median(one.changed for one in found):g} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="?", type=int, default=10)
    parser.add_argument("--story", action="append", choices=[name for name, one in SCENARIOS.items() if one.affected])
    parser.add_argument("--weeks", action="store_true", help="know two weeks in every story")
    given = parser.parse_args()
    print("| story | seed | causes | said, minutes | true | held | +step said | +step true | kinds changed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, scenario in SCENARIOS.items():
        if scenario.affected and name in (given.story or SCENARIOS):
            print("\n".join(rows(scenario, given.seeds, weeks=given.weeks or scenario.warned)), flush=True)


if __name__ == "__main__":
    main()
