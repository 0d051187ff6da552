"""Thread replies that are edited: their buttons until somebody has decided, and how far a scale-up has come."""

import math
from dataclasses import replace

from bot.core.incident.details import requests
from bot.core.incident.details.details import Details
from bot.core.incident.details.events import CauseJudged, Diagnosed, IncidentEnded
from bot.core.incident.incident import Incident, State, noted, rewritten, silenced
from bot.core.incident.silence import PROLONG
from bot.core.incident.timeline import Decision, Entry, Event
from bot.core.known import most
from bot.core.pool.pool import Snapshot

REOPEN = "reopen"
"""The action."""
REOPEN_SECONDS = 600.0
"""How long a close can be taken back: long enough to notice a slip, and shorter than the silence that it explains."""


def offering(incident: Incident, about: str, choices: tuple[str, ...], whom: str | None = None) -> Incident:
    """Offer these actions on the request `about` on the newest entry, and name `whom`."""
    newest = replace(incident.log.timeline[-1], about=about, choices=choices, whom=whom)
    return rewritten(incident, newest)


def placed(incident: Incident, number: int, ts: str, *, stale: bool = False) -> Incident:
    """Slack confirmed a reply that may be edited; if it shows something else by now (`stale`), it is drawn again."""
    entry = incident.log.entry(number)
    if entry is None:
        return incident
    log = incident.log.rewritten(replace(entry, ts=ts))
    return replace(incident, log=log.to_redraw(number) if stale else log)


def decided(incident: Incident, about: str, decision: Decision, names: tuple[str, ...] = ()) -> Incident:
    """A request is decided: remove its buttons, and say why in the reply.

    With `names`, only for entries that offer one of these actions.
    """
    log = incident.log
    for entry in incident.log.timeline:
        if entry.about != about or not entry.choices or (names and not set(names) & set(entry.choices)):
            continue
        log = log.shown_anew(replace(entry, choices=(), decisions=(*entry.decisions, decision)))
    return replace(incident, log=log)


def reworded(incident: Incident, number: int) -> Incident:
    """Slack confirmed the edit of a reply."""
    thread = replace(incident.thread, replies_next=False)
    return replace(incident, thread=thread, log=incident.log.redrawn(number), trouble=incident.trouble.over())


def is_progress_reply(entry: Entry) -> bool:
    """Whether the entry's reply is the one that advances."""
    plan = entry.details
    if not isinstance(plan, requests.ScaleRequest) or not entry.request or plan.keeps:
        return False
    return plan.step in {requests.ScaleStep.ASKED, requests.ScaleStep.APPROVAL_ASKED}


def may_change(entry: Entry) -> bool:
    """Whether the entry's reply may be edited: its buttons, its plan, or the answers to its question."""
    return bool(entry.choices) or is_progress_reply(entry) or isinstance(entry.details, Diagnosed | IncidentEnded)


def anchor_of(incident: Incident, request: str) -> Entry | None:
    """The entry with the advancing reply; None for another kind of request."""
    log = incident.log
    found = (one for one in log.timeline if one.request == request and is_progress_reply(one))
    return next((one for one in found if one.ts or one.number in log.outbox), None)


def story_of(incident: Incident, entry: Entry) -> tuple[Entry, ...]:
    """The later entries about the same request, oldest first."""
    return tuple(one for one in incident.log.timeline if one.request == entry.request and one.number > entry.number)


def shown_of(incident: Incident, number: int) -> object:
    """What a reply is drawn from; equal as long as it need not be edited."""
    entry = incident.log.entry(number)
    if entry is None:
        return None
    later = [(one.details, one.who) for one in story_of(incident, entry)] if is_progress_reply(entry) else []
    judged = [(one.details, one.who) for one in incident.log.timeline if isinstance(one.details, CauseJudged)]
    later += judged if isinstance(entry.details, Diagnosed | IncidentEnded) else []
    return (
        entry.choices,
        entry.decisions,
        entry.details,
        later,
        incident.state is State.DRAINED and is_progress_reply(entry),
    )


def quiet(details: Details | None) -> bool:
    """Whether the advancing reply alone shows an entry; bad news, and what is over, gets a reply of its own too."""
    if isinstance(details, requests.RunnersChecked):
        return details.came in {requests.RunnersCame.VERIFIED, requests.RunnersCame.UNSEEN}
    if isinstance(details, requests.RequestNotDone):
        return details.how in {requests.RequestEnd.CHECKING, requests.RequestEnd.OVER}
    declined = isinstance(details, requests.ScaleRequest) and details.step is requests.ScaleStep.DECLINED
    return isinstance(details, requests.ScaleAccepted | requests.ScaleRequest) and not declined


