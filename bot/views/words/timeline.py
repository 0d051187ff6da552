"""Timeline entries in words: one function per kind of details. A new action adds its rows to the tables here."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.core.incident.details import events, people, requests
from bot.core.incident.details.actions import ActionNoted
from bot.core.incident.details.details import Details
from bot.core.incident.timeline import Decision, Entry, Event
from bot.core.paging.page import PageAction
from bot.core.pool.pool import Snapshot
from bot.core.words import count, duration, figure, listed
from bot.views.words import scaling
from bot.views.words.closing import ending_lines, ending_words, silent_words
from bot.views.words.diagnosis import diagnosis_lines, judged_words, survey_headline
from bot.views.words.phrase import phrase
from bot.views.words.silences import coverage_words, silence_ended_words, silencing_words
from bot.views.words.sources import course_lines
from bot.views.words.sparkline import spark_lines

PLAIN = {
    Event.ACKED: "acknowledged this incident.",
    Event.UNACKED: "withdrew the acknowledgement. Nobody owns this incident now.",
    Event.REOPENED: "reopened this incident.",
    Event.EASING: "The queue is back to normal, but the alert still fires.",
}
"""Events without values."""
NOTES = {
    events.Note.QUEUE_FILLS: "Jobs are queueing again.",
    events.Note.NEW_THREAD: "The first message of this incident was deleted. This is its new thread.",
    events.Note.BACK_IN_CHANNEL: "Its own channel works again: the incident continues here. "
    "It was in the fallback channel until now.",
    events.Note.DELETED_AGAIN: "The first message of this incident was deleted twice within an hour. "
    "The incident continues here, in the fallback channel.",
    events.Note.UNEDITABLE: "Slack does not let me edit the first message any more. Its figures and buttons are old. "
    "Follow the replies here, or write `@tailback status`.",
    events.Note.RECORDS_LOST: "The records of this thread were lost, and with them all actions. "
    "The alert still fires, so the incident continues here.",
}
DECISIONS = {
    Decision.APPROVED: "Approved.",
    Decision.DECLINED: "Declined.",
    Decision.EXTENDED: "Extended.",
    Decision.ENDS_SOON: "It ends soon. See below.",
    Decision.RAN_OUT: "It has expired.",
    Decision.SETTLED: "See the result below.",
}
"""Text in place of decided buttons."""
SAID: Mapping[str, Mapping[str, str]] = {
    "mute": {"on": "muted updates in the thread.", "off": "resumed updates in the thread."}
}
"""Action and step of an `ActionNoted` → its sentence after a person's name, with `{names}` of its values."""
ASKED_TO: Mapping[str, str] = {
    "scale_up": "scale",
    "hand_back": "return the extra runners of",
    "extend": "keep the extra runners of",
    "silence": "silence the alert",
    "prolong": "extend the silence",
    "unsilence": "end the silence",
    "file_issue": "file an issue",
}
"""Action with an effect → the end of `asked to`, where that is not its name."""
GO_ON = requests.SilenceEnded | requests.RunnersReturned | requests.RequestNotDone
"""Details whose sentence continues a person's name, and that Tailback reports by itself too."""


def entry_words(entry: Entry) -> str:
    """The sentence of an entry; with `who` it goes on after that person's name."""
    if entry.details is None:
        return PLAIN.get(entry.event, "")
    if isinstance(entry.details, events.ChartShown):
        return "asked for the chart." if entry.who else "Queue so far"
    words = details_words(entry.details, entry.figures)
    return words if entry.who or not isinstance(entry.details, GO_ON) else f"{words[:1].upper()}{words[1:]}"


def entry_lines(entry: Entry) -> tuple[str, ...]:
    return (*details_lines(entry.details, entry.figures), *(DECISIONS[one] for one in entry.decisions))


