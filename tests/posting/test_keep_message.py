"""One poster for every kind of message: its table, the declared exceptions, and the example of the docs."""

import re
from pathlib import Path

import pytest

from bot.context.save import intend
from bot.core.message import Message
from bot.core.record import Change, Digest, Stored
from bot.incidents import digest, thread
from bot.ports import Failure
from bot.posting.failures import TABLE, FailureRule, MessageKind, Reaction
from bot.posting.keep_message import Kept, MessageSpec, keep_message, store_and_release
from bot.reporting import weekly
from bot.warnings import post_warning
from tests.builders import CHANNEL
from tests.world import World

PAGE = (Path(__file__).parents[2] / "docs" / "design" / "posting.md").read_text("utf-8")
KINDS = [digest.KIND, post_warning.KIND, weekly.KIND, thread.THREAD, thread.REPLY_EDIT]
KINDS += [thread.POINTER, thread.RETURN]
PLAIN_KIND = MessageKind("test")
GROWN = 3600.0
"""Longer than any pause of the table."""


def exceptions() -> list[tuple[str, Failure, FailureRule]]:
    return [(k.name, failure, rule) for k in KINDS for rules in (k.posts, k.edits) for failure, rule in rules.items()]


def test_the_table_says_what_every_failure_means() -> None:
    assert set(TABLE) == set(Failure)
    assert all(f"| `{failure.name}` |" in PAGE for failure in Failure)


@pytest.mark.parametrize(("kind", "failure", "rule"), exceptions())
def test_an_exception_departs_from_the_table_and_says_why(kind: str, failure: Failure, rule: FailureRule) -> None:
    assert rule.reaction not in {of.reaction for of in TABLE[failure]}
    (row,) = [line for line in PAGE.splitlines() if f"`{kind}`" in line and f"`{failure.name}`" in line]
    assert rule.reason
    assert rule.reason in row


async def woken(world: World) -> Kept[Digest]:
    """One look at a message of a kind without exceptions."""
    await world.store.commit(Change(wake=(f"digest:{CHANNEL}",)))
    (claim,) = (await world.store.claim(1)).claims
    held = claim.of(Digest)
    if not held.value.begun_at:
        held = await intend(world.context, held, Digest(CHANNEL, begun_at=world.clock.now()))
        held = Stored(held.value, held.version, held.fence, None, held.lease_ends)
    message = Message("Words", ({"type": "divider"},))
    spec = MessageSpec(PLAIN_KIND, CHANNEL, message, "key", since=world.clock.now() - 60)
    kept = await keep_message(world.context, held, spec)
    await store_and_release(world.context, held, kept, None)
    return kept


@pytest.mark.parametrize("editing", [False, True])
@pytest.mark.parametrize("failure", Failure)
async def test_each_failure_ends_with_one_message_that_is_up_to_date(failure: Failure, editing: bool) -> None:
    world = World()
    if editing:
        await woken(world)
        row = world.data.rows[f"digest:{CHANNEL}"]
        assert isinstance(row.value, Digest)
        row.value = Digest(CHANNEL, ts=row.value.ts, begun_at=row.value.begun_at)
    world.chat.script.fail("update" if editing else "post", failure, after=failure is Failure.UNKNOWN)
    kept = await woken(world)
    assert kept.reaction in {TABLE[failure][editing].reaction, Reaction.REST}
    assert kept.due is not None
    for _ in range(8):
        world.clock.advance(max(0.0, min((kept.due or 0) - world.clock.now(), GROWN)))
        kept = await woken(world)
    assert kept.due is None
    assert kept.record.shown
    plain = failure is Failure.SHAPE
    stands = [one for one in world.chat.parents() if one.ts == kept.record.ts]
    assert [bool(one.message.blocks) for one in stands] == [not plain]
    assert len(world.chat.parents()) == (2 if editing and failure is Failure.GONE else 1)
    world.second_stands = True


async def test_pauses_double_and_nothing_wakes_a_message_that_rests(world: World) -> None:
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    for _ in range(300):
        await woken(world)
        world.clock.advance(1)
    assert world.chat.script.count("post") <= 10
    world.chat.script.heal()
    world.clock.advance(60)
    assert (await woken(world)).due is None


async def test_the_example_of_the_docs_keeps_its_message_up_to_date() -> None:
    """About 20 lines make another kind of message."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(block.splitlines()) <= 24
    names: dict[str, object] = {}
    exec(block.replace("Notice", "Digest"), names)
    post_notice = names["post_notice"]
    assert callable(post_notice)
    world = World(slack={"storm": 99})
    for count in range(2):
        await world.store.commit(Change(wake=(f"digest:{CHANNEL}",), join=(("open", f"i{count}"),)))
        (claim,) = [one for one in (await world.store.claim(9)).claims if one.kind == "digest"]
        await post_notice(world.context, claim)
    (notice,) = world.chat.parents()
    assert notice.message.text == "2 open"
