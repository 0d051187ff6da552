"""The private answer: what it says, where it is said, and that nobody reads what they may not know."""

import asyncio

from bot.core.jobs.found import FoundJobs
from bot.core.message import Message
from bot.core.pool.pool import Job
from bot.core.requests.interaction import Surface
from tests.builders import CHANNEL
from tests.jobs.test_find import JOB, URL, Known, put, queueing
from tests.world import BEN, World, whisper


async def private_answer(world: World, *jobs: object, **parts: str) -> str:
    world.context.jobs = Known(*(jobs or (JOB,)))  # type: ignore[arg-type]  # a test's own jobs
    return whisper(await world.types("job", URL, **parts)).text


async def test_the_link_of_the_incident_is_shown_only_to_who_may_see_its_channel() -> None:
    world = await World.opened()
    await put(world, queueing())
    assert "|Incident>" in await private_answer(world, who=BEN, channel="C0OTHER")
    world.chat.private[CHANNEL] = frozenset()
    text = await private_answer(world, who="U0CAM", channel="C0OTHER")
    assert "|Incident>" not in text
    assert world.incident.id not in text


async def test_no_other_job_is_named() -> None:
    """The sample names the longest waiting jobs; they are counted and no more."""
    world = World()
    other = Job("another job", 3000.0, "org/other", "https://github.com/org/other/actions/runs/1/job/2")
    await put(world, queueing(waiting=(other,)))
    text = await private_answer(world)
    assert "ahead" in text
    assert "other" not in text


async def test_a_shortcut_takes_the_first_address_of_the_message_that_names_a_job() -> None:
    world = World()

    class Some:
        async def find(self, url: str) -> FoundJobs:
            return FoundJobs((JOB,)) if url == URL else FoundJobs(reason=None)

    world.context.jobs = Some()
    answer = await world.asks("job", surface=Surface.SHORTCUT, links=("https://example.com", URL))
    assert "test (default)" in whisper(answer).text
    assert "names no job" in whisper(await world.asks("job", surface=Surface.SHORTCUT)).text


async def test_a_source_that_takes_long_is_answered_later_for_this_person_alone() -> None:
    world = World()
    world.context.making.patience_seconds = 0.01
    go = asyncio.Event()

    class Slow:
        async def find(self, url: str) -> FoundJobs:
            await go.wait()
            return FoundJobs((JOB,))

    world.context.jobs = Slow()
    assert "being looked up" in whisper(await world.types("job", URL, reply_url="https://hooks.example/1")).text
    go.set()
    await world.passes(5, step=1)
    [(_, message, _)] = world.chat.responses
    assert isinstance(message, Message)
    assert "test (default)" in message.text


async def test_without_an_address_the_usage_is_shown() -> None:
    assert "Write `job" in whisper(await World().types("job")).text
