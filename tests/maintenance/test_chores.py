"""The periodic duties: each is done when it is due and comes back; one that no longer exists is forgotten."""

import asyncio
from functools import partial

from bot.context.context import Context
from bot.core.record import Change, Chore
from bot.maintenance.chores import Duty, chore
from bot.registry import DUTIES, wake_all
from tests.virtual_time import LoopClock, run
from tests.world import World


class SlowWorld(World):
    """Its clock is that of the event loop."""

    clocks = LoopClock


def test_a_duty_that_takes_longer_than_a_lease_is_begun_by_nobody_else() -> None:
    """Sixty channels are searched for second threads at Slack's pace: others would begin it again each lease."""
    begun = list[float]()

    async def slow(context: Context, before: Chore) -> Chore:
        begun.append(context.now())
        await asyncio.sleep(35)
        return Chore(before.id, note="took long")

    async def story() -> None:
        world = SlowWorld()
        work = partial(chore, {"sweep": Duty(slow, lambda _: 60.0)})
        await world.context.store.commit(Change(wake=("chore:sweep",)))
        workers = set[asyncio.Task[None]]()
        for _ in range(50):
            workers |= {asyncio.create_task(work(world.context, claim)) for claim in await world.claims("chore")}
            await asyncio.sleep(1)
        await asyncio.gather(*workers)
        assert len(begun) == 1
        held = await world.context.store.get(Chore, "sweep")
        assert held is not None
        assert held.value.note == "took long"
        assert world.due("chore:sweep") == 35 + 60 - 50

    run(story())


async def test_every_duty_comes_back(world: World) -> None:
    await world.context.store.commit(wake_all())
    for claim in await world.claims("chore"):
        await world.tell(claim)
    due = {member.partition(":")[2] for member in world.data.due if member.startswith("chore:")}
    assert due == DUTIES.keys()


async def test_a_duty_that_no_longer_exists_does_not_come_back(world: World) -> None:
    await world.context.store.commit(Change(wake=("chore:former",)))
    (claim,) = await world.claims("chore")
    await world.tell(claim)
    assert world.due("chore:former") is None


async def test_what_is_wrong_stays_on_record(world: World) -> None:
    world.alertmanager.script.fail("groups", times=1)
    for _ in range(2):
        await world.context.store.commit(Change(wake=("chore:resync",)))
        (claim,) = await world.claims("chore")
        await world.tell(claim)
        held = await world.context.store.get(Chore, "resync")
        assert held is not None
        assert ("could not be read" in held.value.note) == (_ == 0)