def details_words(details: Details, figures: Sequence[Snapshot] = ()) -> str:  # noqa: PLR0911 - a line a kind
    """The sentence of details, without the author; `figures` are the entry's."""
    match details:
        case events.PlainText():
            return f"noted: {details.text}" if details.quoted else details.text
        case events.Noted():
            return NOTES[details.note]
        case events.Introduced():
            return "Alert values and other pools."
        case events.AlertFired():
            return f"The alert arrived: {details.title}"
        case events.AlertResolved():
            return resolved_words(details)
        case events.FiredAgain():
            return f"The alert fired again, {duration(details.after_seconds)} after the end."
        case events.AlertOddities():
            return "The alert's sender does not follow the event format. Check what is missing or wrong here:"
        case events.EarlyWarningGiven():
            before = duration(details.before_seconds)
            return f"An early warning for {details.pool} came {before} before this alert."
        case events.ChartShown():
            return "asked for the chart."
        case events.Diagnosed():
            return f"asked for a diagnosis. {survey_headline(details, figures)}"
    return _WORDS[type(details)](details)


def details_lines(details: Details | None, figures: Sequence[Snapshot] = ()) -> tuple[str, ...]:  # noqa: PLR0911
    match details:
        case events.PlainText():
            return details.lines
        case events.AlertOddities():
            return details.problems
        case people.HandedOver():
            return (f"Note: {details.note}",) if details.note else ()
        case events.ChartShown():
            return (*spark_lines(details.sparks, details.more_pools), *course_lines(details.signals))
        case requests.ScaleAccepted():
            return scaling.accepted_lines(details)
        case requests.RunnersReturned():
            return scaling.returned_lines(details)
        case events.Diagnosed():
            return diagnosis_lines(details, figures)
        case events.IncidentEnded():
            return ending_lines(details.summary)
        case _:
            return ()


def resolved_words(resolved: events.AlertResolved) -> str:
    if not resolved.silent:
        return "The alert resolved." + (" I'll watch the queue until it has drained." if resolved.measured else "")
    watch = " I'll go by the queue itself until it has drained." if resolved.measured else ""
    return f"The alert's source went silent: {silent_words(resolved.silent)}. That is no recovery.{watch}"


def _joined_words(joined: events.AlertsJoined) -> str:
    parts = []
    if joined.new:
        parts.append(f"{count(len(joined.new), 'more alert')} of this group fired: {listed(joined.new)}.")
    if joined.again:
        parts.append(f"Fired again: {listed(joined.again)}.")
    if joined.blind:
        parts.append(f"The metrics source no longer returns data: {listed(joined.blind)}.")
    for name, error in joined.errors.items():
        parts.append(f"The alert rule {name} fails: {error.rstrip('.')}.")
    return " ".join([*parts, *filter(None, [coverage_words(joined.coverage)])])


def _queue_words(changed: events.QueueChanged) -> str:
    """A number of jobs that is not known is left out; the first message says which pool's it is."""
    now, was = (f"longest wait {duration(wait)}" for wait in (changed.wait_seconds, changed.was_wait_seconds))
    if changed.was_queued is not None:
        was = (
            f"{figure(changed.was_queued)}, {duration(changed.was_wait_seconds)}" if changed.was_queued else "no queue"
        )
    queued = ":" if changed.queued is None else f" {figure(changed.queued)} queued,"
    return f"Worse: {changed.pool or 'all affected pools'}{queued} {now} (before: {was})."


def _issue_words(details: requests.IssueNoted) -> str:
    if details.step is requests.IssueStep.ASKED:
        return f"asked to file an issue in {details.name}."
    if details.step is requests.IssueStep.NOT_FILED:
        return f"would have filed an issue in {details.name} (shadow mode). Nothing was done."
    lacking = f" GitHub did not set {listed(details.lacking)}: its token may not set labels." if details.lacking else ""
    return f"filed {details.name}.{lacking}"


