"""An incident is due: look, do the next steps of its plan, record each one, and say when to look again."""

import asyncio
from dataclasses import dataclass, replace

import structlog

from bot.context.context import Context
from bot.context.save import Move, keep
from bot.core.incident.fallback_channel import at_home, return_failed
from bot.core.incident.incident import Incident, told
from bot.core.incident.observe import Timing, View, observed
from bot.core.incident.plan import (
    EditReply,
    EditRoot,
    Escalate,
    PointToNewThread,
    PostReply,
    PostRoot,
    ReturnToChannel,
    Step,
    Wait,
    escalated,
    next_step,
)
from bot.core.incident.reply_buttons import reworded
from bot.core.message import Message
from bot.core.record import Change, Conflict, Stored
from bot.diagnosing.explain import explained
from bot.incidents.fallback_channel import (
    fallback_if_closed,
    mark_closed,
    mark_usable,
    point_to_new_thread,
    return_to_channel,
)
from bot.incidents.quarantine import resting
from bot.ports import Failure, Unreachable
from bot.posting.once import CREDENTIALS_SECONDS, Outcome, after_failure, edit_reply, edit_root, post_reply, post_root
from bot.registry import offers
from bot.views.blocks import digest_of
from bot.views.parent.parent import parent
from bot.views.thread.replies import reply

