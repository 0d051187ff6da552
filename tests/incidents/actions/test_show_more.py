"""More…: what the menu of the first message does not hold, as buttons for one person."""

from dataclasses import replace

from bot.core.pool.pool import PoolRules
from bot.sources.payload import fields, items
from bot.views.blocks import MOST_OPTIONS
from bot.views.parent.parent import parent
from tests.builders import POOL
from tests.views.samples import NOW, TIMING
from tests.world import World, whisper


async def test_everything_that_is_possible_at_once_can_be_pressed() -> None:
    """Slack's menu holds five entries, so *More…* shows the rest to one person; nothing is dropped."""
    tables = {"issues": {"repository": "example/ci", "token_env": "TOKEN"}}
    world = await World.opened(**tables)
    await world.asks("ack")
    await world.done(world.silences())
    seen = replace(await world.context.view(world.incident), rules={POOL: PoolRules(POOL, scalable=True)})
    offered = world.context.offers(world.incident, seen)
    assert {"ack", "unsilence", "resolve", "show_more", "mute", "chart", "file_issue"} < {one.name for one in offered}
    shown = whisper(await world.asks("show_more")).blocks
    drawn = parent(world.incident, seen, offered, NOW, TIMING).blocks
    row = next(block for block in drawn if block["type"] == "actions")
    (menu,) = (one for one in map(fields, items(row["elements"])) if one["type"] == "overflow")
    assert len(items(menu["options"])) <= MOST_OPTIONS
    assert [one.label for one in offered if one.request_id not in f"{row}{shown}"] == []
