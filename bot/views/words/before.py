"""The line about an incident that looked alike before."""

from bot.core.incident.details.seen_before import SeenBefore
from bot.core.words import duration
from bot.views.mrkdwn import Marked, date, say
from bot.views.words.causes import cause_name

BEFORE = {"scaled": "scaled up", "resolved_by_hand": "closed by hand"}
"""What somebody did about an incident that looked alike."""


def before_words(before: SeenBefore | None) -> Marked:
    """The newest closed incident that looked alike; empty if none did."""
    if before is None:
        return say("")
    judged = "" if before.confirmed is None else ", confirmed" if before.confirmed else ", which people denied"
    acted = BEFORE.get(before.done, "")
    done = f", {acted} after {duration(before.done_seconds)}" if acted else ""
    outcome = f"{cause_name(before.cause)}{judged}{done}, over after {duration(before.seconds)}."
    return say("Looked like this on {at}: {outcome}", at=date(before.at), outcome=outcome)
