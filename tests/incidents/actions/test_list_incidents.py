"""List: the open incidents, with their threads, for the person who asks."""

from bot.core.requests.interaction import request_id
from bot.ports import Failure
from tests.builders import CHANNEL
from tests.world import World, whisper


async def text(world: World) -> str:
    return whisper(await world.types("list")).text


async def test_every_open_incident_is_listed_with_its_thread(world: World) -> None:
    await world.opens()
    first = world.incident
    root = first.thread.root or ""
    world.clock.advance(1)
    await world.done(world.fires(group_key="another"))
    answer = await text(world)
    assert answer.startswith("2 open incidents")
    assert f"https://slack.test/archives/{CHANNEL}/p{root.replace('.', '')}" in answer
    await world.asks("resolve", surface="dialog", request_id=request_id(first, "resolve"))
    assert (await text(world)).startswith("1 open incident:")


async def test_a_link_that_slack_does_not_give_is_left_out(world: World) -> None:
    await world.opens()
    world.chat.script.fail("permalink", Failure.UNKNOWN, times=None)
    answer = await text(world)
    assert answer.startswith("1 open incident")
    assert "https://slack.test" not in answer
