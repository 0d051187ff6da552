"""Waits for the promises of a whole installation to be kept, and presses every thread's button."""

import asyncio
import contextlib
import time
from functools import partial

from tests.faults.system import System
from tests.faults.verdict import Root, Verdict, roots, seen
from tests.patience import PATIENCE_SECONDS
from tests.threads import key_of

__all__ = ["Root", "Verdict", "buttons", "judged", "kept", "key_of", "roots", "seen", "settled", "strangers"]

AGAIN_SECONDS = 10.0
"""How long somebody waits for what a click should show before pressing again."""


async def settled(system: System, within: float = PATIENCE_SECONDS) -> Verdict:
    """Wait until every accepted group has exactly one thread, in which each thing is told once, or the time is over."""

    def fine() -> bool:
        return seen(system).kept

    try:
        await system.eventually(fine, "one thread for every accepted group, told once", within)
    except AssertionError:
        return seen(system)
    return seen(system)


async def judged(system: System, within: float = PATIENCE_SECONDS) -> Verdict:
    """`settled`, then every thread's button is pressed: the product must know each, and show it on that message.

    Whoever is told that the click failed, or sees nothing for a while, presses again, as people do.
    """
    verdict = await settled(system, within)
    left = found = roots(system)
    await _pressed(system, left)
    deadline = time.monotonic() + within
    while left and time.monotonic() < deadline:
        with contextlib.suppress(AssertionError):
            pause = min(AGAIN_SECONDS, deadline - time.monotonic())
            await system.eventually(partial(all_are_shown, system, left), "who pressed is shown", pause)
        left = strangers(system, left)
        await _pressed(system, left)
    verdict.orphans = [root.ts for root in strangers(system, found)]
    return verdict


async def kept(system: System) -> None:
    """`judged`, and nothing may be wrong."""
    verdict = await judged(system)
    assert verdict.kept, verdict


def all_are_shown(system: System, found: list[Root]) -> bool:
    """Whether each thread shows who has it."""
    return not strangers(system, found)


async def _pressed(system: System, found: list[Root]) -> None:
    """Acknowledge on each, where it is offered, a few at a time."""
    gate = asyncio.Semaphore(8)

    async def press(root: Root) -> None:
        async with gate:
            if "Acknowledge" in buttons(system, root):
                await system.press(root.ts, "Acknowledge", "U0ANA", channel=root.channel)

    await asyncio.gather(*(press(root) for root in found))


def strangers(system: System, found: list[Root]) -> list[Root]:
    """The threads that do not show that somebody has them."""
    channels = system.stand_in.workspace.channels
    return [root for root in found if "<@U0ANA>" not in str(channels[root.channel].messages[root.ts].get("blocks"))]


def buttons(system: System, root: Root) -> list[str]:
    message = system.stand_in.workspace.channels[root.channel].messages[root.ts]
    blocks = message.get("blocks")
    return [
        str(element["text"]["text"])
        for block in (blocks if isinstance(blocks, list) else [])
        for element in block.get("elements", ())
        if element.get("type") == "button"
    ]
