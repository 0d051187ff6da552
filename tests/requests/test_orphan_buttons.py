"""A button whose record is lost: a polite sentence, and the button goes."""

from dataclasses import replace

from bot.core.requests.offer import request_id
from tests.builders import CHANNEL
from tests.handlers.endpoint import Door, Json
from tests.world import ANA


async def opened() -> tuple[Door, str, str]:
    """A door, the first message behind it, and what its Acknowledge button carries."""
    door = Door()
    await door.world.opens()
    return door, door.world.parent.ts, request_id(door.world.incident, "ack")


async def pressed(door: Door, request_id: str, ts: str) -> None:
    """Ana presses Acknowledge on the message `ts`."""
    action = {"type": "button", "action_id": "ack", "block_id": "b", "value": request_id}
    where: Json = {"type": "message", "message_ts": ts, "channel_id": CHANNEL, "is_ephemeral": False}
    await door.interaction("block_actions", ANA, actions=[action], container=where, channel={"id": CHANNEL})


def has_buttons(door: Door) -> bool:
    """Whether the first message can still be pressed."""
    (stored,) = door.world.chat.parents()
    return any(block["type"] == "actions" for block in stored.message.blocks)


async def test_a_click_after_the_records_were_lost_takes_the_buttons_away() -> None:
    """The person is told, the message says so, and its key stays so that its group can go on there."""
    door, root, request = await opened()
    async with door:
        key = door.world.parent.key
        door.world.data.rows.clear()
        door.world.data.indexes.clear()
        await pressed(door, request, root)
        assert "no longer knows this incident" in door.world.chat.whispers[0][2].text
        assert not has_buttons(door)
        assert door.world.chat.parents()[0].key == key


async def test_while_the_records_are_being_healed_nothing_is_taken_away() -> None:
    door, root, request = await opened()
    async with door:
        taken = {f"thread:{CHANNEL}:{root}": "i2"}
        for lost, indexes in ((True, {}), (False, taken)):
            door.world.data.rows.clear()
            door.world.data.indexes.clear()
            door.world.data.indexes.update(indexes)
            door.store.lost = lost
            await pressed(door, request, root)
            assert has_buttons(door)


async def test_before_the_first_message_is_confirmed_its_button_works() -> None:
    """A worker may die between Slack's answer and the record: the request id alone says what is meant then."""
    door, root, request = await opened()
    async with door:
        row = next(row for row in door.world.data.rows.values() if row.value == door.world.incident)
        incident = door.world.incident
        row.value = replace(incident, thread=replace(incident.thread, root=None))
        await pressed(door, request, root)
        assert door.world.incident.ownership.owner == ANA
