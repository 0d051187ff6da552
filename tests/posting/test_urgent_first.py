"""What a person just did is shown ahead of everything that waits its turn (P8, docs/design/slack.md#rate-limits)."""

from bot.core.incident.incident import Incident
from bot.core.requests.interaction import request_id
from tests.wording import acknowledged
from tests.world import ANA, World, spoken

MANY = 40


async def crowded() -> World:
    """Many incidents with their threads, and new figures for all of them: edits for a minute and more."""
    world = World(slack={"channel": "C0CIONCALL", "pace": "0s", "edit_pace": "2s"})
    world.queues(14)
    for number in range(MANY):
        await world.fires(spoken(fingerprint=f"f{number}"), group_key=f"g{number}")
    await world.passes(20, step=1)
    world.queues(90)
    await world.passes(60, step=10)
    return world


async def test_a_click_is_shown_before_the_edits_of_forty_incidents() -> None:
    world = await crowded()
    newest = [row.value for row in world.data.rows.values() if isinstance(row.value, Incident)][-1]
    before = len([m for m in world.chat.parents() if "90" in m.message.text])
    assert before < MANY, "the edits of others still wait"
    await world.asks("ack", request_id=request_id(newest, "ack"))
    await world.passes(3, step=1)
    (shown,) = [m for m in world.chat.parents() if m.ts == newest.thread.root]
    assert acknowledged(ANA) in str(shown.message.blocks)
