"""Stores a delivery within the time limit, or answers 503 so that the sender tries again."""

import asyncio
from collections.abc import Awaitable

import structlog

from bot.core.record import Conflict
from bot.ports import Unreachable
from bot.sources.payload import Unreadable

PATIENCE_SECONDS = 1.8
"""Time limit for storing a delivery; with a margin, a sender gets its 503 within 2 s (P1)."""
LATER = "cannot store this now; send it again"
OVERLOADED = "too many deliveries of this source at once; send it again"

log = structlog.get_logger()


async def stored(story: Awaitable[str], source: str) -> str | None:
    """The outcome of a delivery; None if it could not be stored. Raises Unreadable."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await story
    except Unreadable:
        raise
    except (Unreachable, Conflict, TimeoutError) as error:
        log.warning("not stored", source=source, why=str(error) or "time-out")
    except Exception:
        log.exception("storing raised", source=source)
    return None
