"""Checks a whole audit trail at once."""

from collections.abc import Iterable

from bot.core.audit_chain import AuditEntry, ChainCheck


def broken_at(trail: Iterable[tuple[str, AuditEntry, str]]) -> str | None:
    """The stream id of the first entry that does not fit; None if all do."""
    check = ChainCheck()
    return next((stream_id for stream_id, entry, hashed in trail if not check.fits(entry, hashed)), None)
