"""Records were lost, or Slack was late: an early warning never stands uncorrected, and never twice."""

from dataclasses import replace

import pytest

from bot.core.pool.early_warning import warning_key, warning_of
from bot.core.record import Change, WarningRecord
from bot.maintenance.repair_threads import recovered
from bot.ports import Failure
from bot.posting.message_key import OVER
from tests.builders import CHANNEL, NOW, POOL
from tests.fakes import SlackMessage
from tests.warnings.test_post_warning import FULL, only, surges, warned, watched
from tests.world import World


def all_lost(world: World) -> None:
    world.data.rows.clear()
    world.data.due.clear()


def notice(world: World) -> WarningRecord:
    found = world.data.rows[f"early:{POOL}"].value
    assert isinstance(found, WarningRecord)
    return found


async def late_second(world: World) -> SlackMessage:
    """A request to post the same warning arrives after all."""
    words, key = only(world).message, only(world).key
    posted = await world.chat.post(CHANNEL, words, key=key)
    return next(message for message in world.chat.messages if message.ts == posted.ts)


def test_a_mark_names_its_pool_and_its_time() -> None:
    """Both ways, also for names with a slash; other marks are none."""
    assert warning_of(warning_key("a/b", NOW)) == ("a/b", NOW)
    assert [warning_of(text) for text in ("i1.abc", "over/early/a/1.000", "early/a", "early//x", "early/a/x", "")] == [
        None
    ] * 6


async def test_a_standing_warning_whose_record_is_lost_says_that_its_outcome_is_not_known() -> None:
    """When it was given, that it is not kept true, and how to see the pool; once, and nothing else is posted."""
    world = await warned()
    began = only(world).key
    all_lost(world)
    assert await recovered(world.context)
    text = only(world).message.text
    assert text.startswith(f"Early warning, outcome unknown: {POOL}.")
    assert "Its outcome is unknown" in text
    assert f"`/queue status {POOL}`" in text
    assert only(world).key == f"{OVER}{began}"
    edits = only(world).edits
    assert await recovered(world.context)
    assert only(world).edits == edits


async def test_a_warning_whose_end_was_told_keeps_its_words() -> None:
    """Its key says that it is over, so the loss of its record takes nothing from it."""
    world = await warned()
    world.queues(0, 0.0, **{**FULL, "busy": 20})
    await world.passes(900, step=60)
    all_lost(world)
    assert await recovered(world.context)
    assert "The limit was not reached" in only(world).message.text


async def test_a_warning_that_is_still_known_is_left_alone() -> None:
    world = await warned()
    before = only(world).message
    assert await recovered(world.context)
    assert only(world).message == before


async def test_a_warning_that_the_pool_still_knows_gets_its_message_back() -> None:
    """The last second was lost, and with it where the message stands: no second one is posted."""
    world = await warned()
    for lost in ("record", "place"):
        if lost == "record":
            del world.data.rows[f"early:{POOL}"]
        else:
            row = world.data.rows[f"early:{POOL}"]
            row.value = replace(notice(world), ts=None, shown="")
        assert await recovered(world.context)
        await surges(world, 3, 120, 1200.0)
        assert notice(world).ts == only(world).ts, lost
        assert world.pool_record().early.standing


async def test_a_message_that_cannot_be_edited_does_not_keep_the_others_from_being_found() -> None:
    """Somebody deleted it; an outage is another matter: then all is done again."""
    world = await warned()
    all_lost(world)
    world.chat.script.fail("update", Failure.UNCONNECTED, times=1)
    assert not await recovered(world.context)
    world.chat.script.fail("update", Failure.GONE, times=1)
    assert await recovered(world.context)
    assert "outcome unknown" not in only(world).message.text


@pytest.mark.parametrize("known", ["first", "second"])
async def test_two_messages_of_one_warning_become_one(known: str) -> None:
    """The older one stays and is kept true, also when the record knows only the younger."""
    world = await watched()
    await surges(world, 20)
    second = await late_second(world)
    if known == "second":
        world.data.rows[f"early:{POOL}"].value = replace(notice(world), ts=second.ts)
    await world.store.commit(Change(wake=("chore:sweep",)))
    await world.work()
    first = world.chat.parents()[0]
    assert second.message.text.startswith("Duplicate, see")
    assert notice(world).ts == first.ts
    assert first.message.text.startswith(f"Early warning: {POOL}")
