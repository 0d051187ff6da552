"""Measures how long the oldest message has waited for Slack, and notifies the webhook outside Slack."""

from dataclasses import replace

import structlog

from bot.config import File
from bot.context.context import Context
from bot.context.queries import open_incidents
from bot.context.save import UNDELIVERED
from bot.core.incident.incident import Incident
from bot.core.paging.page import OUTSIDE, PageAction, PageEvent
from bot.core.record import Chore
from bot.core.words import count, duration
from bot.ports import Failure, Unreachable

EVENTS = {PageAction.TRIGGER: "slack_unreachable", PageAction.RESOLVE: "slack_recovered"}
PATIENCE_SECONDS = 60.0
"""A longer wait makes Slack degraded in /readyz (rate limits alone delay by seconds)."""

LOOK_SECONDS = 5.0

TROUBLE_SECONDS = 10.0
"""The same for a refused message."""

log = structlog.get_logger()


async def check_slack_outage(context: Context, before: Chore) -> Chore:
    """The chore's new record; notifies the webhook once when the wait is too long, and once at its end."""
    late = await open_incidents(context, UNDELIVERED)
    waits = [(since, one.trouble.why or "") for one in late if (since := waiting_since(one)) is not None]
    now = context.now()
    oldest = min((since for since, _ in waits), default=None)
    trouble = next((why for _, why in sorted(waits) if why), "")
    age = 0.0 if oldest is None else now - oldest
    words = f"{count(len(waits), 'incident')} with undelivered messages; the oldest waits {duration(age)}"
    note = f"{words}. {trouble}".strip() if age > (TROUBLE_SECONDS if trouble else PATIENCE_SECONDS) else ""
    after = replace(before, since=oldest, note=note or await _refused(context))
    table = context.settings.file.outside_slack
    if table is None:
        return after
    if not before.notified and oldest is not None and now - oldest > table.after:
        text = f"Tailback cannot deliver to Slack: {words}. {trouble}".strip()
        return replace(after, notified=await _tell(context, PageAction.TRIGGER, text))
    if before.notified and oldest is None:
        await _tell(context, PageAction.RESOLVE, "Tailback delivers to Slack again; nothing waits any more.")
        return replace(after, notified=False)
    return after


async def _refused(context: Context) -> str:
    """Why Slack would not take a message now, before there is one to post; empty if it would, or was not asked."""
    try:
        await context.chat.connect()
    except Unreachable as error:
        return "" if error.failure is Failure.LATER else str(error)
    return ""


def pause_seconds(file: File) -> float:
    """Seconds between two checks, short enough for the configured delay."""
    return min(LOOK_SECONDS, file.outside_slack.after / 4) if file.outside_slack else LOOK_SECONDS


def waiting_since(incident: Incident) -> float | None:
    """Since when an incident has waited for Slack (epoch seconds); None if all is delivered."""
    if incident.thread.root is None:
        return incident.opened_at
    untold = [entry.at for entry in incident.log.timeline if entry.number in incident.log.outbox]
    return min(untold, default=None)


async def _tell(context: Context, action: PageAction, words: str) -> bool:
    table = context.settings.file.outside_slack
    pager = context.pagers.get(table.pager or OUTSIDE) if table else None
    try:
        if pager is not None:
            await pager.send(
                PageEvent(f"tailback-slack-{context.settings.file.slack.channel}", action, EVENTS[action], words)
            )
    except Unreachable as error:
        log.warning("nobody outside Slack could be told", why=str(error), repeats=True)
        return False
    return True
