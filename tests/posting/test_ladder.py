"""Slack refuses a block: the message comes one step simpler at once, which is remembered for a day."""

from collections.abc import Collection

import pytest

from bot.core.message import Message
from bot.ports import Failure, Unreachable
from bot.posting.ladder import REMEMBERED_SECONDS, known_blocks, step_by_step
from bot.views.simpler import LADDER, YOUNG, kinds_of
from tests.views.test_blocks import EXAMPLES
from tests.world import World

WHOLE = Message("text", tuple(EXAMPLES.values()))


class Slack:
    """Takes a message unless it has one of these blocks; by name it says which one it does not know."""

    def __init__(self, refused: Collection[str], *, by_name: bool = True) -> None:
        self.refused, self.by_name, self.tries = set(refused), by_name, list[frozenset[str]]()

    async def post(self, message: Message) -> frozenset[str]:
        kinds = kinds_of(message)
        self.tries.append(kinds)
        if wrong := sorted(kinds & self.refused):
            block = wrong[0] if self.by_name else ""
            raise Unreachable("Slack", "invalid_blocks", failure=Failure.SHAPE, block=block)
        return kinds


@pytest.mark.parametrize("kind", sorted(YOUNG))
async def test_an_unknown_block_alone_is_left_out_and_remembered(kind: str) -> None:
    world, slack = World(), Slack({kind})
    assert await step_by_step(world.context, WHOLE, slack.post) == YOUNG - {kind}
    assert await step_by_step(world.context, WHOLE, slack.post) == YOUNG - {kind}
    assert slack.tries == [YOUNG, YOUNG - {kind}, YOUNG - {kind}]
    world.clock.advance(REMEMBERED_SECONDS + 1)
    slack.refused.clear()
    assert await step_by_step(world.context, WHOLE, slack.post) == YOUNG
    assert world.context.health.simplified == {kind: 1}


async def test_what_the_workspace_took_and_refused_is_known_afterwards() -> None:
    """`tailback check` reads it: nothing at first, then what was tried, and an acceptance after a refusal counts."""
    world, slack = World(), Slack({"plan"})
    assert await known_blocks(world.store) == (frozenset(), {})
    await step_by_step(world.context, WHOLE, slack.post)
    assert await known_blocks(world.store) == (YOUNG - {"plan"}, {"plan": world.clock.now()})
    world.clock.advance(REMEMBERED_SECONDS + 1)
    slack.refused.clear()

    async def loses_redis(message: Message) -> frozenset[str]:
        world.data.broken = Unreachable("Redis", "gone")
        return await slack.post(message)

    assert await step_by_step(world.context, WHOLE, loses_redis) == YOUNG, "what is posted is posted"
    world.data.broken = None
    await step_by_step(world.context, WHOLE, slack.post)
    assert await known_blocks(world.store) == (YOUNG, {})


async def test_wrong_content_goes_down_the_ladder_and_is_not_remembered() -> None:
    world, slack = World(), Slack({"plan"}, by_name=False)
    assert await step_by_step(world.context, WHOLE, slack.post) == frozenset()
    assert len(slack.tries) == len(LADDER) + 1
    slack.refused.clear()
    assert await step_by_step(world.context, WHOLE, slack.post) == YOUNG


@pytest.mark.parametrize("failure", [one for one in Failure if one is not Failure.SHAPE])
async def test_any_other_failure_changes_nothing(world: World, failure: Failure) -> None:
    tries = 0

    async def fails(_: Message) -> None:
        nonlocal tries
        tries += 1
        raise Unreachable("Slack", "no", failure=failure)

    with pytest.raises(Unreachable):
        await step_by_step(world.context, WHOLE, fails)
    assert tries == 1


async def test_a_message_without_younger_blocks_is_left_to_the_table(world: World) -> None:
    async def refuses(_: Message) -> None:
        raise Unreachable("Slack", "invalid_blocks", failure=Failure.SHAPE)

    with pytest.raises(Unreachable):
        await step_by_step(world.context, Message("text", ({"type": "divider"},)), refuses)
