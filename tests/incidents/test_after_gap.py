"""Nobody is called for an incident that is over: after a gap Tailback measures and asks first, and judges again."""

import pytest

from bot.context.after_gap import BOUND_SECONDS
from bot.core.incident.details.events import IncidentEnded, IncidentEnding
from bot.core.incident.details.requests import SilenceStep
from bot.core.incident.incident import State
from bot.core.incident.timeline import Decision, Event
from bot.core.record import Change
from bot.ports import Failure
from bot.registry import wake_all
from bot.views.words.timeline import PLAIN
from tests.builders import POOL
from tests.people.test_escalate import GROUP, calls
from tests.world import ANA, World, spoken


async def starts_again(world: World, *, asks: bool = True) -> None:
    """The bot was down for half an hour, and its worker starts."""
    world.clock.advance(1800)
    world.context.health.resumed_at = world.clock.now()
    await world.store.commit(wake_all() if asks else Change(wake=(f"pool:{POOL}",)))


async def test_after_a_restart_nobody_is_called_for_a_queue_that_has_drained(world: World) -> None:
    """The escalation was due while the bot was down; its figures say 14 jobs, and the pool has none any more."""
    await world.opens(queued=14)
    world.queues(0)
    await starts_again(world)
    await world.passes(300, step=5)
    assert calls(world) == []
    assert world.incident.state in {State.DRAINED, State.EASING}
    assert not any(entry.event is Event.ESCALATED for entry in world.incident.log.timeline)


async def test_after_a_restart_people_are_called_while_jobs_wait(world: World) -> None:
    await world.opens(queued=14)
    world.queues(28)
    await starts_again(world)
    await world.passes(BOUND_SECONDS, step=1)
    assert len(calls(world)) == 1


@pytest.mark.parametrize("broken", ["metrics", "alert source"])
async def test_it_waits_for_nobody_longer_than_the_bound(world: World, broken: str) -> None:
    await world.opens(queued=14)
    if broken == "metrics":
        world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await starts_again(world, asks=broken == "metrics")
    await world.work()
    assert calls(world) == []
    await world.passes(BOUND_SECONDS + 5, step=1)
    assert len(calls(world)) == 1


async def test_a_new_incident_is_told_at_once(world: World) -> None:
    """A gap is about what was due in it."""
    world.context.health.resumed_at = world.clock.now() - 1
    await world.opens(queued=14)
    assert GROUP in world.parent.message.text + str(world.parent.message.blocks)


async def held_back_by_slack(world: World) -> None:
    """Slack is down for twenty minutes; meanwhile the queue drains, and the alert resolves."""
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    world.queues(0)
    await world.fires(spoken("a1", firing=False))
    await world.passes(1200, step=60)
    world.chat.script.heal()
    await world.passes(120, step=10)


async def test_an_acknowledgement_that_was_taken_back_calls_nobody_once_the_queue_has_drained(world: World) -> None:
    """What somebody did is told all the same."""
    await world.opens(queued=14)
    await world.done(world.says("ack"))
    await world.says("unack")
    await held_back_by_slack(world)
    assert calls(world) == []
    assert [reply for reply in world.replies if PLAIN[Event.UNACKED] in reply]


async def test_an_acknowledgement_that_is_taken_back_calls_while_jobs_wait(world: World) -> None:
    await world.opens(queued=14)
    await world.says("ack")
    await world.done(world.says("unack"))
    assert len(calls(world)) == 1


async def test_the_owner_of_a_silence_that_is_over_is_not_asked_to_extend_it(world: World) -> None:
    """The reminder waited for Slack until the silence had ended."""
    await world.opens(queued=14)
    await world.done(world.says("silence", "30m"))
    before = len(world.replies)
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    await world.passes(1860, step=60)
    world.chat.script.heal()
    await world.passes(120, step=10)
    timeline = world.incident.log.timeline
    (entry,) = [one for one in timeline if getattr(one.details, "step", None) is SilenceStep.ENDS_SOON]
    assert entry.decisions == (Decision.RAN_OUT,)
    assert not [reply for reply in world.replies[before:] if f"<@{ANA}>" in reply]


async def test_an_escalation_that_slack_held_back_is_judged_when_it_leaves(world: World) -> None:
    """Slack was down until the queue had drained: one reply says so, and none calls."""
    await world.opens(queued=14)
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    await world.passes(16 * 60, step=30)
    assert world.incident.ownership.escalated_at is not None
    await world.fires(spoken("a1", firing=False))
    world.queues(0)
    await world.passes(180, step=30)
    world.chat.script.heal()
    await world.passes(120, step=10)
    assert world.incident.state is State.DRAINED
    assert calls(world) == []
    assert [one.how for one in world.details(IncidentEnded)] == [IncidentEnding.DRAINED]


async def test_an_escalation_that_somebody_overtook_calls_nobody(world: World) -> None:
    await world.opens(queued=14)
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    await world.passes(16 * 60, step=30)
    await world.asks("ack", ANA)
    world.chat.script.heal()
    await world.passes(120, step=10)
    assert calls(world) == []


async def test_the_first_message_of_an_incident_that_is_over_calls_nobody(world: World) -> None:
    """Nor does it say later that somebody was paged."""
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    world.queues(14)
    await world.fires()
    await world.passes(60, step=10)
    await world.fires(spoken("a1", firing=False))
    await world.passes(20, step=10)
    world.chat.script.heal()
    await world.passes(70, step=10)
    assert world.incident.thread.root is not None
    assert "Paged" not in f"{world.parent.message.text} {world.parent.message.blocks}"
