"""A restored backup: newer threads go on, and what the backup still wants is not done."""

from copy import deepcopy
from typing import Any

from bot.core.incident.details.requests import RequestNotDone
from bot.core.requests.request import Progress
from bot.maintenance.repair_threads import EPOCH
from bot.maintenance.restored_backup import restored
from bot.views.words import refusals
from tests.builders import CHANNEL
from tests.world import World, refused, spoken

KEPT = ("rows", "due", "indexes", "sets", "marks", "trail")


def saved(world: World) -> dict[str, Any]:
    """The backup: everything that Redis holds now."""
    return {name: deepcopy(getattr(world.data, name)) for name in KEPT}


def restore(world: World, backup: dict[str, Any]) -> None:
    for name, value in backup.items():
        kept = getattr(world.data, name)
        kept.clear()
        kept.extend(deepcopy(value)) if isinstance(kept, list) else kept.update(deepcopy(value))


async def fire(world: World, *numbers: int) -> None:
    for number in numbers:
        alert = spoken(f"a{number}", number=f"{number}")
        key = f'{{}}:{{number="{number}"}}'
        await world.done(world.fires(alert, group_key=key))


async def test_every_group_goes_on_in_its_thread_and_none_gets_a_second_one() -> None:
    """Seven groups, two of them newer than the backup: seven threads before and after."""
    world = World()
    world.queues(14)
    await fire(world, 1, 2, 3, 4, 5)
    backup = saved(world)
    await fire(world, 6, 7)
    before = {message.ts for message in world.chat.parents()}
    assert len(before) == 7
    restore(world, backup)
    for _ in range(2):  # people repeat what they are not sure of
        assert await restored(world.context) == (CHANNEL,)
    await fire(world, *range(1, 8))
    assert {message.ts for message in world.chat.parents()} == before
    assert {incident.thread.root for incident in world.incidents} == before


async def test_a_later_time_of_a_group_that_was_over_in_the_backup_goes_on_in_its_own_thread() -> None:
    world = await World.opened()
    await world.fires(spoken(firing=False))
    world.queues(0)
    await world.passes(300, step=30)
    assert world.incident.closed
    backup = saved(world)
    world.clock.advance(3600)
    world.queues(14)
    await world.done(world.fires(spoken(starts_at=world.clock.now())))
    threads = [message.ts for message in world.chat.parents()]
    assert len(threads) == 2
    restore(world, backup)
    await restored(world.context)
    await world.done(world.fires(spoken(starts_at=world.clock.now() - 60)))
    assert [message.ts for message in world.chat.parents()] == threads
    assert {incident.thread.root for incident in world.incidents if not incident.closed} == {threads[1]}


async def test_a_pending_scale_up_in_the_backup_is_never_done() -> None:
    """It may have been done before the machine was lost, and the runners may be back by now."""
    world = await World.opened()
    await world.wants(20)
    backup = saved(world)
    restore(world, backup)
    world.clock.advance(600)
    await restored(world.context)
    await world.passes(1200, step=30)
    assert world.scaler.log == []
    assert world.request.progress is Progress.FAILED
    assert world.request.outcome == refusals.BEFORE_THE_BACKUP
    assert [one.why for one in world.details(RequestNotDone)] == [refusals.BEFORE_THE_BACKUP]
    later = await world.done(world.wants(22))
    assert (await world.now(later)).progress is Progress.DONE


async def test_until_every_channel_was_read_nothing_is_done() -> None:
    world = await World.opened()
    world.chat.script.fail("own")
    await refused("Run `tailback restored` again", restored(world.context))
    assert await world.store.find(EPOCH) is None
    assert await restored(world.context)
    assert await world.store.find(EPOCH) is not None
