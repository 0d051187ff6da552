"""The simulated fleet: the same seed gives the same day, and every trouble shows the signs it should show."""

from dataclasses import replace

import pytest

from bot.playground.fleet.api.listed_jobs import longest_waiting
from bot.playground.fleet.faults import FleetFault, FleetFaultKind
from bot.playground.fleet.figures import PoolFigures, read
from bot.playground.fleet.metrics import samples
from bot.playground.fleet.scenarios import SURGE
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import Burst
from tests.playground.fleet_world import small_pool

HOUR = 3600.0


def lived(*troubles: FleetFault, until: float = HOUR, **pool: object) -> tuple[SimulatedFleet, PoolFigures]:
    fleet = SimulatedFleet([small_pool(**pool)], troubles, seed=1)
    fleet.advance(until)
    return fleet, read(fleet, "small")


def test_the_same_seed_gives_the_same_day_however_time_is_cut() -> None:
    """One long step and many short ones end in exactly the same exported samples."""
    whole, cut = (SimulatedFleet(SURGE.pools, SURGE.faults, 7, -HOUR) for _ in range(2))
    whole.advance(HOUR)
    for place in range(1, 361):
        cut.advance(-HOUR + place * 20)
    assert samples(whole) == samples(cut)


def test_jobs_are_queued_started_and_completed() -> None:
    """Every job that arrived waits, runs or has completed; a waiting one carries what GitHub would say of it."""
    fleet, now = lived(bursts=(Burst(10, 30),), until=600)
    tally = fleet.pools["small"].tally
    assert sum(tally.arrived.values()) == 30
    assert tally.started == tally.completed + now.busy
    assert now.queued == 30 - tally.started
    waiting = longest_waiting(fleet, "small")[0]
    assert waiting.seconds == 590
    assert (waiting.repository, waiting.workflow, waiting.job) == ("example/torch", "pull", "build")
    assert waiting.url.startswith("https://ci.example/example/torch/actions/runs/")


def test_the_autoscaler_creates_up_to_the_limit_and_lets_idle_runners_go() -> None:
    """A burst brings the pool to its limit; when it is over, idle runners go after the idle timeout."""
    fleet, now = lived(bursts=(Burst(10, 60),), until=900)
    assert (now.busy, now.limit) == (10, 10)
    fleet.advance(6 * HOUR)
    assert read(fleet, "small").idle == 0


def test_scaling_changes_neither_what_arrives_nor_how_long_it_runs() -> None:
    """With and without help the same jobs come, so two runs can be compared."""
    helped, alone = (SimulatedFleet(SURGE.pools, SURGE.faults, 3) for _ in range(2))
    helped.set_target("linux.2xlarge", 80)
    for fleet in (helped, alone):
        fleet.advance(HOUR)
    assert helped.pools["linux.2xlarge"].tally.arrived == alone.pools["linux.2xlarge"].tally.arrived


def test_a_target_above_the_limit_lifts_it_and_is_created_at_once() -> None:
    """The scaler's target is a floor that holds even when nothing waits."""
    fleet, _ = lived()
    fleet.set_target("small", 15)
    fleet.advance(2 * HOUR)
    now = read(fleet, "small")
    assert (now.idle, now.limit) == (15, 15)


def test_a_lower_target_hands_the_pool_back() -> None:
    """After a hand-back the limit is the configured one and idle runners go; busy ones finish their jobs."""
    fleet, _ = lived(bursts=(Burst(HOUR + 600, 15),))
    fleet.set_target("small", 15)
    fleet.advance(HOUR + 700)
    assert read(fleet, "small").busy == 15
    fleet.set_target("small", 0)
    fleet.advance(HOUR + 701)
    assert (read(fleet, "small").busy, read(fleet, "small").limit) == (15, 10)
    fleet.advance(4 * HOUR)
    assert read(fleet, "small").idle == 0


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_refused_creates_count_their_code(share: float) -> None:
    """K1, K4: creates fail with the cloud's own error name; some succeed when only a share is refused."""
    trouble = FleetFault(FleetFaultKind.CREATES_REFUSED, 0, amount=share, code="InsufficientInstanceCapacity")
    fleet, now = lived(trouble, bursts=(Burst(10, 5),))
    tally = fleet.pools["small"].tally
    assert tally.failures["InsufficientInstanceCapacity"] > (50 if share == 1 else 0)
    assert (tally.creates == now.busy == 0 and now.queued == 5) == (share == 1)


def test_in_a_provider_outage_runners_idle_while_jobs_wait() -> None:
    """G2: capacity is there, nothing is assigned; when the provider recovers, jobs start at once."""
    fleet, now = lived(FleetFault(FleetFaultKind.PROVIDER_OUTAGE, 0, 2 * HOUR), bursts=(Burst(10, 5),), minimum=5)
    assert (now.idle, now.queued, fleet.provider_up) == (5, 5, False)
    fleet.advance(2 * HOUR)
    assert (read(fleet, "small").queued, fleet.provider_up) == (0, True)


def test_offline_hosts_keep_their_place_under_the_limit_and_come_back() -> None:
    """O1: the hosts are registered but offline, no other ones are created, and the end of the trouble heals it."""
    trouble = FleetFault(FleetFaultKind.HOSTS_OFFLINE, 600, 2 * HOUR, amount=7)
    fleet, now = lived(trouble, minimum=10, bursts=(Burst(1200, 9),), until=1300)
    assert (now.offline, now.busy, now.queued) == (7, 3, 6)
    assert fleet.pools["small"].tally.creates == 0
    fleet.advance(2 * HOUR)
    assert read(fleet, "small").offline == 0


def test_a_job_on_a_host_that_drops_out_ends_there() -> None:
    trouble = FleetFault(FleetFaultKind.HOSTS_OFFLINE, 120, amount=10)
    fleet, now = lived(trouble, minimum=10, bursts=(Burst(60, 10),), until=121)
    assert (now.busy, now.offline) == (0, 10)
    assert fleet.pools["small"].tally.completed == 10


def test_hung_jobs_hold_their_runners() -> None:
    """D1: they do not end, those of one workflow only when it is named."""
    hang = FleetFault(FleetFaultKind.JOBS_HUNG, 0)
    _, usual = lived(bursts=(Burst(10, 10),), until=3 * HOUR, minimum=10)
    _, hung = lived(hang, bursts=(Burst(10, 10),), until=HOUR, minimum=10)
    _, other = lived(replace(hang, workflow="docs"), bursts=(Burst(10, 10),), until=HOUR, minimum=10)
    assert usual.busy == 0
    assert hung.busy == 10
    assert hung.running_seconds == HOUR - 10
    assert other.busy == 0


def test_an_empty_queue_has_waited_no_time_and_an_unknown_duration() -> None:
    """Nothing waits is a fact and zero; that no job ended is unknown and not zero."""
    _, now = lived()
    assert (now.queued, now.oldest_wait_seconds, now.duration_p50_seconds) == (0, 0.0, None)
