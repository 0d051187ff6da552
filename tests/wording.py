"""What messages say, for tests that wait for it: one place to follow when the words change."""

from bot.core.incident.timeline import Event
from bot.core.words import count, duration
from bot.views.words.timeline import PLAIN


def acknowledged(who: str) -> str:
    return f"Acknowledged by <@{who}>"


def ack_entry(who: str) -> str:
    return f"<@{who}> {PLAIN[Event.ACKED]}"


def queue(jobs: int, wait_seconds: float | None = None) -> str:
    wait = "" if wait_seconds is None else f", longest wait {duration(wait_seconds)}"
    return f"{count(jobs, 'job')} queued{wait}"
