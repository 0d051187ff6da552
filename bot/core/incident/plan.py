"""Decides an incident's next step, or when to check again."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.incident.details.events import Escalated
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.observe import Timing, View, introduction_due_at, latest
from bot.core.incident.reply_buttons import reopening_ends_at
from bot.core.incident.timeline import Event
from bot.core.pool.pool import PoolRules, drained

RETURN_SECONDS = 3600.0
"""How often the own channel of an incident in the fallback channel is tried again."""


CALLING = frozenset({Event.ESCALATED, Event.CALLED, Event.WORSE, Event.UNACKED})
"""Entries whose reply calls people."""


class Do(StrEnum):
    POST_ROOT = "post_root"
    """The thread is not confirmed yet."""
    POST_REPLY = "post_reply"
    EDIT_ROOT = "edit_root"
    EDIT_REPLY = "edit_reply"
    """A reply shows decided buttons."""
    ESCALATE = "escalate"
    RETURN_TO_CHANNEL = "return_to_channel"
    """It is in the fallback channel, and its own has not been tried for a while."""
    POINT_TO_NEW_THREAD = "point_to_new_thread"
    """It has returned, and its message in the fallback channel does not say so yet."""
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class NextStep:
    do: Do
    number: int = 0
    """The timeline entry of a reply."""
    until: float | None = None
    """When to check again (epoch seconds); None: when something happens."""


def calls_people(incident: Incident) -> bool:
    """Whether somebody is still to be called: nobody owns it, and neither the alert nor the queue is back to normal."""
    lasts = bool(incident.group.firing or incident.group.silent)
    return lasts and incident.state is State.OPEN and incident.ownership.owner is None


def above_normal(incident: Incident, view: View, now: float, timing: Timing) -> bool:
    """Whether a fresh figure of our own shows a queue that is not back to normal."""
    return any(
        drained(sample, view.rules.get(sample.pool, PoolRules(sample.pool))) is False
        for sample in latest(incident, view, now, timing)
        if sample.pool in incident.pools.judged
    )


def next_step(incident: Incident, drawn: str, now: float, timing: Timing, *, queues: bool = False) -> NextStep:
    """The next step; `drawn` is the digest of the current rendering.

    Order: the thread, then the parent (a click shows there at once), then entries, oldest first. A parent that changes
    all the time alternates with replies that must be edited. An escalation waits for none of them, since people outside
    Slack hear of it too. `queues`: whether a fresh figure is above normal (`above_normal`).
    """
    escalation = escalation_due_at(incident, timing, queues=queues)
    alone = not incident.closed and escalation <= now
    if alone or incident.trouble.retry_at > now:
        return NextStep(Do.ESCALATE) if alone else _wait(incident.trouble.retry_at)
    if incident.thread.root is None:
        known = all(name in incident.pools.seen for name in incident.pools.candidates)
        first_look = 0.0 if known else incident.opened_at + timing.first_look
        return _wait(first_look) if now < first_look else NextStep(Do.POST_ROOT)
    if incident.thread.left or return_due(incident, now):
        return NextStep(Do.POINT_TO_NEW_THREAD if incident.thread.left else Do.RETURN_TO_CHANNEL)
    replies_turn = incident.thread.replies_next and incident.log.redraw and not incident.log.outbox
    failing = incident.trouble.why is not None
    shown_at, measured_at = incident.thread.shown_at, max(incident.pools.seen.values(), default=0.0)
    outdated = not incident.closed and now - shown_at >= timing.report and measured_at > shown_at
    if (not replies_turn or failing) and (incident.thread.shown != drawn or outdated):
        return NextStep(Do.EDIT_ROOT)
    if (posts := incident.log.outbox) or incident.log.redraw:
        return NextStep(Do.POST_REPLY, posts[0]) if posts else NextStep(Do.EDIT_REPLY, incident.log.redraw[0])
    return _wait(reopening_ends_at(incident) if incident.closed else _next_at(incident, now, timing, escalation))


def return_due(incident: Incident, now: float) -> bool:
    """Whether its own channel should be tried again."""
    thread = incident.thread
    return not incident.closed and thread.instead_of is not None and now - thread.tried_home_at >= RETURN_SECONDS


def _wait(until: float | None) -> NextStep:
    return NextStep(Do.WAIT, until=until)


def escalation_due_at(incident: Incident, timing: Timing, *, queues: bool = False) -> float:
    """When to escalate; infinity if acknowledged, already done, or switched off.

    A silence pauses it, because a person made it; the time starts again at its end, and when an acknowledgement is
    taken back. Nobody is called while the alert has resolved, or the queue is back to normal. A source that went silent
    has seen no recovery, so people are called while the queue is above normal.
    """
    since, escalated_at = _unowned_since(incident), incident.ownership.escalated_at
    called = incident.ownership.owner or (escalated_at and escalated_at >= since)
    lasts = incident.group.firing or (incident.group.silent and queues)
    if called or not lasts or incident.state is not State.OPEN or not timing.escalate_after:
        return float("inf")
    ended = [entry.at for entry in incident.log.timeline if entry.event is Event.UNSILENCED]
    silence = incident.active_silence
    return max([since, *ended, *([silence.ends_at] if silence else [])]) + timing.escalate_after


def _unowned_since(incident: Incident) -> float:
    again = [entry.at for entry in incident.log.timeline if entry.event in {Event.REOPENED, Event.UNACKED}]
    return max([incident.opened_at, *again])


def _next_at(incident: Incident, now: float, timing: Timing, escalation: float) -> float:
    soon = [now + max(timing.poll, 0.05), escalation]
    if (due := introduction_due_at(incident, timing)) > now:
        soon.append(due)
    if (silence := incident.active_silence) is not None:
        soon.append(max(silence.ends_at, now + 0.05))
    return min(soon)


def escalated(incident: Incident, now: float) -> Incident:
    """Escalate once; the view adds the mention."""
    after = replace(incident, ownership=replace(incident.ownership, escalated_at=now))
    return noted(after, now, Event.ESCALATED, Escalated(now - _unowned_since(incident)), broadcast=True)
