"""The sections of an incident beside its queue: owner, silences, actions, peaks, links, notes and buttons."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from bot.core.incident.details.events import Note, Noted
from bot.core.incident.details.requests import LeaseNoted, LeaseStep, SilenceStep, Silencing
from bot.core.incident.incident import Incident
from bot.core.incident.plan import calls_people
from bot.core.incident.pools import worst_peaks
from bot.core.incident.silence import coverage
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.message import Block
from bot.core.reporting.issue import issue_of
from bot.core.requests.interaction import Offer, Place
from bot.core.words import count
from bot.views.blocks import actions, button, option, overflow, section
from bot.views.mrkdwn import Marked, channel, date, escaped, joined, link, mention, safe_url, say
from bot.views.parent.pools import name_of, wait_words
from bot.views.words.silences import coverage_words
from bot.views.words.timeline import entry_words

MOST_ACTIONS, MOST_PEAKS = 2, 5
DELETED_AGAIN, FILLS_AGAIN = Noted(Note.DELETED_AGAIN), Noted(Note.QUEUE_FILLS)
LATE_SECONDS = 60.0
SHOW_MORE = "show_more"
"""The action *More…*."""
MORE = "more"
"""The action_id of the menu; the option's value names the chosen action."""


def owner_words(incident: Incident, *, calls: bool = True) -> Marked:
    """The owner, or who was called; without `calls` the group is not mentioned, since a new message would call it."""
    own = incident.ownership
    if own.owner:
        at = say(" {at}", at=date(own.acked_at)) if own.acked_at else say("")
        if own.handed_by:
            return say("Owned by {who}, handed over by {by}{at}.", who=mention(own.owner), by=mention(own.handed_by),
                       at=at)  # fmt: skip
        return say("Acknowledged by {who}{at}.", who=mention(own.owner), at=at)
    if incident.closed:
        return say("Not acknowledged.")
    thread = incident.thread
    called = thread.called if thread.root else calls_people(incident)
    paged = say(" Paged {group}.", group=mention(thread.mention)) if thread.mention and called and calls else say("")
    escalated = say(" Escalated {at}.", at=date(own.escalated_at)) if own.escalated_at else say("")
    return say("Not acknowledged.{paged}{escalated}", paged=paged, escalated=escalated)


def silences(incident: Incident, now: float) -> list[Marked]:
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
    lines = [say("• {line}", line=line) for line in _latest(incident)]
    return section(joined("\n", *lines)) if lines else None


def latest_action(incident: Incident) -> Marked | None:
    """The latest one alone."""
    return next(reversed(_latest(incident)), None)


def _latest(incident: Incident) -> list[Marked]:
    done = [entry for entry in incident.log.timeline if _is_shown(entry) and not entry.answered]
    return [say("{words} {at}", words=spoken(entry, 240), at=date(entry.at)) for entry in done[-MOST_ACTIONS:]]


def _is_shown(entry: Entry) -> bool:
    """An action with an outcome, or muting. What ends soon has ended when this is read later."""
    if Role.ELSEWHERE in entry.event.roles or entry.details == FILLS_AGAIN:
        return False
    if isinstance(entry.details, Silencing | LeaseNoted):
        return entry.details.step not in {SilenceStep.ENDS_SOON, LeaseStep.ENDS_SOON, LeaseStep.ENDS_FINALLY}
    return bool(entry.details)


def spoken(entry: Entry, most: int) -> Marked:
    """An entry's sentence with its author as the subject, and the person that it asks at its end."""
    words = escaped(entry_words(entry), most) or say("did something.")
    whom = mention(entry.whom) if entry.whom else None
    if whom:
        why = ", you acknowledged this" if entry.event is Event.WORSE else ""
        whom = say("{whom}{why}.", whom=whom, why=why)
    return joined(" ", mention(entry.who) if entry.who else None, words, whom)


def span(incident: Incident) -> Marked:
    """Beginning and end; the header says how long that was."""
    return say("From {began} to {ended}.", began=date(incident.began_at), ended=date(ended_at(incident)))


