"""Owner, silences and actions in the parent."""

from bot.core.incident.incident import Incident
from bot.core.incident.silence import coverage
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Block
from bot.views.blocks import section
from bot.views.mrkdwn import Marked, date, escaped, joined, mention, say
from bot.views.words.silences import coverage_words
from bot.views.words.timeline import entry_words

MOST_DEEDS = 5
_SHOWN = {
    Event.REQUESTED,
    Event.SILENCED,
    Event.UNSILENCED,
    Event.SCALED,
    Event.DIAGNOSED,
    Event.MUTED,
    Event.UNMUTED,
    Event.APPROVAL,
    Event.VERIFIED,
    Event.LENT,
    Event.FAILED,
    Event.RESOLVED_BY_HAND,
    Event.REOPENED,
    Event.DRAINED,
    Event.NOTED,
}


def has_it(incident: Incident) -> Marked:
    """The owner and when, or that nobody has acknowledged."""
    if incident.ownership.owner:
        since = say(" since {at}", at=date(incident.ownership.acked_at)) if incident.ownership.acked_at else say("")
        return say("{who} has it{since}.", who=mention(incident.ownership.owner), since=since)
    if incident.ownership.escalated_at:
        return say("Nobody has acknowledged yet; escalated {at}.", at=date(incident.ownership.escalated_at))
    return say("Nobody has acknowledged yet.")


def silences(incident: Incident, now: float) -> list[Marked]:
    """Active silences, and whether status replies are muted."""
    told = [
        say(
            "Silenced {drained}until {until} by {who}.",
            drained=say("until the queue has drained, at the latest ") if silence.until_drained else say(""),
            until=date(silence.ends_at),
            who=mention(silence.by),
        )
        for silence in incident.silences
        if not silence.ended and silence.ends_at > now
    ]
    if told and (part := coverage_words(coverage(incident.silences, incident.group.alerts, now))):
        told.append(escaped(part, 300))
    if incident.ownership.muted:
        told.append(say("Status replies are muted; this message stays up to date."))
    return told


def deeds(incident: Incident) -> Block | None:
    """The latest actions, newest last; earlier ones are counted, and a request is replaced by its result."""
    done = [entry for entry in incident.log.timeline if entry.event in _SHOWN and not entry.answered]
    if not done:
        return None
    earlier = len(done) - MOST_DEEDS
    heading = (
        say("*What happened* ({earlier} earlier in the thread)", earlier=earlier)
        if earlier > 0
        else say("*What happened*")
    )
    return section(joined("\n", heading, *(_deed(entry) for entry in done[-MOST_DEEDS:])))


def _deed(entry: Entry) -> Marked:
    return say("• {said} {at}", said=spoken(entry, 240), at=date(entry.at))


def spoken(entry: Entry, most: int) -> Marked:
    """An entry's sentence with its author as the subject."""
    words = escaped(entry_words(entry), most) or say("did something.")
    said = say("{who} {words}", who=mention(entry.who), words=words) if entry.who else words
    if not entry.whom:
        return said
    if entry.event is Event.WORSE:
        return say("{said} {whom}, you have it.", said=said, whom=mention(entry.whom))
    return say("{said} {whom}.", said=said, whom=mention(entry.whom))
