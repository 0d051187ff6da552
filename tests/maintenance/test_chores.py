"""The periodic duties: each is done when it is due and comes back; one that no longer exists is forgotten."""

from bot.core.record import Change, Chore
from bot.registry import DUTIES, wake_all
from tests.world import World


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
