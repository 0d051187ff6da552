"""The stories: each fires in time, touches only the pools it names, and scaling helps exactly where it says so."""

from functools import cache

import pytest

from bot.playground.fleet.alerting.rules import UNSEEN_JOBS, breaches
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import DEFAULT, DEFAULT_SEED, DEMO_SPEED, HEALTHY, SCENARIOS, SURGE, Scenario
from bot.playground.fleet.simulation import SimulatedFleet

STORIES = [
    *("surge", "limit-reached", "stockout", "offline-hosts", "provider-outage"),
    *("slower-jobs", "hung-jobs", "full-disks"),
]
REACTION_SECONDS = 15
FRESH_SAMPLES = 3


class Watch:
    """Lives through a scenario second by second (wall clock) and notes when it fires and when it has drained."""

    def __init__(self, scenario: Scenario, seed: int = DEFAULT_SEED) -> None:
        self.scenario = scenario
        self.fleet = SimulatedFleet(scenario.pools, scenario.faults, seed, -36_000)
        self.fleet.advance(0)
        self.second = 0
        self.fired_at: int | None = None
        self.drained_at: int | None = None
        self.peak = dict.fromkeys(self.fleet.pools, 0)
        self._empty = 0

    def until(self, second: int) -> "Watch":
        while self.second < second and self.drained_at is None:
            self.second += 1
            self.fleet.advance(self.second * DEMO_SPEED)
            figures = {name: read(self.fleet, name) for name in self.fleet.pools}
            for name, now in figures.items():
                self.peak[name] = max(self.peak[name], now.queued)
            if self.fired_at is None and breaches(self.scenario.rule, figures.values()):
                self.fired_at = self.second
            floor = {spec.name: spec.drained_at for spec in self.scenario.pools}
            empty = all(figures[name].queued <= floor[name] for name in self.scenario.affected)
            self._empty = self._empty + 1 if empty and self.fired_at is not None else 0
            if self._empty == FRESH_SAMPLES:
                self.drained_at = self.second
        return self

    def scale_up(self, more: int) -> "Watch":
        """Do what a person does a quarter of a minute after the alert: add runners to the first affected pool."""
        assert self.fired_at is not None
        self.until(self.fired_at + REACTION_SECONDS)
        pool = self.fleet.pools[self.scenario.affected[0]]
        self.fleet.set_target(pool.spec.name, min(pool.capacity + more, pool.spec.ceiling))
        return self


@cache
def left_alone(name: str, seed: int = DEFAULT_SEED) -> Watch:
    """A story to its drain without a visitor; the tests only read it."""
    return Watch(SCENARIOS[name], seed).until(1200)


def test_the_stories_have_the_names_of_the_command_line() -> None:
    """`--scenario NAME` offers these and the healthy day; surge is the default."""
    assert [*SCENARIOS] == [*STORIES, "early-warning", "healthy"]
    assert SCENARIOS[DEFAULT] is SURGE


@pytest.mark.parametrize("name", [*STORIES, "early-warning"])
def test_a_story_says_what_it_is_about(name: str) -> None:
    """Each has texts for people, three to five pools, and affects only pools that it has."""
    story = SCENARIOS[name]
    assert story.text.endswith(".")
    assert story.try_this.endswith(".")
    assert story.true_cause == {"surge": "slow-scaling", "early-warning": "surge"}.get(name, name)
    assert 3 <= len(story.pools) <= 5
    assert story.affected
    assert set(story.affected) <= {spec.name for spec in story.pools}


@pytest.mark.parametrize("name", STORIES)
def test_a_story_fires_within_ten_seconds_of_the_demo(name: str) -> None:
    """A visitor need not wait for the alert, and it is not there before the visitor is."""
    fired = left_alone(name).fired_at
    assert fired is not None
    assert 2 <= fired <= 10


