"""A workflow's mention has no permissions of its own, and in a direct conversation no incident can be open."""

import pytest

from bot.core.requests.interaction import request_id
from tests.handlers.endpoint import Endpoint
from tests.world import ANA, BEN, spoken

DIRECT = "D0ANA"


async def workflow(endpoint: Endpoint, ts: str = "9.0", **parts: str) -> None:
    """What Slack sends when a step of a workflow mentions the app: no `user`."""
    event = {"user": "", "bot_id": "B0FLOW", "subtype": "bot_message", "ts": ts, "event_id": f"Ev{ts}"}
    await endpoint.mention("scale linux.2xlarge 40", **{**event, **parts})


async def test_a_workflow_is_told_once_an_hour_that_it_has_no_permissions(endpoint: Endpoint) -> None:
    """In the thread, without a mention; nothing is carried out."""
    world = endpoint.world
    root = world.incident.thread.root or ""
    before = len(world.chat.thread(root))
    for minute in range(3):
        await workflow(endpoint, ts=f"9.{minute}", thread_ts=root)
        world.clock.advance(60)
    (reply,) = world.chat.thread(root)[before:]
    assert "a workflow has no permissions of its own" in reply.message.text
    assert "<" not in reply.message.text
    assert world.scaler.requests == []
    world.clock.advance(3600)
    await workflow(endpoint, thread_ts=root)
    assert len(world.chat.thread(root)) == before + 2


async def test_the_edit_of_a_workflows_message_is_not_answered(endpoint: Endpoint) -> None:
    before = len(endpoint.world.chat.messages)
    await workflow(endpoint, edited={"ts": "9.1"})  # type: ignore[arg-type]  # as Slack has it
    assert len(endpoint.world.chat.messages) == before


@pytest.mark.parametrize("verb", ["ack", "mute"])
async def test_in_a_direct_message_the_open_incidents_are_offered(endpoint: Endpoint, verb: str) -> None:
    """Also a single one, which the person did not see while typing; its button works there."""
    world = endpoint.world
    reply = (await endpoint.slash(verb, channel=DIRECT)).json()
    value = request_id(world.incident, verb)
    assert value in str(reply["blocks"])
    assert reply["text"].startswith("1 incident is open. Press to go on.")
    assert not world.incident.uses
    await endpoint.press(verb, value, channel={"id": DIRECT}, container={"channel_id": DIRECT, "message_ts": "8.0"})
    assert world.incident.uses == {verb: 1}


async def test_incidents_of_channels_that_the_person_cannot_read_are_not_offered(endpoint: Endpoint) -> None:
    world = endpoint.world
    world.chat.private[world.incident.thread.channel] = frozenset({BEN})
    reply = (await endpoint.slash("ack", channel=DIRECT)).json()["text"]
    assert reply == "Nothing was changed. No incident is open in a channel that you can read."
    value, here = request_id(world.incident, "ack"), {"id": DIRECT}
    await endpoint.press("ack", value, ANA, channel=here, container={"channel_id": DIRECT, "message_ts": "8.0"})
    assert not world.incident.ownership.owner


async def test_several_incidents_are_offered_most_urgent_first(endpoint: Endpoint) -> None:
    await endpoint.world.fires(spoken("b1"), group_key="two")
    await endpoint.world.work()
    reply = (await endpoint.slash("ack", channel=DIRECT)).json()
    assert reply["text"].startswith("2 incidents are open. Choose one.")
