"""The messages of an incident's thread: what each step sends, and the state changes that follow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bot.context.context import Context
from bot.context.five_lines import five_lines
from bot.core.incident.details.events import Note, Noted
from bot.core.incident.incident import (
    Incident,
    moved,
    noted,
    paused,
    redrawn,
    reply_posted,
    returned,
    rewritten,
    rooted,
    troubled,
)
from bot.core.incident.plan import CALLING, RETURN_SECONDS, Do, NextStep, calls_people
from bot.core.incident.reply_buttons import may_change, placed, reworded, shown_of
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Message
from bot.ports import Failure, Posted
from bot.posting.failures import QUARANTINE_SECONDS, FailureRule, MessageKind, Reaction
from bot.posting.message_key import OVER, message_key
from bot.posting.send import Outcome, Outgoing
from bot.views.mrkdwn import Marked
from bot.views.thread.replies import reply
from bot.views.thread.results import returned_to_channel

LEFT = "left/"
"""Prefix of the key of a first message whose incident returned to its own channel."""
PLAIN_AFTER = 2
"""Own failures in a row before the text is sent without blocks (P9)."""
JUST_NOW_SECONDS = 5.0
"""Actions of people this recent are shown first."""
NEW_THREAD = Noted(Note.NEW_THREAD)
DELETED_AGAIN, UNEDITABLE = Noted(Note.DELETED_AGAIN), Noted(Note.UNEDITABLE)

_DELETED = FailureRule(Reaction.GIVE_UP, reason="a reply that somebody deleted needs no edit")
_SAID = FailureRule(Reaction.GIVE_UP, reason="a reply says so, and the replies go on")
_STALE = FailureRule(Reaction.GIVE_UP, reason="the next reply says what has become of it")
_POINTER = FailureRule(Reaction.GIVE_UP, reason="the incident goes on in its own channel anyway")
_STAYS = FailureRule(Reaction.GIVE_UP, RETURN_SECONDS, reason="the incident stays where it is until its channel works")
THREAD = MessageKind("thread", edits={Failure.UNEDITABLE: _SAID})
REPLY_EDIT = MessageKind("reply", edits={Failure.GONE: _DELETED, Failure.UNEDITABLE: _STALE})
POINTER = MessageKind(
    "pointer", edits=dict.fromkeys((Failure.GONE, Failure.PLACE, Failure.SHAPE, Failure.UNEDITABLE), _POINTER)
)
RETURN = MessageKind("return", posts={Failure.PLACE: _STAYS})

Move = Callable[[Incident], Incident]


@dataclass(frozen=True, slots=True)
class Drawn:
    message: Message
    digest: str


def _plain(incident: Incident) -> Incident:
    return replace(incident, thread=replace(incident.thread, plain=True))


@dataclass(frozen=True, slots=True)
class StepMessage:
    out: Outgoing
    stands: Callable[[Incident, Posted, str], Incident]
    """The state change, from the message's place and its digest."""
    given_up: Callable[[Incident, Outcome], Incident] = lambda incident, _: incident
    plainly: Move = _plain
    """The state change that sends it without blocks."""


async def message_of(context: Context, incident: Incident, step: NextStep, drawn: Drawn) -> StepMessage | None:
    """The message of a step; None if there is nothing to send any more."""
    if step.do in {Do.POST_REPLY, Do.EDIT_REPLY}:
        entry = incident.log.entry(step.number)
        if entry is None or (step.do is Do.POST_REPLY and _calls_in_vain(incident, entry)):
            return None
        state = await five_lines(context, incident) if entry.event is Event.CALLED else ()
        return _reply(context, incident, _judged(entry), state, editing=step.do is Do.EDIT_REPLY)
    if step.do is Do.POINT_TO_NEW_THREAD:
        return await _pointer(context, incident)
    thread, key, now = incident.thread, message_key(incident), context.now()
    if step.do is Do.EDIT_ROOT:
        out = _outgoing(context, incident, drawn.message, f"{OVER}{key}" if incident.closed else key, ts=thread.root)
        return StepMessage(out, lambda fresh, _, shown: redrawn(fresh, shown, now), partial(_uneditable, drawn, now))
    out = _outgoing(context, incident, drawn.message, key)
    if step.do is Do.POST_ROOT:
        called = calls_people(incident)

        def stands(fresh: Incident, at: Posted, shown: str) -> Incident:
            standing = rooted(fresh, at.channel, at.ts, shown, now)
            return replace(standing, thread=replace(standing.thread, called=called))

        return StepMessage(out, stands)
    own = replace(out, kind=RETURN, channel=thread.instead_of or thread.channel)

    def stays(fresh: Incident, outcome: Outcome) -> Incident:
        tried_at = (outcome.again_at or 0.0) - RETURN_SECONDS
        return replace(fresh, thread=replace(fresh.thread, tried_home_at=tried_at))

    return StepMessage(own, lambda fresh, at, shown: returned(fresh, at.ts, shown, now), stays)


def _uneditable(drawn: Drawn, now: float, incident: Incident, _: Outcome) -> Incident:
    """The first message stays as it is, and its thread says so once; the next change tries again."""
    tried = redrawn(incident, drawn.digest, now)
    noted_before = any(entry.details == UNEDITABLE for entry in incident.log.timeline)
    return tried if noted_before else noted(tried, now, Event.NOTED, UNEDITABLE)


