"""Two installations with one token in one channel: neither edits, adopts or ends what the other posted."""

import pytest

from bot.core.message import Message
from bot.core.requests.interaction import Interaction, Surface, request_id
from bot.maintenance.repair_threads import STRANGERS, deduplicate_threads, recovered
from bot.ports import Failure
from handlers.slack_app.app import answered
from handlers.slack_app.respond import tell
from tests.builders import CHANNEL
from tests.fakes import SlackMessage
from tests.maintenance.test_repair_threads import all_lost
from tests.warnings.test_post_warning import only, warned
from tests.world import ANA, TEAM, World, spoken


def beside(first: World, installation: str = "staging") -> World:
    """A second Tailback with records of its own, in the same workspace."""
    second = World()
    second.chat = second.context.chat = first.chat.beside(installation)
    second.numbers = iter(range(50_000, 60_000))
    return second


async def pressed(world: World, name: str, message: SlackMessage, value: str) -> str:
    """Slack gives a click to this installation; what the person reads privately."""
    thread, key = message.thread, f"k{next(world.numbers)}"
    click = Interaction(
        name, ANA, TEAM, CHANNEL, Surface.BUTTON, key, request_id=value, thread=thread, message=message.ts
    )
    await tell(world.context, click, await answered(world.context, click))
    return world.chat.whispers[-1][2].text


async def test_an_installation_that_starts_beside_threads_of_another_leaves_them_alone() -> None:
    """Its store is empty, and yet nothing was lost: no thread is adopted, and the one that is due is its own."""
    first = await World.opened()
    before = [(one.ts, one.message, one.edits) for one in first.chat.messages]
    second = beside(first)
    assert await recovered(second.context)
    assert await second.store.find(STRANGERS) == "default"
    await second.opens()
    await deduplicate_threads(second.context)
    assert [(one.ts, one.message, one.edits) for one in first.chat.messages][: len(before)] == before
    assert second.incident.thread.root != first.incident.thread.root
    assert {one.installation for one in first.chat.parents()} == {"default", "staging"}


async def test_each_ends_its_own_thread() -> None:
    first = await World.opened()
    second = beside(first)
    await second.opens()
    theirs = second.parent.message
    await first.fires(spoken(firing=False))
    first.queues(0)
    await first.passes(300, step=30)
    assert first.incident.closed
    assert second.parent.message == theirs
    all_lost(first)
    assert await recovered(first.context)
    assert second.parent.message == theirs


async def test_a_loss_of_records_still_goes_on_in_ones_own_thread() -> None:
    """The id is not in Redis, so it survives `FLUSHALL`; the other installation's thread of the same group stays."""
    first = await World.opened()
    second = beside(first)
    await second.opens()
    theirs, root = second.parent.message, first.incident.thread.root
    all_lost(first)
    assert await recovered(first.context)
    await first.fires()
    await first.work()
    assert first.incident.thread.root == root
    assert second.parent.message == theirs


async def test_an_early_warning_of_another_installation_keeps_its_words() -> None:
    first = await warned()
    words, edits = only(first).message, only(first).edits
    assert await recovered(beside(first).context)
    assert (only(first).message, only(first).edits) == (words, edits)


@pytest.mark.parametrize("name", ["ack", "silence", "scale_up", "diagnose"])
async def test_a_click_on_another_installations_message_is_answered_privately(name: str) -> None:
    """Nothing is edited, and the person reads whose it is, what to do, and what to write if that one is gone."""
    first = await World.opened()
    second, before = beside(first), first.parent.message
    reply = await pressed(second, name, first.parent, request_id(first.incident, name))
    assert reply.startswith("Nothing was changed. This message is from another Tailback with the same app, `default`.")
    assert 'write `installation = "default"`' in reply
    assert first.parent.message == before
    assert second.chat.script.count("update") == 0


async def test_a_click_on_another_installations_reply_is_answered_privately() -> None:
    """Such as Extend or Undo; the thread's first message tells whose it is."""
    first = await World.opened()
    second, root = beside(first), first.parent
    await first.chat.post(CHANNEL, Message("Scaled."), key="i1/9", thread=root.ts)
    reply = await pressed(second, "extend", first.chat.thread(root.ts)[-1], "i1.act")
    assert "another Tailback" in reply


async def test_a_message_that_cannot_be_read_back_is_left_alone() -> None:
    """Whose it is is unknown, which is not ours."""
    first = await World.opened()
    second, before = beside(first), first.parent.message
    second.chat.script.fail("stranger", Failure.UNKNOWN)
    reply = await pressed(second, "ack", first.parent, request_id(first.incident, "ack"))
    assert reply == "Nothing was changed. Tailback no longer knows this incident."
    assert first.parent.message == before


async def test_a_message_of_ours_without_a_record_loses_its_buttons() -> None:
    world = await World.opened()
    message, value = world.parent, request_id(world.incident, "ack")
    all_lost(world)
    world.store.accept_loss()
    await pressed(world, "ack", message, value)
    assert message.message.text.startswith("The record of this incident was lost")
