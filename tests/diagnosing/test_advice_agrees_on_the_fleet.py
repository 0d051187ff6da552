"""Advice, table, first cause and attribution of one moment agree, in each suite: they are read off one walk.

Of the stories three: one where scaling helps, one where machines do not come, one where jobs take longer.
"""

from dataclasses import replace
from typing import Any

import pytest

from bot.context.causes import HARMFUL, diagnoses, told_by_cause
from bot.core.finding import Moment, Scaling
from bot.core.forecast.forecast import ForecastInputs, looked_ahead
from bot.core.forecast.more_runners import Terms, what_if
from bot.core.pool.outlook import LEAST_FASTER, Lever, Reach, Verdict
from bot.core.pool.pool import Pool, PoolRules
from bot.playground.fleet.scenarios import SCENARIOS
from bot.views.export.export_json import judgement
from tests.bench.drains import rough_cases
from tests.bench.forecast import ROUGH
from tests.bench.jobfleet.cases import case
from tests.bench.jobfleet.stories import NAME
from tests.bench.jobfleet.stories import lived as lived_jobs
from tests.bench.stories import BEGINS, lived, rules_of

pytestmark = pytest.mark.fleet
STEPS = (5, 10, 20)
REACH = Reach(Lever.SIZE, STEPS[-1])
ASKED = {0, 15, 45}
"""Minutes after the alert."""


def agree(name: str, pools: dict[str, Pool], rules: dict[str, PoolRules], now: float) -> None:
    """What programs and people are told of this pool now."""
    moment = Moment(now, 60.0)
    says = told_by_cause(pools[name], rules[name], moment)
    inputs = ForecastInputs(REACH, told=says)
    pool = looked_ahead(replace(pools[name], forecasts=()), rules[name], 300.0, inputs)
    (found,) = diagnoses([name], {**pools, name: pool}, rules, moment)
    terms = Terms(ahead=pool.ahead, day=pool.day, known=pool.calibration, reach=REACH, told=says)
    verdict: Any = judgement(now, pool, found, what_if(pool.samples, rules[name], STEPS, terms))
    times = [one["times_faster"] for one in verdict["more_runners"]["effects"]]
    assert times == sorted(times), "effects never shrink as more are added"
    helps = verdict["more_runners"]["helps"]
    assert helps == "unknown" or (helps == "yes") == any(one > LEAST_FASTER for one in times)
    queued = verdict["queued"] or 0
    assert queued == 0 or sum(part["jobs"] for part in verdict["attribution"]) == queued
    if not found.claims or pool.outlook is None or pool.outlook.verdict is Verdict.NONE:
        return
    first = found.claims[0]
    assert first.scaling.value == helps, (first.cause, helps, times)
    assert (first.scaling is Scaling.HARMFUL) == (helps == "harm") <= (first.shared or first.cause in HARMFUL)
    assert first.times_faster == (max(times) if helps == "yes" else 1.0)


@pytest.mark.parametrize("name", ["limit-reached", "stockout", "slower-jobs"])
def test_in_stories(name: str) -> None:
    scenario = SCENARIOS[name]
    fleet, pools, _ = lived(scenario, 1)
    agree(scenario.affected[0], pools, rules_of(scenario), BEGINS + fleet.now_seconds)


@pytest.mark.parametrize("kind", ["surge", "hung", "limit lowered", "offline", "unregistered", "too few", "provider"])
def test_on_the_job_level_fleet(kind: str) -> None:
    for moment in lived_jobs(case(kind, 0, "agree")):
        if moment.minute in ASKED:
            agree(NAME, moment.pools, moment.rules, moment.now)


def test_in_the_rough_simulator() -> None:
    for seed in range(ROUGH, ROUGH + 12):
        for one in rough_cases(seed):
            name = one.rules.name
            agree(
                name, {name: Pool(name, samples=one.series, ahead=one.ahead[1])}, {name: one.rules}, one.series[-1].at
            )
