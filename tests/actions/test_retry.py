"""Retry gives an incident that could not be shown a clean slate."""

from dataclasses import replace

from bot.actions import retry
from tests.builders import incident


def test_again_clears_what_kept_an_incident_waiting() -> None:
    """No pause, no count, the full rendering."""
    plain = incident(attempts=7, retry_at=9e9, trouble="could not be drawn")
    after = retry.again(replace(plain, thread=replace(plain.thread, plain=True)))
    assert (after.attempts, after.retry_at, after.trouble, after.thread.plain) == (0, 0.0, None, False)
    assert retry.offer(after, None) is None  # type: ignore[arg-type]  # no view is looked at
