"""Who notices that Redis lost records, and who goes on when they were recovered (P10)."""

import asyncio
from dataclasses import replace

import pytest

from bot.context.context import Health
from bot.core.record import Claims
from bot.maintenance.repair_threads import EPOCH
from bot.ports import Failure, OwnMessages, Refused
from bot.registry import DUTIES
from bot.requests.permission import check_actions_enabled
from handlers.recovery import AGAIN_SECONDS, LOOK_SECONDS, Recovery
from handlers.worker import Worker
from tests.fakes_store import FakeStore
from tests.maintenance.test_repair_threads import all_lost
from tests.patience import eventually
from tests.world import World


async def started() -> tuple[World, Recovery]:
    """A worker that has looked once."""
    world = World()
    recovery = Recovery(world.context)
    await recovery.recover()
    return world, recovery


async def test_a_store_without_a_sign_of_ours_is_recovered_at_the_start() -> None:
    """New or emptied while nobody ran: the channels are read, and every duty is due at once."""
    world, recovery = await started()
    assert world.chat.script.count("own") == 1
    assert await world.store.find(EPOCH) is not None
    assert {member.removeprefix("chore:") for member in world.data.due if member.startswith("chore:")} == set(DUTIES)
    await recovery.recover()
    await Recovery(world.context).recover()
    assert world.chat.script.count("own") == 1, "once, by whoever is first"


async def test_a_loss_under_way_is_recovered() -> None:
    """Seen by this process: the channels are read again. What fires is asked for, as at a start on whole records."""
    world, recovery = await started()
    world.data.due.clear()
    await Recovery(world.context).recover()
    assert "chore:resync" in world.data.due, "deliveries were missed while nobody ran"
    epoch = await world.store.find(EPOCH)
    world.data.due.clear()
    world.store.lost = True
    await recovery.recover()
    assert not world.store.lost
    assert world.chat.script.count("own") == 2
    assert await world.store.find(EPOCH) != epoch
    assert "chore:resync" in world.data.due


async def test_a_worker_recovers_before_it_claims_anything(world: World) -> None:
    """What is due may be old: the channels are read first."""
    world.queues(14)
    await world.fires()
    world.store.lost = True
    worker = Worker(world.context)
    running = asyncio.create_task(worker.run())
    await eventually(world.chat.parents, "a thread")
    worker.stop()
    await running
    assert not world.store.lost
    calls = world.chat.script.calls
    assert calls.index("own") < calls.index("post")


async def test_a_claim_that_shows_the_loss_is_not_worked_on_before_the_recovery() -> None:
    """Another process opened an incident after the loss; its old thread is found first."""
    world = await World.opened(timing={"first_look": "0s"})
    (first,) = world.chat.parents()
    all_lost(world)
    await world.fires()
    world.store.lost = False  # another process took the delivery
    world.data.indexes[EPOCH] = "e1"
    claim = world.store.claim

    async def shown(most: int) -> Claims:
        """The reply of the first claim knows less than this process saw."""
        if world.data.indexes[EPOCH] == "e1":
            world.store.lost = True
        return await claim(most)

    own = world.chat.own

    async def slow(channel: str, *, since: float, thread: str | None = None) -> OwnMessages:
        """Slack takes its time, in which a claimed incident would be posted."""
        await asyncio.sleep(0.1)
        return await own(channel, since=since, thread=thread)

    world.store.claim, world.chat.own = shown, slow  # type: ignore[method-assign]
    worker = Worker(world.context)
    running = asyncio.create_task(worker.run())
    await eventually(lambda: world.incident.thread.root, "a thread")
    worker.stop()
    await running
    assert world.incident.thread.root == first.ts
    assert world.chat.parents() == [first]


async def test_while_channels_cannot_be_read_it_says_so_and_tries_again() -> None:
    """Every ten seconds, not in a loop."""
    world, recovery = await started()
    world.store.lost = True
    world.chat.script.fail("own", Failure.UNCONNECTED, times=None)
    for _ in range(5):
        await recovery.recover()
    assert world.chat.script.count("own") == 2
    assert "no action is done" in world.context.health.records
    assert world.store.lost
    world.chat.script.heal()
    world.clock.advance(AGAIN_SECONDS + 1)
    await recovery.recover()
    assert not world.context.health.records
    assert not world.store.lost


@pytest.mark.parametrize("recovered", [True, False])
async def test_a_web_process_goes_on_when_a_worker_has_recovered_the_records(recovered: bool) -> None:
    """A new epoch says so; the old one does not."""
    world, _ = await started()
    web = Recovery(world.context)
    await web.follow()
    world.store.lost = True
    await web.follow()
    assert world.store.lost
    if recovered:
        world.data.indexes[EPOCH] = "e-new"
    await web.follow()
    assert world.store.lost is not recovered


async def test_a_loss_that_only_a_web_process_saw_is_recovered_by_a_worker() -> None:
    """The workers were restarted meanwhile, or had seen less: the web process goes on when they have recovered."""
    world, worker = await started()
    store = FakeStore(world.clock.now, world.clock.monotonic, data=world.data)
    context = replace(world.context, store=store, health=Health())
    web = Recovery(context)
    await web.follow()
    store.lost = True
    await web.follow()
    with pytest.raises(Refused, match="lost records"):
        check_actions_enabled(context)
    world.clock.advance(LOOK_SECONDS)
    await worker.recover()
    assert world.chat.script.count("own") == 2
    await web.follow()
    check_actions_enabled(context)


async def test_whoever_recovers_does_no_action_before_all_was_read() -> None:
    """Also a process that has not seen the loss itself and finds no epoch."""
    world, worker = await started()
    del world.data.indexes[EPOCH]
    world.clock.advance(LOOK_SECONDS)
    world.chat.script.fail("own", Failure.UNCONNECTED)
    await worker.recover()
    assert not world.store.lost
    with pytest.raises(Refused, match="lost records"):
        check_actions_enabled(world.context)
    world.clock.advance(AGAIN_SECONDS)
    await worker.recover()
    check_actions_enabled(world.context)


async def test_a_worker_looks_for_the_epoch_every_ten_seconds_and_not_before_each_claim() -> None:
    """On whole records it does nothing more than that."""
    world, worker = await started()
    world.data.due.clear()
    del world.data.indexes[EPOCH]
    await worker.recover()
    assert world.chat.script.count("own") == 1
    world.data.indexes[EPOCH] = "e1"
    world.clock.advance(LOOK_SECONDS)
    await worker.recover()
    assert world.data.due == {}
