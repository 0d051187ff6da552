"""Reminders: a mention in the thread unless the queue has drained, judged again when it leaves."""

import pytest

from bot.core.incident.incident import State
from bot.core.incident.timeline import Event
from bot.people.remind import LEAST_SECONDS, MOST_REMINDERS, MOST_SECONDS
from bot.registry import wake_all
from bot.views.words import refusals
from tests.wording import queue
from tests.world import ANA, BEN, World, refused, settings, spoken, whisper


def reminders(world: World) -> list[str]:
    """The replies that mention a person first."""
    return [reply for reply in world.replies if reply.startswith((f"<@{ANA}>, ", f"<@{BEN}>, "))]


async def drains(world: World) -> None:
    world.queues(0)
    await world.fires(spoken(firing=False))
    await world.passes(180, 30)
    assert world.incident.state is State.DRAINED


async def test_who_asked_is_mentioned_with_the_state_of_then(world: World) -> None:
    await world.opens(queued=14)
    assert f"<!date^{world.clock.now() + 1800:.0f}" in whisper(await world.says("remind", "30m")).text
    world.queues(28)
    await world.passes(1770, 295)
    assert reminders(world) == []
    await world.passes(30, 30)
    (reply,) = reminders(world)
    assert "<!subteam" not in reply
    assert reply.startswith(f"<@{ANA}>")
    assert queue(28) in reply
    entry = next(one for one in world.incident.log.timeline if one.event is Event.REMINDER)
    assert entry.who == ANA
    audit = [one for _, one, _ in world.data.trail if one.what == "remind"]
    assert [(one.who, one.parameters, one.outcome) for one in audit] == [(ANA, {"text": "30m"}, "reminder set")]
    await world.passes(3600, 1200)
    assert len(reminders(world)) == 1


async def test_a_drained_incident_reminds_nobody(world: World) -> None:
    await world.opens()
    await world.says("remind", "me", "in", "1", "hour")
    await drains(world)
    await world.passes(3600, 1200)
    assert reminders(world) == []
    assert world.due("tell") is None


async def test_a_queue_that_is_back_to_normal_while_the_alert_fires_is_waited_for(world: World) -> None:
    """It drains, and nobody is reminded; or jobs queue again, and then it comes."""
    await world.opens()
    await world.says("remind", "10m")
    await world.passes(540, 180)
    world.queues(0)
    await world.passes(300, 60)
    assert (world.incident.state, reminders(world)) == (State.EASING, [])
    world.queues(30)
    await world.passes(60, 30)
    assert len(reminders(world)) == 1


@pytest.mark.parametrize("queued", [0, 40])
async def test_one_that_fell_due_meanwhile_is_judged_by_figures_of_now(world: World, queued: int) -> None:
    """Tailback was down when it was due. The record says 14 jobs; it comes only if jobs wait after the restart."""
    await world.opens(queued=14)
    await world.says("remind", "10m")
    world.queues(queued)
    world.clock.advance(1800)
    world.context = world.process(settings())
    world.context.health.resumed_at = world.clock.now()
    await world.store.commit(wake_all())
    await world.passes(300 if queued == 0 else 60, step=5)
    assert [queue(queued) in reply for reply in reminders(world)] == ([True] if queued else [])


async def test_five_wait_at_a_time_of_everybody(world: World) -> None:
    """One that has come makes room for another."""
    await world.opens()
    for number in range(MOST_REMINDERS):
        await world.says("remind", f"{10 + number}m", who=ANA if number % 2 else BEN)
    await refused(refusals.too_many_reminders(MOST_REMINDERS, 600.0), world.says("remind", "5m"))
    await world.passes(660, 110)
    assert len(reminders(world)) == 2
    await world.says("remind", "5m")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), refusals.REMIND_WHEN),
        (("later",), refusals.REMIND_WHEN),
        (("5s",), refusals.reminder_range(LEAST_SECONDS, MOST_SECONDS)),
        (("3d",), refusals.reminder_range(LEAST_SECONDS, MOST_SECONDS)),
    ],
)
async def test_it_needs_a_time(world: World, words: tuple[str, ...], why: str) -> None:
    await world.opens()
    await refused(why, world.says("remind", *words))
    assert world.due("tell") is None


async def test_it_follows_the_thread(world: World) -> None:
    """The first message was deleted: the reminder comes in the new thread."""
    await world.opens()
    await world.says("remind", "10m")
    world.chat.delete(world.incident.thread.channel, world.incident.thread.root or "")
    world.queues(60)
    await world.passes(630, 105)
    assert len(reminders(world)) == 1


async def test_two_processes_remind_once(world: World) -> None:
    await world.opens()
    await world.says("remind", "10m")
    world.clock.advance(600)
    (claim,) = await world.claims("tell")
    await world.tell(claim, world.process(settings()))
    await world.passes(300, 60)
    assert len(reminders(world)) == 1