def _not_done_words(request: requests.RequestNotDone) -> str:
    where = f" {request.pool}" if request.pool else ""
    target = f" to {request.target}" if request.target is not None else ""
    waited = duration(request.waited_seconds)
    came = {
        requests.RequestEnd.REFUSED: f"Refused: {request.why}",
        requests.RequestEnd.FAILED: f"It failed: {request.why}.",
        requests.RequestEnd.UNKNOWN: f"Outcome unknown: {request.why}. Check there.",
        requests.RequestEnd.CHECKING: f"{request.system}: {request.why or 'did not answer'}. Checking what happened.",
        requests.RequestEnd.LAPSED: f"It expired: nobody approved it within {waited}. Nothing was changed.",
        requests.RequestEnd.OVER: "The incident ended before anybody approved it. Nothing was changed.",
    }[request.how]
    return f"asked to {ASKED_TO.get(request.action, request.action)}{where}{target}. {came}"


def _action_words(details: ActionNoted) -> str:
    """The sentence of a step; that of another release's action has only its name."""
    words = SAID.get(details.action, {}).get(details.step)
    return phrase(words, details.values) if words else f"did {details.action}: {details.step}."


ENDINGS = {
    PageAction.TRIGGER: "Nobody has acknowledged it in Slack.",
    PageAction.ACKNOWLEDGE: "Acknowledged in Slack.",
    PageAction.RESOLVE: "The incident is over.",
}


def page_text(action: PageAction, headline: str, *, over: bool, by_person: bool = False) -> str:
    """`over` is the incident; the page of an open one is resolved when the next one takes its place.

    `by_person`: a person called this pager.
    """
    if by_person and action is PageAction.TRIGGER:
        return f"{headline}. Somebody escalated it in Slack."
    replaced = action is PageAction.RESOLVE and not over
    return f"{headline}. {'Nobody owns it any more. A new page follows.' if replaced else ENDINGS[action]}"


def paged_words(details: events.Escalated | events.Paged) -> str:
    """`Not acknowledged for 15 min.`; `Paged oncall.`, or that the pager could not be reached."""
    if isinstance(details, events.Escalated):
        return f"Not acknowledged for {duration(details.waited_seconds)}."
    if details.problem:
        return f"Could not page {details.pager}: {details.problem}. I keep trying."
    return f"Paged {details.pager}."


PeopleDetails = people.HandedOver | people.HandoverDeclined | people.ReminderAsked | people.Escalation


def _people_words(details: PeopleDetails) -> str:
    """The person that it concerns is named behind it."""
    match details:
        case people.Escalation():
            return f"escalated this incident to {details.pager}." if details.pager else "escalated this incident."
        case people.HandedOver():
            return "handed this incident over to"
        case people.ReminderAsked():
            return f"asked for a reminder in {duration(details.seconds)}, unless the queue drains first."
        case people.HandoverDeclined():
            return f"declined this incident. {'It belongs again to' if details.back_to else 'Nobody owns it now.'}"


_WORDS: Mapping[type[Details], Callable[[Any], str]] = {
    events.AlertsJoined: _joined_words,
    people.HandedOver: _people_words,
    people.HandoverDeclined: _people_words,
    people.ReminderAsked: _people_words,
    people.Escalation: _people_words,
    events.Escalated: paged_words,
    events.Paged: paged_words,
    events.QueueChanged: _queue_words,
    requests.Silencing: silencing_words,
    requests.SilenceEnded: silence_ended_words,
    requests.ScaleRequest: scaling.scale_request_words,
    requests.ScaleAccepted: scaling.accepted_words,
    requests.RunnersChecked: scaling.checked_words,
    requests.LeaseNoted: scaling.lease_words,
    requests.RunnersReturned: scaling.returned_words,
    requests.RequestNotDone: _not_done_words,
    requests.IssueNoted: _issue_words,
    ActionNoted: _action_words,
    events.CauseJudged: judged_words,
    events.IncidentEnded: ending_words,
}
"""The other kinds of details, each with the function for its sentence."""
