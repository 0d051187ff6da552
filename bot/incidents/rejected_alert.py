"""Posts a notice about an alert of a known sender that was refused: at most one per sender and hour."""

import structlog

from bot.context.context import Context
from bot.core.alert import digest
from bot.core.audit_chain import AuditEntry
from bot.core.record import Change, Claim, Conflict, Put, RejectedAlert, Stored
from bot.posting.failures import MessageKind
from bot.posting.keep_message import MessageSpec, keep_message, store_and_release
from bot.views.thread.results import rejected_alert

KIND = MessageKind("rejected")
QUIET_SECONDS = 3600.0
KEPT_SECONDS = 86400.0

log = structlog.get_logger()


async def report_rejected(context: Context, source: str, address: str, why: str, sender: str = "") -> bool:
    """Store that an alert was refused, to be posted; False if this sender had a notice within the last hour.

    `sender` is the name of its `[[sender]]`: then the audit trail says so too.

    The record's version decides between processes. Raises Unreachable if it cannot be stored.
    """
    notice_id, now = digest(source, sender or address), context.now()
    held = await context.store.get(RejectedAlert, notice_id) or Stored(RejectedAlert(notice_id), 0)
    if now - held.value.at < QUIET_SECONDS:
        return False
    notice = RejectedAlert(notice_id, source, sender or address, why, at=now)
    entry = AuditEntry(now, f"sender:{sender}", "alert", {"source": source}, outcome=f"refused: {why}")
    put = Put(held, notice, now, keep_seconds=KEPT_SECONDS)
    try:
        await context.store.commit(Change(puts=(put,), audit=(entry,) if sender else ()))
    except Conflict:
        log.info("another process reports this sender", source=source)
        return False
    return True


async def post_rejected(context: Context, claim: Claim) -> None:
    """Post the notice in the fallback channel, or in the default channel without one."""
    held, slack = claim.of(RejectedAlert), context.settings.file.slack
    notice = held.value
    message = rejected_alert(notice.source, notice.address, notice.why) if notice.at else None
    key = f"rejected/{notice.id}/{notice.at:.3f}"
    spec = MessageSpec(KIND, slack.fallback_channel or slack.channel, message, key, since=notice.at - 60)
    await store_and_release(context, held, await keep_message(context, held, spec), None, KEPT_SECONDS)
