"""Storing what was delivered, in time or not at all: who cannot be stored for gets 503 and sends again."""

import asyncio
from collections.abc import Awaitable

import structlog

from bot.core.record import Conflict
from bot.ports import Unreachable
from bot.sources.payload import Unreadable

PATIENCE_SECONDS = 1.8
"""A sender that cannot be stored for gets its 503 within 2 s (P1)."""
LATER = "cannot store this now; send it again"
OVERLOADED = "too many deliveries of this source at once; send it again"

log = structlog.get_logger()


async def stored(story: Awaitable[str], source: str) -> str | None:
    """What became of a delivery; None when it is not stored, whatever the reason. Raises Unreadable."""
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
