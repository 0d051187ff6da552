"""Diagnose: the pools are read now; the thread hears what was seen, and what could not be seen."""

from dataclasses import replace

import pytest

from bot.core.finding import MEDIUM, Finding, Scaling
from bot.core.incident.details.events import Diagnosed
from bot.core.incident.timeline import Entry
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change, Put, Stored
from bot.core.requests.interaction import request_id
from bot.core.statement import statement
from bot.diagnosing import diagnose
from bot.ports import Failure
from bot.views.words import refusals
from tests.builders import CHANNEL, POOL, incident, named, view
from tests.fakes import HangingMetrics
from tests.wording import queue
from tests.world import ANA, OTHER_POOL, World, refused, whisper


def test_it_is_offered_where_there_is_something_to_read() -> None:
    """An alert of which no pool is configured has no such button."""
    assert diagnose.ACTION.label(incident(), view()) is not None
    assert diagnose.ACTION.label(incident(pools=named()), view()) is None


@pytest.mark.parametrize(("owner", "cause", "stands_out"), [(ANA, "", True), (None, "", False), (ANA, "limit", False)])
def test_it_stands_out_while_somebody_works_on_a_queue_of_unknown_cause(
    owner: str | None, cause: str, stands_out: bool
) -> None:
    known = {POOL: Finding(cause, 0.5, (), Scaling.HELPS, "raise_limit", POOL)} if cause else {}
    label = diagnose.ACTION.label(incident(affected=(POOL,), owner=owner), replace(view(), causes=known))
    assert label
    assert label.primary is stands_out


def diagnoses(world: World) -> list[Entry]:
    """The diagnoses in the timeline."""
    return [one for one in world.incident.log.timeline if isinstance(one.details, Diagnosed)]


async def test_the_thread_is_told_whether_it_is_isolated_and_what_holds_the_pool(world: World) -> None:
    """Figures of this moment, not of the last poll."""
    await world.opens(queued=14)
    world.clock.advance(5)
    world.queues(20, busy=40, idle=0, offline=2, limit=40)
    await world.done(world.asks("diagnose"))
    (entry,) = diagnoses(world)
    found = entry.details
    assert isinstance(found, Diagnosed)
    top = found.groups[0][0].findings[0]
    assert (entry.who, top.pool, top.cause, top.confidence) == (ANA, POOL, "limit", MEDIUM)
    assert top.evidence[0] == statement("all_busy_at_limit", limit=40, offline=2, busy=40, runners=40)
    assert (found.names, [one.pool for one in found.queueing]) == ((POOL, OTHER_POOL), [POOL])
    assert "limit" in found.queueing[0].shown, "the pool's own line does not say it again"
    assert (dict(found.unread), {one.pool: one.queued for one in entry.figures}) == ({}, {POOL: 20, OTHER_POOL: 0})
    assert queue(20) in str(world.thread[-1].blocks)


async def test_what_could_not_be_read_is_named_with_its_reason(world: World) -> None:
    await world.opens()
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.done(world.asks("diagnose"))
    (entry,) = diagnoses(world)
    assert isinstance(entry.details, Diagnosed)
    assert set(entry.details.unread) == {POOL, OTHER_POOL}
    assert all(why.startswith("Prometheus (fake): snapshot") for why in entry.details.unread.values())


@pytest.mark.parametrize("queued", [0, 3, 60])
async def test_a_source_that_was_lost_is_called_blind_whatever_it_said_last(world: World, queued: int) -> None:
    """No message gives its figures of 20 minutes ago as those of now."""
    await world.opens(queued=queued)
    await world.passes(60)
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.passes(1200, step=60)
    await world.done(world.asks("diagnose"))
    (entry,) = diagnoses(world)
    assert isinstance(entry.details, Diagnosed)
    assert entry.details.groups[0][0].findings[0].cause == "blind"
    status = whisper(await world.types("status", POOL)).text
    for text in (world.replies[-1], str(world.thread[-1].blocks), status):
        assert queue(queued) not in text
    first = world.parent.message.text
    assert ("(over 15 min ago)" if queued else "queue length unknown since") in first
    assert "nothing queued" not in first


