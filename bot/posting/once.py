"""Say one thing in Slack for an incident: the parent, an edit of it, or a reply; and what each failure means."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.context.context import Context
from bot.core.alert import likeness
from bot.core.charts.chart_record import standing, turned_down
from bot.core.incident.fallback_channel import moved as moved_to
from bot.core.incident.incident import Incident, noted, redrawn, rooted, told
from bot.core.incident.reply_buttons import placed, reworded
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Message
from bot.ports import Failure, Posted, Unreachable

OVER = "over/"
"""Begins the mark of a first message whose incident is closed: nobody takes that thread up again."""
LOOK_UP_SECONDS = 120.0
"""When Slack's history stays unreadable for that long, post all the same: late beats never (P2)."""
PLAIN_AFTER = 2
"""Failures in a row before the minimal rendering is used (P9)."""
QUARANTINE_SECONDS = 3600.0
CREDENTIALS_SECONDS = 10.0
"""At most one probe per incident in this time while the token is not accepted."""
PLACE_SECONDS = 60.0
"""At most one try a minute at a channel that cannot be used, when there is no fallback."""
NEW_THREAD = "The first message of this incident was deleted; this is its new thread."


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it went: the move that it makes true, and when to look again (epoch seconds; None: at once)."""

    move: Callable[[Incident], Incident]
    again_at: float | None = None
    uncertain: bool = False
    """Nobody knows whether Slack has it."""
    restart_settle: bool = False
    """The doubt is about this very try, so that the time to wait before a look counts from now."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A message of ours that an earlier try may have brought into Slack."""

    channel: str
    mark: str
    since: float
    """When it was sent at the earliest; epoch seconds."""
    thread: str | None = None


async def post_root(
    context: Context, incident: Incident, message: Message, drawn: str, in_doubt_since: float | None
) -> Outcome:
    """Open the thread; when an earlier try may have worked, look for its message first."""
    channel, mark = incident.thread.channel, message_key(incident)
    found = await find_posted(context, Lookup(channel, mark, incident.opened_at - 60), in_doubt_since)
    if isinstance(found, Outcome):
        return found
    if found and await context.store.find(f"thread:{channel}:{found.ts}") == incident.id:
        found = None  # the thread that was given up for this new one
    posted = found or await context.chat.post(channel, message, mark=mark)
    now = context.now()
    shown = "" if found else drawn
    return Outcome(lambda fresh: rooted(fresh, posted.channel, posted.ts, shown, now))


async def post_reply(
    context: Context, incident: Incident, entry: Entry, message: Message, in_doubt_since: float | None
) -> Outcome:
    """Tell the thread of one entry."""
    thread, mark = incident.thread, f"{incident.id}/{entry.number}"
    found = await find_posted(
        context, Lookup(thread.channel, mark, incident.opened_at - 60, thread.root), in_doubt_since
    )
    if isinstance(found, Outcome):
        return found
    posted = found or await context.chat.post(
        thread.channel, message, mark=mark, thread=thread.root, broadcast=entry.broadcast
    )
    if entry.chart:
        return Outcome(lambda fresh: standing(told(fresh, entry.number), entry.number, posted.ts))
    if not entry.choices:
        return Outcome(lambda fresh: told(fresh, entry.number))
    return Outcome(lambda fresh: placed(told(fresh, entry.number), entry.number, posted.ts))


async def edit_reply(context: Context, incident: Incident, entry: Entry, message: Message) -> Outcome:
    """Take the buttons of a decided reply away, or give it its picture; one that a person deleted needs neither.

    A refused picture says nothing of the rendering: the reply stays as it stands, and is edited later or not at all.
    """
    try:
        await context.chat.update(incident.thread.channel, entry.ts, message)
    except Unreachable as error:
        if error.failure is Failure.SHAPE and entry.picture and not incident.thread.plain:
            return Outcome(lambda fresh: turned_down(fresh, entry.number))
        if error.failure is not Failure.GONE:
            raise
    return Outcome(lambda fresh: reworded(fresh, entry.number))


