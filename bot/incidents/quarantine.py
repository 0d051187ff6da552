"""Quarantines an incident that keeps failing, so that it does not hold up others (P9)."""

import structlog

from bot.context.context import Context
from bot.context.save import keep
from bot.core.incident.incident import Incident, paused
from bot.core.record import Stored
from bot.incidents.thread import failed_again
from bot.ports import Unreachable
from bot.posting.failures import QUARANTINE_SECONDS
from bot.views.thread.results import undrawable

MOST_ATTEMPTS = 5
"""Own failures in a row, the minimal rendering included, before the quarantine."""

log = structlog.get_logger()


async def retry_or_quarantine(context: Context, mine: Stored[Incident], why: str) -> None:
    """Count the failure and try again later; at the last one, explain `retry` in the channel.

    Raises Conflict if another process has the incident, Unreachable if it cannot be stored.
    """
    attempts, now = mine.value.trouble.attempts + 1, context.now()
    last = attempts >= MOST_ATTEMPTS
    pause = QUARANTINE_SECONDS if last else 2.0**attempts / 2
    until = now + pause if last else 0.0
    await keep(context, mine, lambda fresh: paused(failed_again(fresh, why), until), due=now + pause, uncertain=True)
    if attempts != MOST_ATTEMPTS:
        return
    log.error("incident quarantined", incident=mine.value.id, why=why, remedy=f"/queue retry {mine.value.id}")
    try:
        channel, key = mine.value.thread.channel, f"{mine.value.id}/quarantine"
        await context.chat.post(channel, undrawable(mine.value.id), key=key)
    except Unreachable as error:
        log.warning("quarantine not told", incident=mine.value.id, why=str(error))
