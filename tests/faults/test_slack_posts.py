"""SL-1, SL-2: a post that nobody knows the end of becomes exactly one thread."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from functools import partial

import pytest

from tests.faults.checker import kept, seen
from tests.faults.points import kill_after, kill_before, kill_between, posts
from tests.faults.system import System
from tests.faults.verdict import first_messages
from tests.faults.wires import Wire

pytestmark = pytest.mark.needs("redis-server")

Killed = Callable[[System, Wire, Callable[..., bool]], Coroutine[None, None, str]]
POINTS: dict[str, Killed] = {
    "S1 before the first byte": kill_before,
    "S1 and the request arrives late": functools.partial(kill_before, late=True),
    "S2 stored but not answered": kill_between,
    "S3 answered but not recorded": kill_after,
}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.plan(webs=1)
async def test_sl_1_killed_around_a_post_there_is_one_thread_that_is_known(
    system: System, point: str, rounds: int
) -> None:
    """The worker dies at the named point; within lease + settle + 5 s there is one thread, and its button works."""
    for number in range(rounds):
        dying = asyncio.create_task(POINTS[point](system, system.to_slack, posts))
        await asyncio.sleep(0)
        assert (await system.send(number)).status == 200
        killed = system.processes[await dying]
        killed.start()
        await system.eventually(lambda: not seen(system).missing, "the thread")
        await system.ready(killed)
    await asyncio.sleep(1)
    await kept(system)


async def test_sl_2_a_lost_answer_is_looked_up_before_anything_is_posted_again(system: System, few: int) -> None:
    """Slack stores and closes the connection: one post until the look-up, one thread after it; then once more."""
    for number in range(few):
        system.stand_in.faults.drop_reply("chat.postMessage")
        before = len(system.stand_in.log.calls)
        await system.send(number)
        await system.eventually(partial(first_messages, system, before), "the post")
        posted = len(system.stand_in.log.calls)
        look_ups = partial(system.stand_in.log.of, "conversations.history", since=posted)
        await system.eventually(look_ups, "a look-up")
        assert len(first_messages(system, before)) == 1
        await system.eventually(lambda: not seen(system).missing, "the thread")
    await kept(system)
    assert len(first_messages(system)) == few
