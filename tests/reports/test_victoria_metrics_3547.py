"""VictoriaMetrics/VictoriaMetrics#3547 and prometheus/alertmanager#1684: two Alertmanagers hear every second word.

They are not a cluster, and one address stands for both. Each takes the alert for resolved again and again.
"""

from bot.core.incident.incident import State
from tests.world import World, spoken


async def test_the_thread_is_one_comes_back_and_does_not_end_while_jobs_wait(world: World) -> None:
    await world.opens()
    states = []
    for _ in range(6):
        await world.passes(240, step=60)
        await world.done(world.fires(spoken(firing=False)))
        await world.passes(60, step=60)
        await world.done(world.fires())
        states.append(world.incident.state)
    assert set(states) == {State.EASING, State.OPEN}
    assert len(world.chat.parents()) == 1
    assert len(world.replies) <= 2
