"""Waits for the promises of a whole installation to be kept, and presses every thread's button."""

import asyncio
import contextlib
import time
from functools import partial

from tests.faults.house import House
from tests.faults.verdict import Root, Verdict, roots, seen
from tests.patience import PATIENCE_SECONDS
from tests.threads import key_of

__all__ = ["Root", "Verdict", "buttons", "judged", "key_of", "roots", "seen", "settled", "strangers"]

AGAIN_SECONDS = 10.0
"""How long somebody waits for what a click should show before pressing again."""


async def settled(house: House, within: float = PATIENCE_SECONDS) -> Verdict:
    """Wait until every accepted group has exactly one thread, or the time is over."""

    def fine() -> bool:
        verdict = seen(house)
        return not verdict.missing and not verdict.duplicates

    try:
        await house.eventually(fine, "one thread for every accepted group", within)
    except AssertionError:
        return seen(house)
    return seen(house)


async def judged(house: House, within: float = PATIENCE_SECONDS) -> Verdict:
    """`settled`, then every thread's button is pressed: the product must know each, and show it on that message.

    Whoever is told that the click failed, or sees nothing for a while, presses again, as people do.
    """
    verdict = await settled(house, within)
    left = found = roots(house)
    await _pressed(house, left)
    deadline = time.monotonic() + within
    while left and time.monotonic() < deadline:
        with contextlib.suppress(AssertionError):
            pause = min(AGAIN_SECONDS, deadline - time.monotonic())
            await house.eventually(partial(all_are_shown, house, left), "who pressed is shown", pause)
        left = strangers(house, left)
        await _pressed(house, left)
    verdict.orphans = [root.ts for root in strangers(house, found)]
    return verdict


def all_are_shown(house: House, found: list[Root]) -> bool:
    """Whether each thread shows who has it."""
    return not strangers(house, found)


async def _pressed(house: House, found: list[Root]) -> None:
    """Acknowledge on each, where it is offered, a few at a time."""
    gate = asyncio.Semaphore(8)

    async def press(root: Root) -> None:
        async with gate:
            if "Acknowledge" in buttons(house, root):
                await house.press(root.ts, "Acknowledge", "U0ANA", channel=root.channel)

    await asyncio.gather(*(press(root) for root in found))


def strangers(house: House, found: list[Root]) -> list[Root]:
    """The threads that do not show that somebody has them."""
    channels = house.stand_in.workspace.channels
    return [root for root in found if "<@U0ANA>" not in str(channels[root.channel].messages[root.ts].get("blocks"))]


def buttons(house: House, root: Root) -> list[str]:
    """The labels of a message's buttons."""
    message = house.stand_in.workspace.channels[root.channel].messages[root.ts]
    blocks = message.get("blocks")
    return [
        str(element["text"]["text"])
        for block in (blocks if isinstance(blocks, list) else [])
        for element in block.get("elements", ())
        if element.get("type") == "button"
    ]
