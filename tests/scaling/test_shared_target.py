"""Two pools on one autoscaler: cooldown, cost limit and leases belong to the target, not to the pool's name."""

from dataclasses import replace

import pytest

from bot.adapters.scalers.policy import target_of
from bot.context.context import PoolScaler
from bot.core.scaling.lease import PoolLeases
from bot.core.scaling.limits import LimitHit, LimitReason, ScalePolicy
from bot.views.words.scaling import limit_words
from handlers.doctor.check import _of_shared
from tests.builders import POOL
from tests.fakes import FakeScaler
from tests.world import ANA, OTHER_POOL, World, refused, spoken

FLEET = "the fleet"
BOTH = {POOL, OTHER_POOL}


@pytest.fixture
async def shared(world: World) -> World:
    """Both labels are served by one fleet."""
    policy = ScalePolicy(maximum=40, step=20, cooldown_seconds=600, lease_seconds=3600, target=FLEET)
    world.scaler.log.clear()
    world.context.pool_scalers = {name: PoolScaler(world.scaler, policy) for name in BOTH}
    for pool in BOTH:
        world.queues(14, pool=pool)
    await world.done(world.fires(spoken("a1"), spoken("a2", runner_label=OTHER_POOL)))
    return world


async def wants(world: World, pool: str, target: int) -> None:
    await world.says("scale_up", pool, str(target))
    await world.done(world.confirms(await world.asks("scale_up", ANA, request_id=world.request.id)))


def leases(world: World) -> list[PoolLeases]:
    return [row.value for row in world.data.rows.values() if isinstance(row.value, PoolLeases)]


async def test_the_cooldown_holds_for_the_other_pool_too(shared: World) -> None:
    """10, 15, 20 within seconds of each other: neither pool knew of the other."""
    await wants(shared, POOL, 15)
    assert shared.scaler.current == 15
    why = limit_words(LimitHit(LimitReason.COOLDOWN, wait_seconds=600.0))
    await refused(why, shared.says("scale_up", OTHER_POOL, "20"))


async def test_the_end_of_both_leases_returns_all(shared: World) -> None:
    """Five runners stayed for ever: "someone else changed it"."""
    await wants(shared, POOL, 15)
    shared.clock.advance(700)
    await wants(shared, OTHER_POOL, 20)
    (record,) = leases(shared)
    assert [record.pool_of(lease) for lease in record.leases] == [POOL, OTHER_POOL]
    assert (record.base, shared.scaler.current) == (10, 20)
    await shared.passes(3700, step=60)
    assert shared.scaler.current == 10


async def test_nothing_is_returned_while_the_other_pool_queues(shared: World) -> None:
    await wants(shared, POOL, 15)
    shared.queues(0)
    await shared.passes(1500, step=60)
    assert shared.scaler.current == 15
    shared.queues(0, pool=OTHER_POOL)
    await shared.passes(1500, step=60)
    assert shared.scaler.current == 10


async def test_undo_finds_the_lease_of_either_pool(shared: World) -> None:
    await wants(shared, OTHER_POOL, 15)
    await shared.done(shared.says("hand_back"))
    assert shared.scaler.current == 10


HTTP = {"kind": "http", "url": "http://fleet:9100/pools/a", "max": 40, "cooldown": "10m"}


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({**HTTP, "max": 10, "token_env": "OTHER"}, True),
        ({**HTTP, "url": "http://fleet:9100/pools/a/"}, True),
        ({**HTTP, "url": "http://fleet:9100/pools/b"}, False),
        ({"kind": "aws_asg", "group": "a"}, False),
    ],
)
def test_limits_and_credentials_are_no_part_of_the_target(other: dict[str, object], same: bool) -> None:
    assert (target_of(HTTP) == target_of(other)) is same


@pytest.mark.parametrize("raw", [{"kind": "none"}, {"kind": "command", "read": ["size", "{pool}"]}])
def test_what_names_the_pool_or_sets_nothing_is_shared_with_nobody(raw: dict[str, object]) -> None:
    assert target_of(raw) == ""


async def test_check_names_the_pools_that_share_one() -> None:
    own, policy = FakeScaler(), ScalePolicy(maximum=40)
    alone = {"c": PoolScaler(own, policy), "d": PoolScaler(own, policy)}
    fleet = {name: PoolScaler(own, replace(policy, target=FLEET)) for name in ("b", "a")}
    (found,) = await _of_shared({**alone, **fleet})
    assert found.text.startswith("a and b share one autoscaler")
