"""A group of machines with several runners each: people ask for runners, and the group is told of machines."""

import pytest

from bot.adapters.integrations import build
from bot.adapters.scalers.per_machine import PerMachine
from bot.config import Environment, File, Settings
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Rehearsed
from tests.fakes import FakeScaler


@pytest.mark.parametrize(("target", "machines"), [(12, 3), (13, 4), (16, 4), (17, 5)])
async def test_targets_and_sizes_are_runners(target: int, machines: int) -> None:
    """The last machine may have more runners than were asked for, never fewer."""
    group = FakeScaler(current=3, minimum=0, maximum=40)
    scaler = PerMachine(group, 4)
    assert ((await scaler.read()).current, (await scaler.read()).maximum) == (12, 160)
    await scaler.set(target, "r1")
    assert group.current == machines
    assert (await scaler.read()).current == 4 * machines


def test_only_a_group_of_machines_is_counted_so() -> None:
    """A home-grown autoscaler speaks of runners already, unless its table says that it counts machines."""
    price = {"max": 40, "cost_per_runner_hour": 0.5}
    group = {"kind": "aws_asg", "group": "ci", "region": "us-east-1", **price}
    own = {"kind": "http", "url": "http://scaler.test", **price}
    pools = {
        "agents": {"runners_per_machine": 4, "scaler": group},
        "single": {"scaler": group},
        "own": {"runners_per_machine": 4, "scaler": own},
        "own machines": {"runners_per_machine": 4, "scaler": {**own, "counts": "machines"}},
        "own tasks": {"runners_per_machine": 4, "scaler": {**group, "counts": "runners"}},
    }
    file = File.model_validate({"slack": {"channel": "C0CIONCALL"}, "pool": pools})
    made = build(Settings(Environment(), file), lambda: 0.0).pool_scalers
    assert {name: isinstance(scaler, PerMachine) for name, (scaler, _) in made.items()} == {
        "agents": True,
        "single": False,
        "own": False,
        "own machines": True,
        "own tasks": False,
    }
    assert {name: policy.price.together for name, (_, policy) in made.items() if policy.price} == {
        "agents": 4,
        "single": 1,
        "own": 1,
        "own machines": 4,
        "own tasks": 1,
    }
    assert isinstance(made["agents"][0], Rehearsed)
    assert file.rules_of("agents").runners_per_machine == 4


@pytest.mark.parametrize(
    ("maximum", "step", "found"), [(40, 10, (40, 8)), (42, 3, (40, 4)), (3, None, (0, None))], ids=["step", "one", "no"]
)
def test_limits_are_those_of_whole_machines(maximum: int, step: int | None, found: tuple[int, int | None]) -> None:
    """Never above what was configured, except that one machine may always be added."""
    policy = ScalePolicy(maximum=maximum, step=step).in_machines(4)
    assert (policy.maximum, policy.step) == found
    assert [policy.whole(target) for target in (12, 13, 16)] == [12, 16, 16]
