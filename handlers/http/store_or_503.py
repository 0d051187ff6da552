"""Stores a delivery within the time limit, or answers 503 so that the sender tries again; reports a refused one."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

import structlog

from bot.context.context import Context
from bot.core.alert import ANYBODY, AlertSender
from bot.core.record import Conflict
from bot.incidents.rejected_alert import report_rejected
from bot.ports import Refused, Unreachable
from bot.sources.payload import Unreadable
from handlers.http import metrics

PATIENCE_SECONDS = 1.8
"""Time limit for storing a delivery; with a margin, a sender gets its 503 within 2 s (P1)."""
LATER = "cannot store this now; send it again"
OVERLOADED = "too many deliveries of this source at once; send it again"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class AuthResult:
    """The result; `status` 0 means that the sender is authenticated."""

    status: int = 0
    words: str = ""
    """The reason of a refusal; with 200, the outcome."""
    why: str = ""
    """For the log only; never contains anything that was sent."""
    sender: AlertSender = ANYBODY


GOOD = AuthResult()


async def stored(story: Awaitable[str], source: str) -> str | None:
    """The outcome of a delivery; None if it could not be stored. Raises Unreadable, or Refused for this sender."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await story
    except (Unreadable, Refused):
        raise
    except (Unreachable, Conflict, TimeoutError) as error:
        log.warning("not stored", source=source, why=str(error) or "time-out")
    except Exception:
        log.exception("storing raised", source=source)
    return None


@dataclass(frozen=True, slots=True)
class KnownSender:
    """Who sent an alert: the source, and the sender's name, or else the host if it identifies the sender."""

    source: str
    address: str = ""
    sender: AlertSender = ANYBODY

    @property
    def name(self) -> str:
        """Of its `[[sender]]`; empty for the shared credentials."""
        return self.sender.name


async def rejected(context: Context, sender: KnownSender, status: int, why: str) -> None:
    """Report it; a store that is down costs the notice, never the answer."""
    metrics.ALERTS_REJECTED.labels(sender.source, sender.name, str(status)).inc()
    log.warning(
        "alert rejected", source=sender.source, sender=sender.name, address=sender.address, status=status, why=why
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await report_rejected(context, sender.source, sender.address, why, sender.name)
    except (Unreachable, TimeoutError) as error:
        log.warning("no notice of the rejected alert", source=sender.source, why=str(error) or "time-out")
