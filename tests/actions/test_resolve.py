"""Resolve by hand: behind a question, once, and with a farewell."""

import pytest

from bot.actions import resolve
from bot.core.incident import State
from bot.ports import Refused
from tests.stories.world import ANA, BEN, World


async def test_the_menu_asks_first() -> None:
    """The entry opens a question; nothing has happened yet."""
    world = World()
    await world.opens()
    answer = await world.asks("resolve")
    assert answer.view is not None
    assert answer.view["callback_id"] == "resolve"
    assert not world.incident.closed


async def test_confirmed_it_closes_and_says_who_did() -> None:
    """The parent shows it, its buttons go, the farewell is told in the channel."""
    world = World()
    await world.opens(queued=14)
    await world.asks("resolve", BEN, surface="dialog")
    await world.work()
    assert world.incident.state is State.RESOLVED
    assert not [block for block in world.parent.message.blocks if block["type"] == "actions"]
    farewell = world.chat.thread(world.parent.ts)[-1]
    assert f"<@{BEN}> closed this incident by hand" in farewell.message.text
    assert "Peak of linux.2xlarge: 14 jobs queued" in farewell.message.text


async def test_in_words_it_needs_no_second_question() -> None:
    """`@tailback resolve` in the thread was typed on purpose."""
    world = World()
    await world.opens()
    await world.says("resolve")
    assert world.incident.closed


async def test_two_people_confirm_and_one_closes() -> None:
    """The second one hears who did."""
    world = World()
    await world.opens()
    entry = {"act": resolve.act_id(world.incident, "resolve"), "surface": "dialog"}
    await world.asks("resolve", ANA, **entry)
    with pytest.raises(Refused) as raised:
        await world.asks("resolve", BEN, **entry)
    assert raised.value.who == ANA
    assert len([entry for entry in world.incident.timeline if entry.who]) == 1


async def test_what_is_over_cannot_be_closed_again() -> None:
    """By words, in the thread of what is over."""
    world = World()
    await world.opens()
    await world.says("resolve")
    with pytest.raises(Refused, match="This incident is over"):
        await world.says("resolve")
