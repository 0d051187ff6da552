"""Diagnose at every moment of every story: the cause is the story's, or names what has changed since; never nothing."""

from collections import Counter
from dataclasses import dataclass

import pytest

from bot.core.incident.details.events import Diagnosed
from bot.core.record import Change
from bot.core.requests.request import Diagnose, Request
from bot.diagnosing.diagnose import effect
from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import DEFAULT_SEED, SCENARIOS, Scenario
from bot.playground.fleet.simulation import SimulatedFleet
from tests.bench.fleet_eye import Eye
from tests.journeys.test_forewarned import Source
from tests.patience import LONG
from tests.world import World, spoken

pytestmark = pytest.mark.fleet
HOUR = 3600.0
PAST_SECONDS = 10 * HOUR
STEP_SECONDS = 10.0
ASKED_SECONDS = (3 if LONG else 1) * HOUR
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Expected:
    """What Diagnose may answer in a story."""

    causes: frozenset[str]
    """The story's cause, by the ids that name it."""
    later: frozenset[str] = frozenset()
    """What is true beside it, or once it has ended: the backlog fills the pool up to its limit."""


FULL = frozenset({"limit", "surge", "together", "hung", "slower"})
STORIES = {
    "surge": Expected(frozenset({"slow_scaling"}), frozenset({"surge"})),
    "limit-reached": Expected(frozenset({"limit"}), frozenset({"surge"})),
    "stockout": Expected(frozenset({"stockout"}), FULL),
    "offline-hosts": Expected(frozenset({"offline"}), FULL),
    "provider-outage": Expected(frozenset({"provider"}), FULL),
    "slower-jobs": Expected(frozenset({"slower"}), FULL),
    "hung-jobs": Expected(frozenset({"hung"}), FULL),
    "full-disks": Expected(frozenset({"short_of_disk"})),
    "early-warning": Expected(frozenset({"surge"}), frozenset({"limit"})),
}


class Story:
    """Tailback beside the fleet of a story, without Slack's or Prometheus' HTTP; second 0 is when the visitor comes."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.fleet = SimulatedFleet(scenario.pools, scenario.faults, DEFAULT_SEED, -PAST_SECONDS)
        self.eyes = {spec.name: Eye(self.fleet, spec.name) for spec in scenario.pools}
        pools = {
            spec.name: {
                "match": {"runner_label": spec.name},
                "floor": spec.drained_at,
                "boot_time": f"{spec.boot_seconds:.0f}s",
            }
            for spec in scenario.pools
        }
        self.world = World(pool=pools, timing={"poll": "1m", "report": "20m", "watch": "1m", "backfill": "0s"})
        self.world.context.metrics = dict.fromkeys(self.eyes, Source(self.fleet, self.eyes))
        self.world.context.pool_scalers = {}
        self.second = -PAST_SECONDS
        while self.second < 0:
            self.second += 60
            self.fleet.advance(self.second)
            for eye in self.eyes.values():
                eye.look()

    async def passes(self) -> None:
        """Ten more seconds."""
        self.second += STEP_SECONDS
        self.fleet.advance(self.second)
        self.world.clock.advance(STEP_SECONDS)
        await self.world.work()

    async def fires(self) -> None:
        """The alert of the story, as soon as its rule is met."""
        await self.world.store.commit(Change(wake=("chore:pools",)))
        while not breaches(self.scenario.rule, [read(self.fleet, name) for name in self.fleet.pools]):
            await self.passes()
        alerts = [spoken(name, starts_at=self.world.clock.now(), runner_label=name) for name in self.scenario.affected]
        await self.world.fires(*alerts)
        await self.passes()

    async def diagnosed(self) -> Counter[str]:
        """How many pools with long waits have which first cause, as the answer names them now."""
        request = Request("r1", "diagnose", "U0ANA", "C1", self.world.clock.now(), Diagnose(""))
        result = await effect(self.world.context, request, self.world.incident)
        assert isinstance(result.details, Diagnosed)
        found = (one for group in result.details.groups for one in group if one.pool in self.scenario.affected)
        return Counter(one.claims[0].cause if one.claims else NOTHING for one in found)


@pytest.mark.parametrize("name", STORIES)
async def test_the_named_cause_is_right_at_every_moment(name: str) -> None:
    """Asked every ten simulated seconds, from the alert on, until the drain, or for one hour (long form: three)."""
    story, expected = Story(SCENARIOS[name]), STORIES[name]
    await story.fires()
    began, said = story.second, Counter[str]()
    while story.second < began + ASKED_SECONDS and not story.world.incident.closed:
        said += await story.diagnosed()
        await story.passes()
    assert set(said) <= expected.causes | expected.later, said
    assert sum(said[one] for one in expected.causes) > 0.4 * said.total(), said


def test_every_story_with_a_cause_is_asked() -> None:
    """A new story says what Diagnose may answer."""
    assert set(STORIES) == {name for name, story in SCENARIOS.items() if story.affected}
