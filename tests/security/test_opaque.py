"""C8, C19: buttons, dialogs and messages carry ids that say nothing; everything else is read from the record."""

import re
from collections.abc import Iterator

from tests.builders import POOL
from tests.scaling.care import BEN, DAN, CareWorld
from tests.world import dialog

ACT = re.compile(r"(i\d+|i[0-9a-f]{16}|x)\.[0-9a-f]{12}")
MARK = re.compile(r"i\d+(\.[0-9a-f]{32})?(/\d+)?")
"""Incident id, its group's digest, the entry's number."""


def values(block: object) -> Iterator[str]:
    """Everything in a block that comes back to us when somebody presses."""
    if isinstance(block, dict):
        for key, part in block.items():
            if key in {"value", "private_metadata"} and isinstance(part, str):
                yield part
            yield from values(part)
    elif isinstance(block, list | tuple):
        for part in block:
            yield from values(part)


async def lived() -> CareWorld:
    """Everything that has buttons was shown: parent, approval, verification, warning, dialogs."""
    world = await CareWorld.opened(10, approval_above=20)
    await world.asks("scale_up")
    await world.asks("silence")
    await world.wants(24)
    await world.work()
    await world.presses("approve", DAN)
    await world.work()
    world.runners(24)
    await world.passes(6700, step=60)
    return world


async def test_every_button_carries_an_act_id_and_the_metadata_of_every_message_says_nothing() -> None:
    """No pool, no target, no person, nothing to forge; any app and any member can read metadata: no label, no name."""
    sent = (await lived()).chat.messages
    found = [value for stored in sent for value in values(stored.message.blocks)]
    assert len(found) >= 5
    assert [value for value in found if not ACT.fullmatch(value)] == []
    assert len(sent) >= 4
    assert [stored.key for stored in sent if not MARK.fullmatch(stored.key)] == []


async def test_every_dialog_carries_an_act_id_and_nothing_else() -> None:
    """What Slack keeps between opening and submitting."""
    world = await CareWorld.opened()
    for name in ("scale_up", "silence", "resolve"):
        assert ACT.fullmatch(str(dialog(await world.asks(name))["private_metadata"]))
    assert ACT.fullmatch(str(dialog(await world.types("scale_up", POOL, "24", who=BEN))["private_metadata"]))
