"""Owner, silences and the latest actions in the parent."""

from bot.core.incident.details.scaling import LeaseNoted, LeaseStep
from bot.core.incident.details.silences import SilenceStep, Silencing
from bot.core.incident.incident import Incident
from bot.core.incident.silence import coverage
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.message import Block
from bot.views.blocks import section
from bot.views.mrkdwn import Marked, date, escaped, joined, mention, say
from bot.views.words.silences import coverage_words
from bot.views.words.timeline import entry_words

MOST_ACTIONS = 2


def owner_words(incident: Incident) -> Marked:
    own = incident.ownership
    if own.owner:
        at = say(" {at}", at=date(own.acked_at)) if own.acked_at else say("")
        return say("Acknowledged by {who}{at}.", who=mention(own.owner), at=at)
    if incident.closed:
        return say("Not acknowledged.")
    paged = say(" Paged {group}.", group=mention(incident.thread.mention)) if incident.thread.mention else say("")
    escalated = say(" Escalated {at}.", at=date(own.escalated_at)) if own.escalated_at else say("")
    return say("Not acknowledged.{paged}{escalated}", paged=paged, escalated=escalated)


def silences(incident: Incident, now: float) -> list[Marked]:
    """Active silences, and whether updates are muted."""
    lines = [
        say(
            "Silenced {drained}until {until} by {who}.",
            drained=say("until the queue drains, at the latest ") if silence.until_drained else say(""),
            until=date(silence.ends_at),
            who=mention(silence.by),
        )
        for silence in incident.silences
        if not silence.ended and silence.ends_at > now
    ]
    if lines and (part := coverage_words(coverage(incident.silences, incident.group.alerts, now))):
        lines.append(escaped(part, 300))
    if incident.ownership.muted:
        lines.append(say("Updates in the thread are muted. This message stays current."))
    return lines


def latest_actions(incident: Incident) -> Block | None:
    """The latest actions, newest last; a request is replaced by its result. The others stand in the thread."""
    done = [entry for entry in incident.log.timeline if _is_shown(entry) and not entry.answered]
    lines = [say("• {said} {at}", said=spoken(entry, 240), at=date(entry.at)) for entry in done[-MOST_ACTIONS:]]
    return section(joined("\n", *lines)) if lines else None


def _is_shown(entry: Entry) -> bool:
    """An action with an outcome, or muting. What ends soon has ended when this is read later."""
    if Role.ELSEWHERE in entry.event.roles:
        return False
    if isinstance(entry.details, Silencing | LeaseNoted):
        return entry.details.step not in {SilenceStep.ENDS_SOON, LeaseStep.ENDS_SOON, LeaseStep.ENDS_FINALLY}
    return bool(entry.details or entry.event in {Event.MUTED, Event.UNMUTED})


def spoken(entry: Entry, most: int) -> Marked:
    """An entry's sentence with its author as the subject."""
    words = escaped(entry_words(entry), most) or say("did something.")
    sentence = say("{who} {words}", who=mention(entry.who), words=words) if entry.who else words
    if not entry.whom:
        return sentence
    if entry.event is Event.WORSE:
        return say("{sentence} {whom}, you acknowledged this.", sentence=sentence, whom=mention(entry.whom))
    return say("{sentence} {whom}.", sentence=sentence, whom=mention(entry.whom))