async def edit_root(context: Context, incident: Incident, message: Message, drawn: str) -> Outcome:
    """Make the parent true again."""
    mark = f"{OVER}{message_key(incident)}" if incident.closed else message_key(incident)
    await context.chat.update(incident.thread.channel, incident.thread.root or "", message, mark=mark)
    now = context.now()
    return Outcome(lambda fresh: redrawn(fresh, drawn, now))


def message_key(incident: Incident) -> str:
    """What a thread's first message carries: whose it is, and of what group, by opaque ids alone (C19)."""
    return f"{incident.id}.{likeness(incident.source, incident.receiver, incident.group_key)}"


def after_failure(context: Context, incident: Incident, error: Unreachable) -> Outcome:
    """What a failed call means for the incident: docs/reliability.md#what-slack-errors-do, row by row."""
    now, slack = context.now(), context.settings.file.slack
    why = str(error)
    match error.failure:
        case Failure.LATER:
            said = Outcome(_same, now + (error.retry_after_seconds or 1.0))
        case Failure.UNKNOWN:
            said = Outcome(lambda fresh: missed(fresh, why), now + slack.settle, uncertain=True, restart_settle=True)
        case Failure.CREDENTIALS:
            said = Outcome(lambda fresh: replace(fresh, trouble=why), now + CREDENTIALS_SECONDS)
        case Failure.SHAPE:
            plain = Outcome(lambda fresh: _plain(missed(fresh, why)), now)
            later = now + QUARANTINE_SECONDS
            said = Outcome(lambda fresh: _at_rest(fresh, why, later), later) if incident.thread.plain else plain
        case Failure.GONE:
            said = Outcome(lambda fresh: _new_root(fresh, now), now)
        case Failure.PLACE:
            fallback = slack.fallback_channel
            can_move = bool(fallback) and fallback != incident.thread.channel
            moved = Outcome(lambda fresh: moved_to(fresh, fallback, now), now)
            soon = now + PLACE_SECONDS
            said = moved if can_move else Outcome(lambda fresh: _at_rest(fresh, why, soon), soon)
        case Failure.UNCONNECTED:
            pause = min(60.0, 2.0 ** min(incident.attempts + 1, 6))
            said = Outcome(lambda fresh: missed(fresh, why), now + pause)
    return said


def _same(incident: Incident) -> Incident:
    return incident


def missed(incident: Incident, why: str) -> Incident:
    """One more call in a row that did not get through; the rendering is not to blame."""
    return replace(incident, attempts=incident.attempts + 1, trouble=why)


def stumbled(incident: Incident, why: str) -> Incident:
    """One more failure of our own in a row; enough of them and the minimal rendering is used."""
    worse = missed(incident, why)
    return _plain(worse) if worse.attempts > PLAIN_AFTER else worse


def _at_rest(incident: Incident, why: str, until: float) -> Incident:
    """Left alone until then, whatever wakes the record in between."""
    return replace(missed(incident, why), retry_at=until)


async def find_posted(context: Context, sought: Lookup, in_doubt_since: float | None) -> Posted | Outcome | None:
    """The message, None when it may be sent, or the wait before that can be known (P2)."""
    if in_doubt_since is None:
        return None
    now, settle = context.now(), context.settings.file.slack.settle
    ready = in_doubt_since + context.settings.file.timing.lease + settle
    if now < ready:
        return Outcome(_same, ready, uncertain=True)
    try:
        return await context.chat.find(sought.channel, sought.mark, since=sought.since, thread=sought.thread)
    except Unreachable as error:
        if now - in_doubt_since > LOOK_UP_SECONDS:
            return None
        why = str(error)
        return Outcome(lambda fresh: replace(fresh, trouble=why), now + settle, uncertain=True)


def _plain(incident: Incident) -> Incident:
    return replace(incident, thread=replace(incident.thread, plain=True))


def _new_root(incident: Incident, now: float) -> Incident:
    gone = replace(incident, thread=replace(incident.thread, root=None, shown=""))
    if any(entry.text == NEW_THREAD and now - entry.at < QUARANTINE_SECONDS for entry in incident.timeline):
        return replace(gone, retry_at=now + QUARANTINE_SECONDS, trouble="the thread was deleted again")
    return noted(gone, now, Event.NOTED, NEW_THREAD)