def _calls_in_vain(incident: Incident, entry: Entry) -> bool:
    """Whether a reply that calls people has waited until nobody is to be called: the parent and the export have it.

    That somebody took back an acknowledgement is told all the same, and then calls nobody (`reply`).
    """
    needed = calls_people(incident) if entry.event is Event.ESCALATED else not incident.closed
    return entry.event in CALLING - {Event.UNACKED} and not needed


def _judged(entry: Entry) -> Entry:
    """The entry as it leaves: what somebody decided while it waited asks nobody any more."""
    return replace(entry, whom=None) if entry.decisions else entry


def _outgoing(
    context: Context, incident: Incident, message: Message | None, key: str, *, ts: str | None = None
) -> Outgoing:
    last, thread = incident.log.timeline[-1] if incident.log.timeline else None, incident.thread
    return Outgoing(
        THREAD,
        thread.channel,
        message,
        key,
        incident.id,
        incident.opened_at - 60,
        ts,
        urgent=last is not None and last.who is not None and context.now() - last.at < JUST_NOW_SECONDS,
        plain=thread.plain,
        failures=incident.trouble.attempts,
    )


def _reply(
    context: Context, incident: Incident, entry: Entry, state: Sequence[Marked], *, editing: bool
) -> StepMessage:
    number, plain = entry.number, entry.plain or incident.thread.plain
    at, labels = float(entry.ts) if editing else context.now(), context.reply_labels(entry)
    words = reply(incident, entry, at, labels, state)
    words = Message(words.text) if plain else words

    def plainly(fresh: Incident) -> Incident:
        """Only this reply loses its blocks: Slack may well take those of the others."""
        known = fresh.log.entry(number)
        return rewritten(fresh, replace(known, plain=True)) if known else fresh

    if editing:
        out = replace(_outgoing(context, incident, words, "", ts=entry.ts), kind=REPLY_EDIT, plain=plain)

        def edited(fresh: Incident, *_: object) -> Incident:
            return reworded(fresh, number)

        return StepMessage(out, edited, edited, plainly)
    out = _outgoing(context, incident, words, f"{incident.id}/{number}")
    out = replace(out, thread=incident.thread.root, broadcast=entry.broadcast, plain=plain)
    shown = shown_of(incident, number)

    def stands(fresh: Incident, at: Posted, _: str) -> Incident:
        after = reply_posted(fresh, number)
        stale = shown_of(fresh, number) != shown
        return placed(after, number, at.ts, stale=stale) if may_change(entry) else after

    return StepMessage(out, stands, plainly=plainly)


async def _pointer(context: Context, incident: Incident) -> StepMessage:
    """The first message that it left points to the new thread, without buttons."""
    channel, ts = incident.thread.left or ("", "")
    link = await context.chat.permalink(incident.thread.channel, incident.thread.root or "")
    words = returned_to_channel(link, own=incident.thread.instead_of is None)
    out = _outgoing(context, incident, words, f"{LEFT}{incident.id}", ts=ts)
    out = replace(out, kind=POINTER, channel=channel)

    def pointed(fresh: Incident, *_: object) -> Incident:
        return replace(fresh, thread=replace(fresh.thread, left=None))

    return StepMessage(out, pointed, pointed)


def after_failure(context: Context, outcome: Outcome, plainly: Move) -> Move:
    """The state change after a failure (`bot/posting/failures.py`); `plainly` is that of the message."""
    now, fallback, why = context.now(), context.settings.file.slack.fallback_channel, outcome.why
    match outcome.reaction:
        case Reaction.PLAIN:
            return lambda fresh: plainly(_missed(fresh, why))
        case Reaction.REST:
            return lambda fresh: paused(_missed(fresh, why), outcome.again_at or now)
        case Reaction.FALLBACK:
            return lambda fresh: moved(fresh, fallback, now)
        case Reaction.REPOST:
            return lambda fresh: _new_root(fresh, now, fallback)
    if outcome.failure is Failure.LATER:
        return lambda fresh: fresh
    return lambda fresh: _missed(fresh, why) if outcome.counts else troubled(fresh, why)


def _missed(incident: Incident, why: str) -> Incident:
    """One more failed call in a row; the rendering is not the cause."""
    return replace(incident, trouble=replace(incident.trouble, attempts=incident.trouble.attempts + 1, why=why))


def failed_again(incident: Incident, why: str) -> Incident:
    """One more own failure in a row; after enough of them the text is sent without blocks."""
    worse = _missed(incident, why)
    return _plain(worse) if worse.trouble.attempts > PLAIN_AFTER else worse


def _new_root(incident: Incident, now: float, fallback: str) -> Incident:
    """A new first message; the second time within an hour in the fallback channel, since somebody deletes it here."""
    gone = replace(incident, thread=replace(incident.thread, root=None, shown=""))
    if any(entry.details == NEW_THREAD and now - entry.at < QUARANTINE_SECONDS for entry in incident.log.timeline):
        if fallback not in {"", incident.thread.channel}:
            return noted(moved(gone, fallback, now), now, Event.NOTED, DELETED_AGAIN)
        return paused(troubled(gone, "the thread was deleted again"), now + QUARANTINE_SECONDS)
    return noted(gone, now, Event.NOTED, NEW_THREAD)