MOST_STEPS = 12
"""Steps per claim, so that one talkative incident does not hold up the others (P9)."""
SAFETY_SECONDS = 0.2
"""Nothing is sent in the last moment of a lease."""
POST_BURST = 3
"""Messages that Slack takes in a channel at once before it asks for one a second."""
EDIT_BURST = 5
EDITS = EditRoot | EditReply | PointToNewThread
OPEN_AGAIN = 0.9
"""A refused token holds its lane a little shorter than the next probe waits, or the probe would find it shut."""
OUTAGES = frozenset({Failure.CREDENTIALS, Failure.UNCONNECTED, Failure.UNKNOWN})
"""Failures that say something of Slack as a whole, and not of one message or channel."""
REFUSED_NOTE = "slack_refused"
"""When (epoch seconds) a process saw the token refused: from then on one call in 10 s, of all processes, tries it."""
PROBE_LOOK_SECONDS = 3.0
"""How soon an incident looks again whether somebody else got through."""
TAKEN_INDEX = "slack_taken"
"""When Slack took a call again for the first time; the other processes go on then, too."""
JUST_NOW_SECONDS = 5.0
"""What a person did that recently is shown ahead of everything else."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DrawnParent:
    """The parent as it should be; good for one claim, unless the record changes under it."""

    message: Message
    digest: str


async def reconcile(context: Context, held: Stored[Incident]) -> None:
    """Bring Slack in line with the record. Raises Conflict when the claim is lost: whoever has it goes on.

    Each effect is followed by the pure move that it makes true; a move is stored before the next effect. A crash in
    between leaves the claim in doubt, and the next worker looks into Slack before it says anything again.
    """
    move: Move = _unchanged
    drawing: DrawnParent | None = None
    if resting(held.value, context.now()):
        await keep(context, held, move, due=held.value.retry_at, uncertain=held.in_doubt_since is not None)
        return
    paces = context.settings.file.paces
    view = explained(await context.view(held.value), held.value, context.now(), paces)
    for _ in range(MOST_STEPS):
        now = context.now()

        def settled(fresh: Incident, before: Move = move, now: float = now) -> Incident:
            return observed(before(fresh), view, now, paces)

        incident = settled(held.value)
        drawing = drawing or _drawn(incident, view, now, paces)
        step = next_step(incident, drawing.digest, now, paces)
        if isinstance(step, Wait):
            await keep(context, held, settled, due=step.until, uncertain=_in_doubt(held, incident))
            return
        if incident != held.value and (isinstance(step, PostReply) or move is not _unchanged):
            held = await keep(context, held, settled, due=now, release=False)
            move, drawing = _unchanged, drawing if held.value == incident else None
            continue
        drawing = _drawn(at_home(incident), view, now, paces) if isinstance(step, ReturnToChannel) else drawing
        said = await _take(context, held, incident, step, drawing)

        def moved(fresh: Incident, settled: Move = settled, said: Outcome = said) -> Incident:
            return said.move(settled(fresh))

        if said.again_at is not None:
            mine = replace(held, in_doubt_since=None) if said.restart_settle else held
            await keep(context, mine, moved, due=said.again_at, uncertain=said.uncertain)
            return
        if isinstance(step, PostRoot | PostReply | ReturnToChannel):
            held = replace(held, in_doubt_since=None)
        move, drawing = moved, None if isinstance(step, Escalate | ReturnToChannel) else drawing
    await keep(context, held, move, due=context.now(), uncertain=held.in_doubt_since is not None)


def _drawn(incident: Incident, view: View, now: float, paces: Timing) -> DrawnParent:
    message = parent(incident, view, offers(incident, view), now, paces)
    return DrawnParent(message, digest_of(message))


async def _take(
    context: Context, held: Stored[Incident], incident: Incident, step: Step, drawing: DrawnParent
) -> Outcome:
    if isinstance(step, Escalate):
        now = context.now()
        return Outcome(lambda fresh: escalated(fresh, now))
    if (
        isinstance(step, PostRoot)
        and held.in_doubt_since is None
        and (said := await fallback_if_closed(context, incident)) is not None
    ):
        return said
    wait = await _turn(context, incident, step)
    if wait > 0 or context.monotonic() > held.lease_ends - SAFETY_SECONDS:
        return Outcome(_unchanged, context.now() + wait, uncertain=_in_doubt(held, incident))
    try:
        async with asyncio.timeout(held.lease_ends - SAFETY_SECONDS - context.monotonic()):
            said = await _say(context, held, incident, step, drawing)
    except TimeoutError:
        late = Unreachable("Slack", "no answer while the record was ours", failure=Failure.UNKNOWN)
        return await _failed(context, held, incident, step, late)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        return await _failed(context, held, incident, step, error)
    context.notes.pop("slack", None)
    if context.notes.pop(REFUSED_NOTE, None) is not None:
        await _taken_again(context)
    return said


async def _taken_again(context: Context) -> None:
    before = await context.store.find(TAKEN_INDEX)
    try:
        await context.store.commit(Change(point={TAKEN_INDEX: (f"{context.now()}", before)}))
    except Conflict:
        log.info("another process got through to Slack at the same time")


async def _say(
    context: Context, held: Stored[Incident], incident: Incident, step: Step, drawing: DrawnParent
) -> Outcome:
    if isinstance(step, PostRoot):
        said = await post_root(context, incident, drawing.message, drawing.digest, held.in_doubt_since)
        if said.again_at is None:
            await mark_usable(context, incident.thread.channel)
        return said
    if isinstance(step, ReturnToChannel):
        return await return_to_channel(context, incident, drawing.message, drawing.digest, held.in_doubt_since)
    if isinstance(step, PointToNewThread):
        return await point_to_new_thread(context, incident)
    if isinstance(step, EditRoot):
        return await edit_root(context, incident, drawing.message, drawing.digest)
    return await _reply(context, held, incident, step)


async def _reply(context: Context, held: Stored[Incident], incident: Incident, step: Step) -> Outcome:
    number = step.number if isinstance(step, PostReply | EditReply) else 0
    entry = incident.entry(number)
    if entry is None:
        return Outcome(lambda fresh: reworded(told(fresh, number), number))
    words = reply(incident, entry, float(entry.ts) if isinstance(step, EditReply) else context.now())
    words = Message(words.text) if incident.thread.plain else words
    if isinstance(step, EditReply):
        return await edit_reply(context, incident, entry, words)
    return await post_reply(context, incident, entry, words, held.in_doubt_since)


async def _turn(context: Context, incident: Incident, step: Step) -> float:
    """Seconds until this may be said; 0 when it is our turn (docs/design/slack.md#rate-limits)."""
    slack, now = context.settings.file.slack, context.now()
    if (refused_at := context.notes.get(REFUSED_NOTE)) is not None:
        wait = await context.store.acquire_slot("probe", "probe", CREDENTIALS_SECONDS, 1, urgent=True)
        if wait > 0 and float(await context.store.find(TAKEN_INDEX) or 0) <= float(refused_at):
            return min(wait, PROBE_LOOK_SECONDS)
        if wait > 0:
            context.notes.pop(REFUSED_NOTE, None)
    last = incident.timeline[-1] if incident.timeline else None
    urgent = last is not None and last.who is not None and now - last.at < JUST_NOW_SECONDS
    if isinstance(step, EDITS):
        return await context.store.acquire_slot("edit", incident.id, slack.edit_pace, EDIT_BURST, urgent=urgent)
    channel = _place(incident, step)
    wait = await context.store.acquire_slot(f"post:{channel}", incident.id, slack.pace, POST_BURST, urgent=urgent)
    if wait > 1 and isinstance(step, PostRoot):
        await context.store.commit(Change(wake=(f"digest:{channel}",)))
    return wait


async def _failed(
    context: Context, held: Stored[Incident], incident: Incident, step: Step, error: Unreachable
) -> Outcome:
    if error.failure in OUTAGES:
        context.notes["slack"] = str(error)
    log.warning("slack failed", incident=incident.id, step=type(step).__name__, failure=error.failure, why=error.what)
    lane = "edit" if isinstance(step, EDITS) else f"post:{_place(incident, step)}"
    if error.failure is Failure.LATER:
        await context.store.pause_lane(lane, error.retry_after_seconds or 1.0)
    if error.failure is Failure.CREDENTIALS:
        context.notes[REFUSED_NOTE] = f"{context.now()}"
        await context.store.pause_lane("probe", CREDENTIALS_SECONDS)
        await context.store.pause_lane(lane, CREDENTIALS_SECONDS * OPEN_AGAIN)
    if error.failure is Failure.PLACE:
        await mark_closed(context, _place(incident, step))
        if isinstance(step, ReturnToChannel):
            tried_at = context.now()
            return Outcome(lambda fresh: return_failed(fresh, tried_at))
    said = after_failure(context, incident, error)
    if isinstance(step, EDITS):
        return replace(said, uncertain=_in_doubt(held, incident), restart_settle=False)
    return said


def _in_doubt(held: Stored[Incident], incident: Incident) -> bool:
    """Whether an earlier claim may have said what is still to be said: an edit may be repeated, a message may not."""
    thread = incident.thread
    unsaid = thread.root is None or thread.instead_of is not None or bool(incident.outbox)
    return held.in_doubt_since is not None and unsaid


def _place(incident: Incident, step: Step) -> str:
    """The channel that a step is about."""
    return (incident.thread.instead_of if isinstance(step, ReturnToChannel) else None) or incident.thread.channel


def _unchanged(incident: Incident) -> Incident:
    return incident