async def test_only_pools_with_a_fresh_queue_count_as_read(world: World) -> None:
    """A figure of 20 minutes ago stays in the table, and its pool is among those that are not known."""
    await world.opens(queued=14)
    await world.passes(60)
    read = (await diagnose.read(world.context, [POOL, OTHER_POOL])).details
    assert isinstance(read, Diagnosed)
    assert dict(read.unread) == {}
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.passes(1200, step=60)
    lost = (await diagnose.read(world.context, [POOL, OTHER_POOL])).details
    assert isinstance(lost, Diagnosed)
    assert {POOL, OTHER_POOL} == set(lost.unread)


async def test_a_source_that_hangs_is_unseen_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pool that does not answer does not keep the others from being told of."""

    world = World()
    world.queues(14)
    monkeypatch.setattr(diagnose, "PATIENCE_SECONDS", 0.3)
    world.context.metrics = {POOL: world.metrics, OTHER_POOL: HangingMetrics(world.clock)}
    found = await diagnose.read(world.context, [POOL, OTHER_POOL])
    assert [sample.pool for sample in found.figures] == [POOL]
    assert isinstance(found.details, Diagnosed)
    assert set(found.details.unread) == {OTHER_POOL}
    held = Pool(OTHER_POOL, (Snapshot(OTHER_POOL, world.clock.now() - 20, queued=3),), tried_at=world.clock.now() - 20)
    await world.store.commit(Change(puts=(Put(Stored(held, 0), held, None),)))
    again = await diagnose.read(world.context, [POOL, OTHER_POOL])
    assert {sample.pool: sample.queued for sample in again.figures} == {POOL: 14, OTHER_POOL: 3}, "known a moment ago"


async def test_a_button_can_be_pressed_again_but_not_twice(world: World) -> None:
    """Each use is a record of its own; the same button twice is one."""
    await world.opens()
    button = {"request_id": request_id(world.incident, "diagnose")}
    await world.asks("diagnose", **button)
    await refused(refusals.already_requested(0.0), world.asks("diagnose", **button))
    await world.work()
    await world.done(world.asks("diagnose"))
    assert len(diagnoses(world)) == 2


async def test_by_command_only_the_person_is_answered(world: World) -> None:
    """`/queue diagnose POOL`: first that it is read, then what was read."""
    world.queues(14)
    assert "Reading linux.2xlarge now" in whisper(await world.types("diagnose", POOL)).text
    await world.work()
    assert [(channel, user) for channel, user, _, _ in world.chat.whispers] == [(CHANNEL, ANA)]
    assert world.chat.messages == []


async def test_in_a_thread_a_named_pool_is_told_to_the_thread(world: World) -> None:
    """What is asked among colleagues is answered among them."""
    await world.opens()
    await world.done(world.says("diagnose", OTHER_POOL))
    assert world.chat.whispers == []
    (entry,) = diagnoses(world)
    assert isinstance(entry.details, Diagnosed)
    assert (entry.details.names, world.request.pool) == ((OTHER_POOL,), OTHER_POOL)


async def test_an_unknown_pool_is_refused_with_the_names_there_are(world: World) -> None:
    """Before anything is written down."""
    await refused(refusals.unknown_pool("nope", [POOL, OTHER_POOL]), world.types("diagnose", "nope"))
    assert world.data.commits == 0


async def test_queues_of_unknown_length_are_not_called_empty(world: World) -> None:
    """The source answers, and knows nothing."""
    world.queues(None)
    found = await diagnose.read(world.context, [POOL])
    assert isinstance(found.details, Diagnosed)
    assert (found.details.queueing, set(found.details.unread)) == ((), {POOL})
    assert found.figures == ()
