"""Many incidents at once in one channel: a digest names them all within seconds, and ends when each has its thread."""

import pytest

from bot.core.record import Digest
from bot.ports import Failure
from tests.builders import CHANNEL, alert
from tests.fakes import SlackMessage
from tests.patience import LONG
from tests.world import World

MANY = 500 if LONG else 340
PACED = {"pace": "1s", "edit_pace": "1s", "storm": 4}


def digests(world: World) -> list[SlackMessage]:
    return [stored for stored in world.chat.parents() if stored.key.startswith("digest/")]


def record(world: World) -> Digest:
    found = world.data.rows[f"digest:{CHANNEL}"].value
    assert isinstance(found, Digest)
    return found


async def burst(world: World, count: int) -> None:
    for number in range(count):
        await world.fires(group_key=f"g{number}", title=f"Queue {number:02} is long")
    await world.work()


async def test_all_that_wait_are_named_within_seconds() -> None:
    world = World(slack=PACED)
    await burst(world, 90)
    await world.passes(3, step=1)
    assert len(digests(world)) == 1
    threads = {stored.key.partition(".")[0] for stored in world.chat.parents()}
    assert threads | set(record(world).named) >= {f"i{number}" for number in range(1, 91)}


async def test_those_that_the_digest_does_not_hold_are_named_once_in_replies_below_it() -> None:
    """Hundreds of long names: each stands in the digest or in one reply of its thread, within seconds."""
    world = World(slack=PACED)
    for number in range(MANY):
        await world.fires(group_key=f"g{number}", title=f"Queue {number:03} " + "t" * 60)
    await world.work()
    await world.passes(10, step=1)
    (digest,) = digests(world)
    below = [one for one in world.chat.messages if one.thread == digest.ts]
    assert 1 < len(below) < 8
    assert len({one.key for one in below}) == len(below)
    texts = [str(one.message.blocks) for one in (digest, *below)]
    opened = " ".join(str(one.message.blocks) for one in world.chat.parents())
    for number in range(MANY):
        named = sum(f"Queue {number:03} " in text for text in texts[1:])
        assert named == 1 or (named == 0 and f"Queue {number:03} " in opened + texts[0])
    for one in below:
        world.chat.delete(CHANNEL, one.ts)
    await world.passes(5, step=1)
    assert not [one for one in digests(world) if one.thread], "a reply is never posted again"


async def test_the_digest_is_kept_up_to_date_and_says_when_all_have_their_threads() -> None:
    world = World(slack=PACED)
    await burst(world, 20)
    await world.passes(19, step=1)
    assert len(world.chat.parents()) == 21, "editing it takes no turn from the threads"
    await world.passes(11, step=1)
    (digest,) = digests(world)
    assert digest.edits > 1
    assert "have their own threads now" in digest.message.text
    assert len(world.chat.parents()) == 21
    assert record(world) == Digest(CHANNEL)
    assert world.due("digest") is None


async def test_a_few_that_wait_make_no_digest() -> None:
    world = World(slack={**PACED, "storm": 10})
    await burst(world, 8)
    await world.passes(30, step=1)
    assert digests(world) == []
    assert len(world.chat.parents()) == 8


async def test_the_next_storm_has_a_digest_of_its_own() -> None:
    world = World(slack=PACED)
    await burst(world, 10)
    await world.passes(30, step=1)
    for number in range(10):
        await world.fires(group_key=f"h{number}")
    await world.passes(30, step=1)
    first, second = digests(world)
    assert first.key != second.key
    numbers = [int(stored.message.text.split()[1]) for stored in (first, second)]
    assert all(number in {7, 8, 10} for number in numbers)


@pytest.mark.parametrize("sent", [True, False])
async def test_a_worker_that_dies_while_it_posts_leaves_one_digest(sent: bool) -> None:
    world = World(slack=PACED)
    world.chat.script.fail("post", after=sent, error=RuntimeError("killed"), skip=3)
    await burst(world, 15)
    with pytest.raises(RuntimeError):
        await world.passes(5, step=1)
    assert record(world).begun_at > 0
    await world.passes(30, step=1)
    assert len(digests(world)) == 1
    assert len(world.chat.parents()) == 16


async def test_a_digest_that_somebody_deletes_is_no_endless_loop() -> None:
    world = World(slack=PACED)
    await burst(world, 15)
    await world.passes(3, step=1)
    world.chat.delete(CHANNEL, digests(world)[0].ts)
    await world.passes(40, step=1)
    assert len(digests(world)) == 1
    assert world.due("digest") is None


@pytest.mark.parametrize("failure", [Failure.SHAPE, Failure.PLACE, Failure.UNCONNECTED])
async def test_a_digest_that_cannot_be_edited_is_not_hammered(failure: Failure) -> None:
    world = World(slack=PACED, timing={"poll": "1h", "report": "1h", "escalate_after": "1h"})
    await burst(world, 15)
    await world.passes(2, step=1)
    world.chat.script.fail("update", failure, times=None)
    await world.passes(30, step=1)
    assert len(world.chat.parents()) == 16
    assert 0 < world.chat.script.count("update") <= 25


async def test_the_gravest_incident_has_its_thread_among_the_first_however_late_it_came() -> None:
    world = World(slack=PACED)
    for number in range(30):
        await world.fires(alert(priority="P0" if number == 29 else "P2"), group_key=f"g{number}")
    await world.work()
    await world.passes(8, step=1)
    order = [stored.key.partition(".")[0] for stored in world.chat.parents() if not stored.key.startswith("digest/")]
    assert "i30" in order[:6]
    await world.passes(40, step=1)
    threads = [stored for stored in world.chat.parents() if not stored.key.startswith("digest/")]
    assert len(threads) == 30
