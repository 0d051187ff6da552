"""A figure of the past is never told as one of now: wherever it is said, its age stands beside it."""

import re
from collections.abc import Iterator

from bot.core.message import Message
from bot.core.requests.interaction import Surface
from bot.ports import Failure
from bot.registry import VERBS
from tests.builders import POOL
from tests.handlers.endpoint import Endpoint
from tests.handlers.slack_app.test_quoted import texts
from tests.world import World

FIGURE = re.compile(r"[^.\n]*\b69 jobs\b[^\n]*")
"""The sentence with the number of jobs that waited when the pool was last measured."""
PAST = re.compile(r"\(over 1 h ago\)|most queued|up to 69 jobs|Latest figures|[Ll]ast measured|\(stale\)")
"""What says that it was so then."""


def words_of(one: Message) -> Iterator[str]:
    yield one.text
    yield from texts(list(one.blocks))


def sentences(world: World) -> Iterator[str]:
    """All that anybody can read: the channel, threads, private answers, dialogs and App Home."""
    for stored in world.chat.messages:
        yield from words_of(stored.message)
    for _, _, whispered, _ in world.chat.whispers:
        yield from words_of(whispered)
    for view in (*(view for _, view in world.chat.views), *world.chat.homes.values()):
        yield from texts(view)


async def test_an_old_figure_is_told_with_its_age_by_every_verb(endpoint: Endpoint) -> None:
    """Nobody could measure the pool for an hour. Also where somebody closes the incident at the end.

    The rows of App Home say `stale`, and their legend how old.
    """
    world = endpoint.world
    world.queues(69)
    await world.passes(60, step=30)
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.passes(3660, step=60)
    before = {*sentences(world)}
    for number, verb in enumerate(verb for verb in VERBS if verb not in {"resolve", "close"}):
        for words in ("", POOL, "2h", f"{POOL} 24"):
            response = await endpoint.slash(f"{verb} {words}")
            answered = response.json() if response.content else {}
            assert not told_as_of_now([answered.get("text", ""), *texts(answered.get("blocks"))])
            key = f"{number}.{len(words)}"
            await endpoint.mention(f"{verb} {words}", thread_ts=world.incident.thread.root, event_id=key, ts=key)
            await world.work()
            world.clock.advance(20)
    await endpoint.event("app_home_opened", user="U0ANA")
    await world.done(world.asks("resolve", surface=Surface.DIALOG))
    await world.says("reopen")
    await world.work()
    assert not told_as_of_now([*{*sentences(world)} - before])


def told_as_of_now(spoken: list[str]) -> list[str]:
    return [hit for text in spoken for hit in FIGURE.findall(text) if not PAST.search(hit) or "rising" in hit]
