"""Whether more runners help, what else to do, how old the evidence is, and when it looked like this before."""

from bot.core.finding import Finding, Scaling
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.words import duration
from bot.views.mrkdwn import Marked, date, say
from bot.views.words.causes import FADED, RUNNERS, cause_name, remedy_of
from bot.views.words.forecasts import faster

PROVIDER = frozenset({"provider", "unassigned"})
"""Causes that only the CI provider ends."""
STATUS = "Open it"
AT_MAXIMUM = "No more runners can be added: the pool is at its maximum."


def remedy_words(finding: Finding) -> str:
    """Whether more runners help, and the remedy's first sentence unless the button Scale up is the remedy."""
    if finding.last_seen is not None:
        return f"{FADED[finding.scaling]}."
    first = remedy_of(finding).split(". ")[0].rstrip(".")
    helps = _helps(finding)
    by_button = finding.scaling is Scaling.HELPS and finding.remedy in {"add_runners", "raise_limit"}
    return helps if by_button or not first else f"{helps} {first}."


def advice_words(finding: Finding) -> str:
    """The same with all that there is to do."""
    if finding.last_seen is not None:
        return remedy_words(finding)
    return f"{_helps(finding)} {remedy_of(finding)}"


def _helps(finding: Finding) -> str:
    best = finding.added and finding.scaling is Scaling.HELPS
    if finding.full:
        return AT_MAXIMUM
    effect = f" (up to +{finding.added:,}: {faster(finding.times_faster)})" if best else ""
    return f"{RUNNERS[finding.scaling]}{effect}."


def seen_words(finding: Finding) -> Marked:
    return say("") if finding.last_seen is None else say(", last seen {at}", at=date(finding.last_seen))


def found_words(finding: Finding) -> Marked:
    """The time of evidence that the newest figures do not show."""
    return say("") if finding.evidence_at is None else say(", found {at}", at=date(finding.evidence_at))


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