@pytest.mark.parametrize("name", STORIES)
def test_only_the_affected_pools_queue(name: str) -> None:
    story = SCENARIOS[name]
    watch = Watch(story).until(120)
    for pool, peak in watch.peak.items():
        assert (peak > UNSEEN_JOBS) == (pool in story.affected), (pool, peak)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_healthy_day_fires_nothing(seed: int) -> None:
    """No alert in ten wall minutes, which are ten simulated hours."""
    assert Watch(HEALTHY, seed).until(600).fired_at is None


@pytest.mark.parametrize("seed", [DEFAULT_SEED, 1, 2, 3])
def test_the_surge_drains_within_two_minutes_when_someone_scales_up(seed: int) -> None:
    """With 20 more runners everything, from the visitor's first second to the drain, takes two minutes at most."""
    watch = Watch(SURGE, seed).until(10).scale_up(20).until(900)
    assert watch.drained_at is not None
    assert watch.drained_at <= 120


@pytest.mark.parametrize("seed", [DEFAULT_SEED, 1, 2, 3])
def test_the_surge_takes_over_two_minutes_when_nobody_does_anything(seed: int) -> None:
    """Without help the queue is still there after two minutes, and it does drain in the end."""
    drained = left_alone(DEFAULT, seed).drained_at
    assert drained is not None
    assert drained > 120


def test_the_surge_leaves_room_below_the_limit() -> None:
    """Nothing but the pace of the autoscaler binds: no failure, nobody offline, fewer runners than the limit."""
    watch = Watch(SURGE).until(20)
    now = read(watch.fleet, "linux.2xlarge")
    assert now.idle == now.offline == now.failed == 0
    assert now.busy + now.booting < now.limit - 20
    assert not watch.fleet.pools["linux.2xlarge"].tally.failures


@pytest.mark.parametrize("name", [name for name in STORIES if name != "hung-jobs"])
def test_scaling_up_drains_a_story_sooner_only_where_it_helps(name: str) -> None:
    """Where it helps it saves more than half of the time, elsewhere not; hung jobs have the next test."""
    story = SCENARIOS[name]
    alone = left_alone(name)
    helped = Watch(story).until(10).scale_up(story.pools[0].step).until(1200)
    assert alone.drained_at is not None
    assert helped.drained_at is not None
    assert (helped.drained_at < alone.drained_at / 2) == story.helps


def test_more_runners_for_hung_jobs_hang_too() -> None:
    """Scaling up empties the queue for a moment; two minutes later all the new runners are busy and jobs wait again."""
    story = SCENARIOS["hung-jobs"]
    watch = Watch(story).until(12).scale_up(20)
    grown = 0
    for second in range(watch.second, watch.second + 120):
        watch.drained_at = None
        watch.until(second)
        now = read(watch.fleet, "windows.4xlarge")
        grown = now.queued if now.idle == now.booting == 0 else grown
    assert grown > UNSEEN_JOBS


@pytest.mark.parametrize("seed", [DEFAULT_SEED, 1, 2, 3])
def test_the_alert_of_the_early_warning_fires_late_and_not_at_all_when_someone_scales_up_before(seed: int) -> None:
    """There is time to warn, to read and to act; the 54 runners that the text names are enough."""
    story = SCENARIOS["early-warning"]
    alone = Watch(story, seed).until(60)
    assert alone.fired_at is not None
    assert 30 <= alone.fired_at <= 45
    helped = Watch(story, seed).until(25)
    helped.fleet.set_target(story.affected[0], 54)
    assert helped.until(240).fired_at is None


def test_durations_tell_which_jobs_became_slow() -> None:
    """The median of what ended rises to more than twice the usual within the story."""
    story = SCENARIOS["slower-jobs"]
    watch = Watch(story)
    usual = max(source.median_minutes for source in story.pools[3].sources) * 60
    watch.until(45)
    assert (read(watch.fleet, "windows.4xlarge").duration_p50_seconds or 0) > 2 * usual
