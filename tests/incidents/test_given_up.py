"""Whoever does not answer is given up while the record is still ours, so that nobody else acts meanwhile (P5, P9)."""

import asyncio

import pytest

from bot.core.incident.details.requests import RequestEnd, RequestNotDone
from bot.core.requests.request import Progress
from tests.scaling.care import PERMISSIONS, CareWorld
from tests.world import PoliteStore, World

LEASE_SECONDS = 0.6


async def hangs(*_: object, **__: object) -> None:
    await asyncio.Event().wait()


async def test_a_scaler_that_hangs_is_given_up_within_the_lease() -> None:
    world = await CareWorld.opened()
    request = await world.wants(24)
    world.configure(permissions=PERMISSIONS, timing={"poll": "30s", "lease": f"{LEASE_SECONDS}s"})
    world.scaler.set = hangs  # type: ignore[method-assign]  # a scaler that hangs
    (claim,) = await world.claims("act")
    async with asyncio.timeout(3 * LEASE_SECONDS):
        await world.tell(claim)
    assert (await world.now(request)).progress is Progress.UNKNOWN
    await world.work()
    (details,) = world.details(RequestNotDone)
    assert (details.how, details.action, details.why) == (RequestEnd.CHECKING, "scale_up", "no answer in time")


async def test_a_slack_that_hangs_is_given_up_within_the_lease(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    world.store = world.context.store = PoliteStore(
        world.clock.now, world.clock.monotonic, data=world.data, lease_seconds=LEASE_SECONDS
    )
    world.queues(14)
    await world.fires()
    with monkeypatch.context() as silent:
        silent.setattr(world.chat, "post", hangs)
        async with asyncio.timeout(3 * LEASE_SECONDS):
            await world.work()
    assert "no answer while the record was ours" in (world.incident.trouble.why or "")
    await world.passes(60, step=1)
    assert world.chat.script.count("find") == 1
    assert len(world.chat.parents()) == 1


async def test_a_raise_that_was_given_up_in_doubt_is_handed_back_when_it_comes_after_all() -> None:
    world = await CareWorld.opened()
    request = await world.wants(24)
    world.scaler.script.fail("set")
    await world.work()
    world.actions(enabled=False)
    await world.passes(60, step=5)
    assert (await world.now(request)).progress is Progress.FAILED
    await world.scaler.set(24, request.id)
    world.actions(enabled=True)
    await world.passes(7300, step=292)
    assert world.scaler.current == 10