def ended_at(incident: Incident) -> float:
    return incident.closed_at or incident.changed_at


def peaks(incident: Incident) -> Marked | None:
    words = []
    for name in worst_peaks(incident.pools.peaks, incident.pools.peaks):
        if (peak := incident.pools.peaks[name]).queued:
            wait = f", longest wait {wait_words(peak.oldest_wait_seconds)}" if peak.oldest_wait_seconds else ""
            words.append(
                say("{pool} {jobs} queued{wait}", pool=name_of(name), jobs=count(peak.queued, "job"), wait=wait)
            )
    if len(words) > MOST_PEAKS:
        words[MOST_PEAKS:] = [say("{pools}", pools=count(len(words) - MOST_PEAKS, "more pool"))]
    return say("Peak: {pools}.", pools=joined("; ", *words)) if words else None


def links(incident: Incident) -> Marked | None:
    issue, runbook = issue_of(incident), first_link(incident, "runbook")
    found = {
        "Alert": first_link(incident, "alert"),
        "Dashboard": first_link(incident, "dashboard"),
        "Silence": first_link(incident, "silence"),
        "Issue": safe_url(issue.url) if issue else "",
    }
    # in an issue, an alert's own text can look like a link of the collector, so it says where it leads
    host = f" ({urlsplit(runbook).hostname})" if incident.group.source == "github_issue" else ""
    found = {f"Runbook{host}": runbook, **found}
    return joined(" · ", *(link(url, label) for label, url in found.items() if url)) or None


def first_link(incident: Incident, kind: str) -> str:
    """The first usable address of that kind, a field of `Links`."""
    return next((url for alert in incident.group.alerts if (url := safe_url(getattr(alert.links, kind)))), "")


def notes(incident: Incident, now: float) -> Marked | None:
    """Notes: how many alerts fire, why this channel, and whether the thread is late; None if there are none."""
    thread, group = incident.thread, incident.group
    fire = moved = late = None
    if len(group.alerts) > 1 and not incident.closed:
        more = say("{more} more not shown.", more=group.truncated) if group.truncated else None
        shown = say("{firing} of {all} firing.", firing=len(group.firing), all=count(len(group.alerts), "alert"))
        fire = joined(" ", shown, more)
    if thread.instead_of:
        why = say("Tailback cannot post in {place}", place=channel(thread.instead_of))
        if any(entry.details == DELETED_AGAIN for entry in incident.log.timeline):
            why = say("its first message in {place} was deleted twice", place=channel(thread.instead_of))
        moved = say("Posted here because {why}.", why=why)
    if thread.root is not None or not incident.closed:
        posted = now if thread.root is None else thread.posted_at or incident.opened_at
        delay = posted - incident.opened_at  # P8; a parent's `ts` is Slack's time of posting
        if LATE_SECONDS <= delay <= 86_400:
            late = say("This thread opened {late} after the alert arrived.", late=wait_words(delay))
    return joined("\n", fire, moved, late) or None


def controls(offers: Sequence[Offer], subject: str, *, rest_shown: bool = False) -> Block | None:
    """At most four buttons, and one menu, of which *More…* shows the rest to one person; None without an offer.

    With `rest_shown` the rest is buttons too, for App Home. `subject` is for screen readers.
    """
    presses = {
        place: [
            button(one.label, one.name, one.request_id, f"{one.label}: {subject}", primary=one.primary)
            for one in offers
            if one.place is place
        ]
        for place in (Place.BUTTON, Place.MORE)
    }
    entries = [one for one in offers if one.place is Place.MENU and not (rest_shown and one.name == SHOW_MORE)]
    menu = [overflow(MORE, [option(one.label, one.request_id) for one in entries])] if entries else []
    elements = [*presses[Place.BUTTON], *menu, *(presses[Place.MORE] if rest_shown else ())]
    return actions(*elements) if elements else None
