"""prometheus/alertmanager#881 and #3410: one group under two keys, because its route's matchers have another order.

The replicas of a cluster sort them differently, or somebody has edited the route.
"""

from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from tests.world import OTHER_POOL, World, spoken

GROUP = ':{alertname="Runner queue is long"}'
ONE = f'{{}}/{{team="ci",severity=~"^(?:page|ticket)$"}}{GROUP}'
OTHER = f'{{}}/{{severity=~"^(?:page|ticket)$",team="ci"}}{GROUP}'


async def test_both_keys_are_one_thread_that_ends_under_either(world: World) -> None:
    await world.opens(group_key=ONE)
    assert await world.fires(group_key=OTHER) is Taken.JOINED
    assert await world.fires(spoken(), spoken("b"), group_key=OTHER) is Taken.JOINED
    assert len(world.incident.group.firing) == 2
    await world.fires(spoken(firing=False), spoken("b", firing=False), group_key=OTHER)
    await world.work()
    assert world.incident.state is State.EASING


async def test_two_routes_that_share_no_alert_stay_two_threads(world: World) -> None:
    """Their groups have the same labels, and each has its own end."""
    await world.opens(group_key=ONE)
    other = spoken("b", runner_label=OTHER_POOL)
    assert await world.fires(other, group_key='{}/{team="gpu"}' + GROUP) is Taken.OPENED
    await world.fires(spoken(firing=False), group_key=ONE)
    assert [len(one.group.firing) for one in world.incidents] == [0, 1]
