"""An incident is due: from the first message to the farewell, with nothing said twice and nothing left stale."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.core.incident.details.events import Escalated, IncidentEnded, PoolPeak, QueueChanged
from bot.core.incident.incident import State
from bot.core.record import Change
from bot.incidents.reconcile import MOST_STEPS
from bot.ports import Message
from bot.posting.message_key import message_key
from bot.views.words.causes import cause_name
from tests.builders import CHANNEL, NOW, POOL, TIMING
from tests.fakes import FakeChat, FakeClock, SlackMessage
from tests.wording import ack_entry, acknowledged, queue
from tests.world import ANA, OTHER_POOL, World, spoken


async def test_the_first_message_waits_for_the_figures_of_its_pools(world: World) -> None:
    world.queues(14)
    await world.fires()
    (claim,) = await world.claims()
    await world.tell(claim)
    assert world.chat.messages == []
    assert world.due() == 2.0
    world.clock.advance(10.1)  # the claim on the pool that `claims` left behind ends
    await world.work()
    assert "14 jobs queued" in world.parent.message.text


async def test_figures_that_do_not_come_hold_up_the_first_message_no_longer_than_first_look(world: World) -> None:
    """A source that is down costs 2 s, and the message says that it knows nothing."""
    world.metrics.script.fail("*", times=None)
    await world.done(world.fires())
    assert world.chat.messages == []
    await world.passes(2)
    assert "unknown" in world.parent.message.text


async def test_the_first_message_carries_the_incidents_id_and_mentions_the_group(world: World) -> None:
    await world.opens()
    assert world.parent.key == message_key(world.incident)
    assert world.parent.key.startswith(f"{world.incident.id}.")
    assert "<!subteam^S0ONCALL>" in str(world.parent.message.blocks)


async def test_the_parent_is_edited_only_when_it_changes(world: World) -> None:
    await world.opens()
    await world.passes(90, step=30)  # the second look knows a trend, the third a slope
    before = world.parent.edits
    await world.passes(150, step=30)
    assert world.parent.edits == before
    world.queues(40)
    await world.passes(30, step=30)
    assert world.parent.edits == before + 1
    assert "40 jobs queued" in world.parent.message.text


async def test_a_drained_incident_whose_alert_still_fires_is_not_said_to_need_nothing(world: World) -> None:
    """Once the alert has resolved, there is nothing to do."""
    await world.opens()
    world.queues(0)
    await world.passes(600, step=30)
    assert world.incident.state is State.DRAINED
    assert world.incident.group.firing
    text = world.parent.message.text
    await world.done(world.fires(spoken(firing=False)))
    assert not world.incident.group.firing
    assert world.parent.message.text != text


async def test_a_click_shows_in_the_parent_before_the_thread_is_told_anything(world: World) -> None:
    await world.opens()
    await world.fires(spoken("a1"), spoken("a2", host="one"))
    await world.fires(spoken("a1"), spoken("a2", host="one"), spoken("a3", host="two"))
    await world.asks("ack", ANA)
    world.chat.script.calls.clear()
    await world.work()
    assert [call for call in world.chat.script.calls if call in {"post", "update"}] == [
        "update",
        "post",
        "post",
        "post",
    ]
    assert acknowledged(ANA) in str(world.parent.message.blocks)
    assert [stored.key for stored in world.chat.thread(world.parent.ts)] == [
        f"{world.incident.id}/{number}" for number in (2, 3, 4)
    ]
    assert world.incident.log.outbox == ()


async def test_the_incident_goes_from_open_by_easing_to_drained_in_one_thread(world: World) -> None:
    """Resolved is not drained; drained is measured three times; the farewell says how it was, and then it is over."""
    await world.opens(queued=14)
    await world.done(world.fires(spoken(firing=False)))
    assert "EASING" in world.parent.message.text
    world.queues(0)
    await world.passes(60, step=30)
    state = world.incident.state
    assert state is State.EASING
    await world.passes(30, step=30)
    assert world.incident.state is State.DRAINED
    assert "DRAINED" in world.parent.message.text
    farewell = world.chat.thread(world.parent.ts)[-1]
    assert farewell.broadcast
    assert [one.summary.peaks for one in world.details(IncidentEnded)] == [(PoolPeak(POOL, 14, 3600.0),)]
    assert len(world.chat.parents()) == 1


async def test_a_closed_incident_is_watched_no_longer() -> None:
    world = await World.opened(timing={"watch": "0s"})
    await world.fires(spoken(firing=False))
    world.queues(0)
    await world.passes(200, step=30)
    assert world.incident.closed
    assert (world.data.sets["open"], world.data.sets[f"watch:{POOL}"]) == (set(), set())
    assert world.data.sets["ended"] == {world.incident.id}
    assert world.data.due == {}
    before = world.metrics.script.count("snapshot")
    await world.passes(300, step=30)
    assert world.metrics.script.count("snapshot") == before


async def test_status_replies_come_at_most_once_a_report_period_and_only_with_news(world: World) -> None:
    await world.opens(queued=10)
    world.queues(20)
    await world.passes(270, step=30)
    assert world.replies == []
    await world.passes(600, step=30)
    assert len(world.replies) == 1
    assert [(one.pool, one.queued, one.was_queued) for one in world.details(QueueChanged)] == [(POOL, 20, 10)]


async def test_nobody_acknowledged_is_told_once(world: World) -> None:
    await world.opens()
    await world.passes(1800, step=30)
    assert world.details(Escalated) == [Escalated(900.0)]
    (reply,) = [stored for stored in world.chat.thread(world.parent.ts) if stored.broadcast]
    assert queue(14) in reply.message.text
    assert reply.message.text.endswith(" <!subteam^S0ONCALL>")
    assert "Escalated " in str(world.parent.message.blocks)


async def test_a_webhook_in_the_middle_of_a_step_keeps_both_moves(world: World) -> None:
    """The step's move is run again on what the webhook wrote, and the record is looked at once more at once."""
    await world.opens(queued=14)
    world.chat = Interrupted(world.clock, lambda: world.fires(spoken(firing=False)), world.chat.messages)
    world.context.chat = world.chat
    world.queues(30)
    world.clock.advance(30)
    await world.tell((await world.claims("pool"))[0])
    await world.tell((await world.claims())[0])
    assert (world.incident.state, world.incident.thread.shown_at) == (State.EASING, world.clock.now())
    assert world.due() == 0.0
    await world.work()
    assert "EASING" in world.parent.message.text
    assert len(world.chat.parents()) == 1


