"""How long tests wait for what must happen, so that none of them depends on the speed of the machine.

A wait that is over when the thing has happened costs nothing on a fast machine, however long it may take on a slow
one. A test that judges a delay compares it with another delay of the same run, or counts looks instead of seconds.
"""

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable, Iterator

PATIENCE_SECONDS = 60.0
"""For one thing that must happen."""
HANGS_SECONDS = 15.0
"""A request that the product limits to 2 s never takes so long, even on a busy machine; one without a limit does."""
WHOLE_TEST_SECONDS = 300
"""For a whole test; what is not over by then hangs."""
LOOK_SECONDS = 0.02
"""From one look to the next."""

LONG = int(os.environ.get("TAILBACK_FAULT_ROUNDS", "2")) >= 20
"""The long form of the tests, once a week: what costs most is then played whole."""

What = str | Callable[[], str]
"""What is waited for, for the message when it does not happen; a function is called only then."""


async def eventually(
    look: Callable[[], object | Awaitable[object]], what: What, within: float = PATIENCE_SECONDS
) -> float:
    """Wait until `look` gives something true; gives the seconds it took. Raises AssertionError when it does not."""
    begun = time.monotonic()
    for _ in _looks(what, within):
        found = look()
        if await found if inspect.isawaitable(found) else found:
            break
        await asyncio.sleep(LOOK_SECONDS)
    return time.monotonic() - begun


def until(look: Callable[[], object], what: What, within: float = PATIENCE_SECONDS) -> None:
    for _ in _looks(what, within):
        if look():
            break
        time.sleep(LOOK_SECONDS)


def _looks(what: What, within: float) -> Iterator[None]:
    """One more look for as long as there is time, and one when it is over."""
    ends = time.monotonic() + within
    while time.monotonic() < ends:
        yield
    yield
    raise AssertionError(f"not within {within:g} s: {what if isinstance(what, str) else what()}")
