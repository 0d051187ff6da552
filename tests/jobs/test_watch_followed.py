"""What a follower is told: one direct message, once, to who may still hear it."""

from dataclasses import replace

import pytest

from bot.core.external import Person
from bot.core.jobs.answer import JobStanding
from bot.core.jobs.follow import FOLLOWED_SECONDS, FollowEvent
from bot.core.jobs.found import Unfound
from bot.core.notifications.tell import FollowNews, Tell
from bot.core.record import Change
from bot.notifications.follows import follows_of
from bot.playground.slack.limits import Limits, Meter
from tests.builders import POOL
from tests.jobs.test_find import JOB, URL, Known
from tests.world import ANA, OTHER_POOL, World, whisper

DRAIN_SECONDS = 600.0


async def waiting(queued: int = 60) -> World:
    """Jobs wait in the pool, which is measured at every watch; the job of these tests waits too."""
    world = World()
    world.queues(queued, busy=40, idle=0, arrivals_per_minute=2.0, starts_per_minute=2.0)
    world.context.jobs = Known(JOB)
    await world.store.commit(Change(wake=(f"pool:{POOL}",)))
    await world.passes(600)
    return world


def news(world: World) -> list[FollowNews]:
    """What followers were told, as it is stored, in order."""
    tells = [row.value for row in world.data.rows.values() if isinstance(row.value, Tell)]
    return [one.about for one in sorted(tells, key=lambda one: one.when) if isinstance(one.about, FollowNews)]


async def becomes(world: World, state: JobStanding, **parts: object) -> None:
    """The job goes on, and a poll sees it."""
    world.context.jobs = Known(replace(JOB, state=state, **parts))  # type: ignore[arg-type]  # a test's own fields
    await world.passes(60)


async def test_a_follower_of_a_pool_is_told_once_when_it_has_drained() -> None:
    world = await waiting()
    answer = whisper(await world.types("follow", POOL))
    assert POOL in answer.text
    await world.passes(DRAIN_SECONDS)
    assert world.direct(ANA) == []
    world.queues(0)
    await world.passes(DRAIN_SECONDS)
    [message] = world.direct(ANA)
    assert message.startswith(f"{POOL} has drained")
    world.queues(60)
    await world.passes(DRAIN_SECONDS)
    world.queues(0)
    await world.passes(DRAIN_SECONDS)
    assert len(world.direct(ANA)) == 1
    assert await follows_of(world.context, ANA) == []


async def test_a_queue_that_doubles_is_told_once_and_does_not_end_it() -> None:
    world = await waiting()
    await world.types("follow", POOL)
    world.queues(130)
    await world.passes(DRAIN_SECONDS)
    assert len(world.direct(ANA)) == 1
    assert [(one.event, one.queued) for one in news(world)] == [(FollowEvent.WORSE, 130)]
    world.queues(300)
    await world.passes(DRAIN_SECONDS)
    assert len(world.direct(ANA)) == 1
    world.queues(0)
    await world.passes(DRAIN_SECONDS)
    assert len(world.direct(ANA)) == 2
    assert (news(world)[1].event, news(world)[1].target) == (FollowEvent.DRAINED, POOL)


async def test_a_follower_of_a_job_is_told_when_it_starts() -> None:
    world = await waiting()
    await world.types("follow", URL)
    await world.passes(60)
    assert world.direct(ANA) == []
    await becomes(world, JobStanding.RUNNING, started_at=world.clock.now())
    [message] = world.direct(ANA)
    assert "test (default)" in message
    assert [one.event for one in news(world)] == [FollowEvent.STARTED]
    await becomes(world, JobStanding.ENDED)
    assert len(world.direct(ANA)) == 1


@pytest.mark.parametrize("conclusion", ["cancelled", "skipped"])
async def test_a_job_that_never_starts_ends_it(conclusion: str) -> None:
    world = await waiting()
    await world.types("follow", URL)
    await becomes(world, JobStanding.ENDED, conclusion=conclusion)
    assert len(world.direct(ANA)) == 1
    (ended,) = news(world)
    assert (ended.event, [one.conclusion for one in ended.jobs]) == (FollowEvent.ENDED, [conclusion])


async def test_a_job_that_its_source_forgot_ends_it_and_one_that_it_cannot_tell_does_not() -> None:
    world = await waiting()
    await world.types("follow", URL)
    world.context.jobs = Known(reason=Unfound.UNREACHABLE)
    await world.passes(60)
    assert world.direct(ANA) == []
    world.context.jobs = Known(reason=Unfound.NOT_FOUND)
    await world.passes(60)
    assert len(world.direct(ANA)) == 1
    assert [one.event for one in news(world)] == [FollowEvent.LOST]


async def test_a_pool_that_is_gone_from_the_configuration_is_told_once() -> None:
    world = await waiting()
    await world.types("follow", POOL)
    world.context.settings.file.pool.pop(POOL)
    await world.passes(120)
    [message] = world.direct(ANA)
    assert "no longer configured" in message


async def test_after_a_day_it_ends() -> None:
    world = World()
    world.context.jobs = Known(JOB)
    await world.types("follow", URL)
    await world.passes(FOLLOWED_SECONDS + 3600, step=3600)
    assert "within a day" in world.direct(ANA)[0]
    assert await follows_of(world.context, ANA) == []


async def test_who_has_left_or_lost_the_permission_is_told_nothing() -> None:
    world = await waiting()
    await world.types("follow", POOL)
    world.chat.people[ANA] = Person(ANA, full_member=False)
    world.queues(0)
    await world.passes(DRAIN_SECONDS)
    assert world.direct(ANA) == []


async def test_two_workers_and_a_restart_tell_it_once() -> None:
    """Both take what is due; one of them dies after each step."""
    world = await waiting()
    await world.types("follow", POOL)
    other = world.process(world.context.settings)
    other.jobs = world.context.jobs
    world.queues(0)
    for _ in range(60):
        world.clock.advance(10)
        for kind in ("pool", "follow", "tell"):
            for claim in await world.claims(kind):
                await world.tell(claim, other)
        await world.work()
    assert len(world.direct(ANA)) == 1


async def test_a_direct_message_waits_behind_first_messages_of_incidents() -> None:
    world = await waiting()
    await world.types("follow", POOL)
    world.queues(0)
    for _ in range(60):
        world.context.health.crowded["C0CIONCALL"] = world.clock.now() + 15
        await world.passes(10)
    assert world.direct(ANA) == []
    await world.passes(60)
    assert len(world.direct(ANA)) == 1


async def test_a_thousand_followers_are_told_once_within_twenty_minutes_and_incidents_before_them() -> None:
    """One direct message a second, whatever else happens; a new incident's thread opens at once."""
    world = await waiting()
    people = [f"U{number:07d}" for number in range(1000)]
    for who in people:
        await world.types("follow", POOL, who=who)
    world.queues(0)
    while not world.chat.messages:
        world.clock.advance(5)
        await world.work()
    began = world.clock.now()
    for second in range(1200):
        world.clock.advance(1)
        await world.work()
        if second == 300:
            world.queues(40, pool=OTHER_POOL)
            incident = await world.opens()
            assert incident.thread.root is not None
    direct = [one for one in world.chat.messages if one.channel in set(people)]
    assert sorted(one.channel for one in direct) == people
    times = [float(one.ts) for one in sorted(direct, key=lambda one: float(one.ts))]
    assert times[-1] - began <= 1200
    left = iter(times)
    meter = Meter(replace(Limits(), channel_burst=1), lambda: float(int(next(left))))
    for _ in times:
        meter.count("chat.postMessage", "all of them, as if they were one channel")
