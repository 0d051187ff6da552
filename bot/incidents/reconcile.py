"""Processes a due incident: do the next steps of its plan, record each one, and say when to continue."""

import asyncio
from dataclasses import dataclass, replace
from functools import partial

from bot.context.after_gap import measured_again_at
from bot.context.causes import explained
from bot.context.context import Context
from bot.context.queries import with_before
from bot.context.save import Move, keep
from bot.core.incident.incident import Incident, in_own_channel, reply_posted, troubled
from bot.core.incident.observe import View, observed
from bot.core.incident.plan import CALLING, Do, NextStep, above_normal, calls_people, escalated, next_step
from bot.core.incident.reply_buttons import reworded
from bot.core.record import Change, Stored
from bot.incidents.quarantine import MOST_ATTEMPTS
from bot.incidents.thread import Drawn, after_failure, message_of
from bot.ports import Unreachable
from bot.posting.failures import Reaction
from bot.posting.send import send, with_lookup_at
from bot.views.blocks import digest_of
from bot.views.parent.parent import parent

MOST_STEPS = 12
"""Steps per claim, so that one busy incident does not hold up others."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The state change after a step, and when to continue (epoch seconds; None: at once)."""

    move: Move
    again_at: float | None = None
    uncertain: bool = False
    restart_settle: bool = False


async def reconcile(context: Context, held: Stored[Incident]) -> None:
    """Bring Slack in line with the record. Raises Conflict if the claim is lost; its new owner continues.

    Each effect is followed by its state change, which is stored before the next effect. A crash in between leaves the
    claim in doubt, and the next worker checks Slack before it posts again.
    """
    move: Move = _unchanged
    drawing: Drawn | None = None
    if (trouble := held.value.trouble).attempts >= MOST_ATTEMPTS and trouble.retry_at > context.now():  # quarantined
        await keep(context, held, move, due=trouble.retry_at, uncertain=held.in_doubt_since is not None)
        return
    paces = context.settings.file.paces
    view = await _view(context, held.value)
    for _ in range(MOST_STEPS):
        now = context.now()
        settled = _then(move, partial(observed, view=view, now=now, timing=paces))
        incident = settled(held.value)
        drawing = drawing or await _drawn(context, incident, view, now)
        queues = above_normal(incident, view, now, paces)
        step = next_step(incident, drawing.digest, now, paces, queues=queues)
        if step.do is Do.WAIT:
            kept = await keep(context, held, settled, due=step.until, uncertain=_in_doubt(held, incident))
            if incident.thread.root is not None:
                context.fleet.rests(kept, step.until, context.monotonic())
            return
        if incident != held.value and (step.do is Do.POST_REPLY or move is not _unchanged):
            held = await keep(context, held, settled, due=now, release=False)
            move, drawing = _unchanged, drawing if held.value == incident else None
            continue
        if _calls(incident, step) and (until := await measured_again_at(context, incident, view)) is not None:
            await keep(context, held, settled, due=until, uncertain=_in_doubt(held, incident))
            return
        if step.do is Do.RETURN_TO_CHANNEL:
            drawing = await _drawn(context, in_own_channel(incident), view, now)
        result = await _take(context, held, incident, step, drawing)
        moved = _then(settled, result.move)
        if result.again_at is not None:
            mine = with_lookup_at(context, held, result.again_at) if result.restart_settle else held
            await keep(context, mine, moved, due=result.again_at, uncertain=result.uncertain)
            return
        if held.in_doubt_since is not None and step.do in {Do.POST_ROOT, Do.POST_REPLY, Do.RETURN_TO_CHANNEL}:
            held = replace(held, in_doubt_since=None)
        move, drawing = moved, None if step.do in {Do.ESCALATE, Do.RETURN_TO_CHANNEL} else drawing
    await keep(context, held, move, due=context.now(), uncertain=held.in_doubt_since is not None)


def _calls(incident: Incident, step: NextStep) -> bool:
    """Whether the step calls people: after a gap, old figures would do so in vain."""
    if step.do is Do.POST_ROOT:
        return incident.thread.mention is not None and calls_people(incident)
    entry = incident.log.entry(step.number) if step.do is Do.POST_REPLY else None
    return step.do is Do.ESCALATE or (entry is not None and entry.event in CALLING)


async def _view(context: Context, incident: Incident) -> View:
    """The pools with their causes, and the closed incident that looks alike."""
    view = await explained(await context.view(incident), incident, context.now(), context.settings.file.paces)
    return await with_before(context, view, incident)


async def _drawn(context: Context, incident: Incident, view: View, now: float) -> Drawn:
    await asyncio.sleep(0)  # others are served between the parts of an incident of many pools
    message = parent(incident, view, context.offers(incident, view), now, context.settings.file.paces)
    return Drawn(message, digest_of(message))


async def _take(
    context: Context, held: Stored[Incident], incident: Incident, step: NextStep, drawing: Drawn
) -> StepResult:
    now = context.now()
    if step.do is Do.ESCALATE:
        return StepResult(lambda fresh: escalated(fresh, now))
    try:
        planned = await message_of(context, incident, step, drawing)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        why, pause = str(error), error.retry_after_seconds or context.settings.file.slack.settle
        return StepResult(lambda fresh: troubled(fresh, why), now + pause, uncertain=_in_doubt(held, incident))
    if planned is None:
        return StepResult(lambda fresh: reworded(reply_posted(fresh, step.number), step.number))
    outcome = await send(context, held, planned.out)
    wait = (outcome.again_at or now) - now
    if step.do is Do.POST_ROOT and wait > 1 and not outcome.why and not outcome.uncertain:
        await context.store.commit(Change(wake=(f"digest:{planned.out.channel}",)))
    if (posted := outcome.posted) is not None:
        shown = "" if outcome.found else drawing.digest
        return StepResult(lambda fresh: planned.stands(fresh, posted, shown))
    if outcome.reaction is Reaction.GIVE_UP:
        return StepResult(lambda fresh: planned.given_up(fresh, outcome))
    move = after_failure(context, outcome, planned.plainly) if outcome.why else _unchanged
    uncertain = _in_doubt(held, incident) if planned.out.ts else outcome.uncertain
    return StepResult(move, outcome.again_at, uncertain, outcome.restart_settle and not planned.out.ts)


def _in_doubt(held: Stored[Incident], incident: Incident) -> bool:
    """Whether an earlier claim may have posted the next message; edits may be repeated, posts may not."""
    thread = incident.thread
    unsaid = thread.root is None or thread.instead_of is not None or bool(incident.log.outbox)
    return held.in_doubt_since is not None and unsaid


def _unchanged(incident: Incident) -> Incident:
    return incident


def _then(first: Move, more: Move) -> Move:
    """`more` after `first`, computed once for a record; after a conflict it is another one."""
    known: list[Incident] = []

    def moved(incident: Incident) -> Incident:
        if not known or known[0] is not incident:
            known[:] = incident, more(first(incident))
        return known[1]

    return moved
