"""buildkite/elastic-ci-stack-for-aws#734: above MaxSize, AWS refuses a size and scales nothing at all."""

import pytest

from bot.adapters.registry import SCALERS
from bot.adapters.scalers.per_machine import PerMachine
from bot.context.context import PoolScaler
from bot.core.requests.request import ScaleUp
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.builders import POOL
from tests.reports.fleet import Fleet
from tests.world import refused


@pytest.mark.usefixtures("made_up_aws")
@pytest.mark.parametrize(("runners", "target", "desired"), [(1, 16, 16), (4, 24, 6)])
async def test_the_group_gets_what_it_can_and_people_are_told_its_limit(
    runners: int, target: int, desired: int
) -> None:
    """With four agents a machine (#144 there), people ask for agents and the group is told of machines."""
    fleet = Fleet()
    fleet.knows("buildkite", queued=30, oldest_wait_seconds=2400.0, busy=12, idle=0)
    group = AwsApi(desired=12 // runners, there=12 // runners, most=16 if runners == 1 else 6)
    async with group.url() as url, patient_pool() as wire:
        table = {"kind": "aws_asg", "group": "ci-linux", "region": "us-east-1", "endpoint_url": url, "max": 99}
        parts = parts_with(wire, {}, fleet.clock.now())
        scaler, policy = SCALERS["aws_asg"](POOL, "[scaler]", table, parts)
        mine = PerMachine(scaler, runners) if runners > 1 else scaler
        fleet.world.context.pool_scalers = {POOL: PoolScaler(mine, policy)}
        await fleet.fires()
        await fleet.world.wants(target)
        await fleet.world.work()
        await fleet.passes(1)
        assert group.desired == desired
        limit = f"limited to {target} runners by MaxSize of Auto Scaling group ci-linux"
        await refused(limit, fleet.world.says("scale_up", POOL, str(target + 8)))
    assert group.desired == desired


@pytest.mark.usefixtures("made_up_aws")
async def test_a_total_between_two_machines_is_that_of_whole_ones_and_is_handed_back() -> None:
    """22 of machines of four are 24. A lease of 22 found 24, called that somebody else's change, and kept them."""
    fleet = Fleet()
    queue = fleet.knows("buildkite", queued=30, oldest_wait_seconds=2400.0, busy=12, idle=0)
    group = AwsApi(desired=3, there=3, most=20)
    async with group.url() as url, patient_pool() as wire:
        table = {"kind": "aws_asg", "group": "ci-linux", "region": "us-east-1", "endpoint_url": url, "max": 99}
        parts = parts_with(wire, {}, fleet.clock.now())
        scaler, policy = SCALERS["aws_asg"](POOL, "[scaler]", {**table, "lease": "1h"}, parts)
        fleet.world.context.pool_scalers = {POOL: PoolScaler(PerMachine(scaler, 4), policy.in_machines(4))}
        await fleet.fires()
        asked = await fleet.world.wants(22)
        await fleet.world.work()
        assert (asked.of(ScaleUp).target, group.desired) == (24, 6)
        queue.show(POOL, {"queued": 0, "oldest_wait_seconds": 0.0, "busy": 12, "idle": 12})
        await fleet.passes(75)
    assert group.desired == 3
