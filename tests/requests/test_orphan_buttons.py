"""A button whose record is lost: a polite sentence, and the button goes."""

from dataclasses import replace

from bot.core.requests.interaction import request_id
from tests.builders import CHANNEL
from tests.handlers.endpoint import Endpoint, Json
from tests.world import ANA


async def opened() -> tuple[Endpoint, str, str]:
    """A web process, its first message, and what its Acknowledge button carries."""
    endpoint = Endpoint()
    await endpoint.world.opens()
    return endpoint, endpoint.world.parent.ts, request_id(endpoint.world.incident, "ack")


async def pressed(endpoint: Endpoint, request_id: str, ts: str) -> None:
    action = {"type": "button", "action_id": "ack", "block_id": "b", "value": request_id}
    where: Json = {"type": "message", "message_ts": ts, "channel_id": CHANNEL, "is_ephemeral": False}
    await endpoint.interaction("block_actions", ANA, actions=[action], container=where, channel={"id": CHANNEL})


def has_buttons(endpoint: Endpoint) -> bool:
    (stored,) = endpoint.world.chat.parents()
    return any(block["type"] == "actions" for block in stored.message.blocks)


async def test_a_click_after_the_records_were_lost_takes_the_buttons_away() -> None:
    """The person is told, the message says so, and its key stays so that its group can go on there."""
    endpoint, root, request = await opened()
    async with endpoint:
        key = endpoint.world.parent.key
        endpoint.world.data.rows.clear()
        endpoint.world.data.indexes.clear()
        await pressed(endpoint, request, root)
        assert "no longer knows this incident" in endpoint.world.chat.whispers[0][2].text
        assert not has_buttons(endpoint)
        assert endpoint.world.chat.parents()[0].key == key


async def test_while_the_records_are_being_healed_nothing_is_taken_away() -> None:
    endpoint, root, request = await opened()
    async with endpoint:
        taken = {f"thread:{CHANNEL}:{root}": "i2"}
        for lost, indexes in ((True, {}), (False, taken)):
            endpoint.world.data.rows.clear()
            endpoint.world.data.indexes.clear()
            endpoint.world.data.indexes.update(indexes)
            endpoint.store.lost = lost
            await pressed(endpoint, request, root)
            assert has_buttons(endpoint)


async def test_before_the_first_message_is_confirmed_its_button_works() -> None:
    """A worker may die between Slack's answer and the record: the request id alone says what is meant then."""
    endpoint, root, request = await opened()
    async with endpoint:
        row = next(row for row in endpoint.world.data.rows.values() if row.value == endpoint.world.incident)
        incident = endpoint.world.incident
        row.value = replace(incident, thread=replace(incident.thread, root=None))
        await pressed(endpoint, request, root)
        assert endpoint.world.incident.ownership.owner == ANA
