"""Stores a delivery within the time limit, or refuses it; reports what was refused for good."""

import asyncio
from collections.abc import Awaitable

import structlog

from bot.context.context import Context
from bot.core.alert import AlertSender
from bot.core.record import Conflict
from bot.incidents.rejected_alert import report_rejected
from bot.ports import Refused, Unreachable
from bot.sources.credentials import CredentialVerdict
from bot.sources.payload import Unreadable
from handlers.http import metrics

PATIENCE_SECONDS = 1.8
"""Time limit for storing a delivery; with a margin, a sender gets its 503 within 2 s (P1)."""

log = structlog.get_logger()


class RequestRefused(Exception):  # noqa: N818 - a refusal is an answer
    """A request was refused; `status` and `sentence` are the response.

    `why` is for the log only, and never contains anything that was sent. `setting` is the one that would change it.
    """

    def __init__(self, status: int, sentence: str, why: str = "", setting: str = "") -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.why, self.setting = status, sentence, why, setting

    @property
    def answer(self) -> dict[str, str]:
        return {"error": self.sentence, **({"setting": self.setting} if self.setting else {})}


def sender_of(verdict: CredentialVerdict) -> AlertSender:
    """The authenticated sender; raises RequestRefused for anybody else."""
    if not verdict.ok:
        raise RequestRefused(401, verdict.sentence, verdict.reason)
    return verdict.sender


async def stored(story: Awaitable[str], source: str) -> str:
    """The outcome of a delivery. Raises RequestRefused; 503 makes the sender try again."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await story
    except Unreadable as unreadable:
        raise RequestRefused(400, str(unreadable)) from None
    except Refused as refused:
        raise RequestRefused(403, str(refused)) from None
    except (Unreachable, Conflict, TimeoutError) as error:
        log.warning("not stored", source=source, why=str(error) or "time-out")
    except Exception:
        log.exception("storing raised", source=source)
    raise RequestRefused(503, "cannot store this now; send it again")


async def report(context: Context, source: str, address: str, refused: RequestRefused, name: str = "") -> None:
    """Report a known sender's alert that it will not repeat; a store that is down costs the notice, never the answer.

    `name` is that of its `[[sender]]`, and empty for the shared credentials.
    """
    metrics.ALERTS_REJECTED.labels(source, name, str(refused.status)).inc()
    why = refused.sentence
    log.warning("alert rejected", source=source, sender=name, address=address, status=refused.status, why=why)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await report_rejected(context, source, address, why, name)
    except (Unreachable, TimeoutError) as error:
        log.warning("no notice of the rejected alert", source=source, why=str(error) or "time-out")