async def test_an_incident_waits_for_its_turn() -> None:
    world = World(slack={"pace": "1s", "storm": 99})
    for number in range(5):
        await world.fires(spoken(), group_key=f"g{number}")
    await world.work()
    assert len(world.chat.parents()) == 2
    assert [round(at - world.clock.now(), 3) for at in sorted(due_incidents(world))][:2] == [1.0, 2.0]
    await world.passes(1)
    assert len(world.chat.parents()) == 3
    await world.passes(2)
    assert len(world.chat.parents()) == 5


async def test_one_talkative_incident_lets_the_others_have_a_turn(world: World) -> None:
    await world.opens()
    for number in range(20):
        await world.fires(spoken("a1"), spoken(f"b{number}", host=str(number)))
    world.chat.script.calls.clear()
    await world.tell((await world.claims())[0])
    posts = world.chat.script.count("post")
    assert 0 < posts < MOST_STEPS
    assert len(world.incident.log.outbox) == 20 - posts
    assert world.due() == 0.0
    await world.work()
    assert world.incident.log.outbox == ()
    assert len(world.replies) == 20


async def test_a_candidate_pool_that_queues_is_shown_and_the_others_are_not_judged_by(world: World) -> None:
    """An alert that names no pool: all are measured, and the drain is judged on the one that was seen to queue."""
    world.queues(9, pool=OTHER_POOL)
    nameless = replace(spoken(), labels={"alertname": "Jobs are queued"})
    await world.done(world.fires(nameless))
    assert world.incident.pools.affected == (OTHER_POOL,)
    assert world.incident.began_at == NOW - 60
    assert "linux.gpu: 9 jobs queued" in world.parent.message.text


def due_incidents(world: World) -> list[float]:
    waiting = world.data.sets[f"waiting:{CHANNEL}"]
    return [world.data.due[f"inc:{name}"] for name in waiting]


class Interrupted(FakeChat):
    def __init__(
        self, clock: FakeClock, meanwhile: Callable[[], Awaitable[object]], messages: list[SlackMessage]
    ) -> None:
        super().__init__(clock)
        self.messages, self.meanwhile = messages, meanwhile

    async def update(self, channel: str, ts: str, message: Message, *, key: str = "") -> None:
        if self.script.count("update") == 0:
            await self.meanwhile()
        await super().update(channel, ts, message, key=key)


@pytest.mark.parametrize("then", [(14, None), (0, 0)], ids=["unknown", "empty"])
async def test_a_reply_is_posted_while_time_goes_on_and_a_queue_is(
    world: World, then: tuple[int | None, int | None]
) -> None:
    """A look at the same figures that changed the record a little would come before each reply, again and again."""
    await world.fires(spoken("a1"), spoken("a2", runner_label=OTHER_POOL))
    for lengths in ((14, 9), then):
        for pool, queued in zip((POOL, OTHER_POOL), lengths, strict=True):
            world.queues(queued, pool=pool)
        world.clock.advance(TIMING.poll)
        await world.work()
    world.clock.goes_on_by = 1e-6
    await world.done(world.says("ack"))
    assert ack_entry(ANA) in world.replies


@pytest.mark.parametrize(("others", "cause"), [(14, "provider"), (0, "unassigned")])
async def test_pools_that_the_alert_does_not_name_tell_whether_idle_runners_are_the_providers_trouble(
    world: World, others: int, cause: str
) -> None:
    world.queues(14, busy=0, idle=9)
    world.queues(others, pool=OTHER_POOL, busy=0, idle=9)
    await world.context.store.commit(Change(wake=(f"pool:{OTHER_POOL}",)))
    await world.fires()
    await world.passes(120, step=30)
    assert world.incident.pools.candidates == (POOL,)
    assert cause_name(cause) in str(world.parent.message.blocks)
