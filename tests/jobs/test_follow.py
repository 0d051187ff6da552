"""Following by words, by the button of an answer, and by that of an incident."""

from dataclasses import replace

import pytest

from bot.core.jobs.answer import JobStanding
from bot.core.jobs.follow import MOST_FOLLOWED, job_value
from bot.core.requests.interaction import Interaction, Surface
from bot.notifications.follows import follows_of
from bot.requests.permission import TooOften, check_rate
from bot.views.home import Board, home
from tests.builders import CHANNEL, NOW, POOL
from tests.jobs.test_find import JOB, URL, Known
from tests.jobs.test_watch_followed import waiting
from tests.world import ANA, BEN, TEAM, World, refused


async def test_the_button_of_an_answer_and_that_of_an_incident_follow_too() -> None:
    world = await waiting()
    await world.asks("follow", BEN, request_id=job_value(URL))
    incident = await world.opens(queued=60)
    await world.asks("follow", BEN)
    assert {one.target for one in await follows_of(world.context, BEN)} == {URL, *incident.pools.affected}


async def test_nobody_follows_more_than_twenty() -> None:
    world = await waiting()
    for number in range(MOST_FOLLOWED):
        await world.types("follow", f"{URL}{number}")
    await refused("20", world.types("follow", POOL))


async def test_what_does_not_wait_is_not_followed() -> None:
    world = await waiting()
    world.context.jobs = Known(replace(JOB, state=JobStanding.RUNNING))
    await refused("does not wait", world.types("follow", URL))
    world.queues(0)
    await world.passes(120)
    await refused("nothing to follow", world.types("follow", POOL))


async def test_app_home_lists_what_somebody_follows() -> None:
    world = await waiting()
    await world.types("follow", POOL)
    page = str(home(Board(follows=await follows_of(world.context, ANA)), NOW, world.context.settings.file.paces))
    assert "Following" in page
    assert POOL in page


async def test_any_number_of_people_may_press_the_same_button_in_a_minute() -> None:
    """What concerns nobody but the person is not counted as requests on the incident."""
    world = World()
    press = Interaction("follow", "", TEAM, CHANNEL, Surface.BUTTON, "k", request_id="i1.abc")
    for number in range(200):
        await check_rate(world.context, replace(press, who=f"U{number}"))

    async def acknowledged() -> None:
        for number in range(200):
            await check_rate(world.context, replace(press, name="ack", who=f"U{number}"))

    with pytest.raises(TooOften):
        await acknowledged()