def advanced(  # noqa: PLR0913 - an entry's parts, named at every call
    incident: Incident,
    at: float,
    event: Event,
    details: Details,
    *,
    request: str,
    who: str | None = None,
    figures: tuple[Snapshot, ...] = (),
    choices: tuple[str, ...] = (),
    whom: str | None = None,
) -> Incident:
    """Add an entry about a scale-up; its buttons are on the newest reply about it."""
    anchor, alone = anchor_of(incident, request), quiet(details)
    tell = anchor is None or not alone
    after = noted(incident, at, event, details, who=who, figures=figures, tell=tell, request=request)
    after = offering(after, request if tell else "", choices if tell else (), whom)
    if anchor is None:
        return after
    return replace(after, log=after.log.shown_anew(replace(anchor, about=request, choices=choices if alone else ())))


def progressed(
    incident: Incident, request: str, registered: int | None, busy: int | None, *, drained: bool
) -> Incident:
    """The most that the samples showed of the requested runners; the same incident if its reply shows that already."""
    anchor = anchor_of(incident, request)
    if anchor is None or not isinstance(anchor.details, requests.ScaleRequest) or anchor.details.drained:
        return incident
    before = anchor.details  # what was complete stays complete: a plan never goes back
    came, works = most((before.registered, registered)), most((before.busy, busy))
    seen = replace(before, registered=came, busy=works, drained=drained)
    if seen == before:
        return incident
    return replace(incident, log=incident.log.shown_anew(replace(anchor, details=seen)))


def ended_with(incident: Incident) -> Incident:
    """The queue has drained: the replies of the accepted scale-ups say so."""
    log = incident.log
    for entry in log.timeline:
        if is_progress_reply(entry) and any(
            isinstance(one.details, requests.ScaleAccepted) for one in story_of(incident, entry)
        ):
            log = log.shown_anew(entry)
    return replace(incident, log=log)


def silences_checked(incident: Incident, now: float) -> Incident:
    """End silences whose time is over; notify the owner of another once, in time to extend it."""
    after, over = incident, False
    for silence in incident.silences:
        if not silence.ended and silence.ends_at <= now:
            after, over = silenced(after, replace(silence, ended=True)), True
            after = decided(after, silence.act, Decision.RAN_OUT, (PROLONG,))
    if over and not after.active_silence:
        after = noted(after, now, Event.UNSILENCED, requests.SilenceEnded(requests.SilenceEnd.RAN_OUT))
    for silence in after.silences:
        if silence.ended or silence.warn_at is None or now < silence.warn_at:
            continue
        reminded = decided(after, silence.act, Decision.ENDS_SOON, (PROLONG,))
        after = silenced(reminded, replace(silence, warn_at=None))
        after = noted(
            after, now, Event.NOTED, requests.Silencing(requests.SilenceStep.ENDS_SOON, max(0.0, silence.ends_at - now))
        )
        after = offering(after, silence.act, (PROLONG,), silence.by)
    return after


def reopening_offered(incident: Incident, request: str) -> Incident:
    """Offer it on the newest entry beside what that offers already; `request` is the one that closed the incident."""
    newest = incident.log.timeline[-1]
    return offering(incident, newest.about or request, (*newest.choices, REOPEN))


def reopening_ends_at(incident: Incident) -> float | None:
    """Until when it is offered (epoch seconds); None if it is not."""
    offered = any(REOPEN in entry.choices for entry in incident.log.timeline)
    return incident.closed_at + REOPEN_SECONDS if offered and incident.closed_at is not None else None


def reopening_withdrawn(incident: Incident, now: float = math.inf) -> Incident:
    """Without the offer once its time is over; other buttons stay."""
    log, until = incident.log, reopening_ends_at(incident)
    if until is None or now < until:
        return incident
    for entry in incident.log.timeline:
        if REOPEN in entry.choices:
            log = log.shown_anew(replace(entry, choices=tuple(one for one in entry.choices if one != REOPEN)))
    return replace(incident, log=log)


def closed_by_hand(incident: Incident, now: float) -> bool:
    """Whether somebody closed it, lately enough to take that back."""
    at, entry = incident.closed_at, last_close(incident)
    return at is not None and now - at < REOPEN_SECONDS and entry is not None and entry.at >= at


def last_close(incident: Incident) -> Entry | None:
    """The last time that somebody closed it."""
    closes = (entry for entry in reversed(incident.log.timeline) if entry.event is Event.RESOLVED_BY_HAND)
    return next(closes, None)
