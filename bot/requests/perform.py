"""Executes a stored request: check again, store the intent, act once, report the result."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace

import structlog

from bot.context.context import Context, Effect
from bot.context.save import Move, intend, keep, put_new
from bot.core.incident.details.requests import RequestEnd, RequestNotDone
from bot.core.incident.incident import Incident, noted, silenced
from bot.core.incident.reply_buttons import advanced, anchor_of, decided, offering
from bot.core.incident.timeline import Decision, Event
from bot.core.notifications.tell import LaterResult, Tell
from bot.core.people.ownership import owned_by
from bot.core.record import Change, Claim, Conflict, Prepared, Put, Stored
from bot.core.requests.request import (
    ExtendLease,
    HandBack,
    Progress,
    Request,
    Result,
    ScaleUp,
    asked_for,
    done,
    failed,
    sent,
)
from bot.core.words import duration
from bot.notifications.outbox import tell_later
from bot.ports import Failure, Refused, Unreachable
from bot.requests.permission import check_before_effect
from bot.requests.results import answering
from bot.requests.submit import audited
from bot.views.words import refusals
from bot.views.words.timeline import details_words

TRIES = 5
"""Attempts at an unresponsive back end, before a person must check."""
KEPT_SECONDS = 30 * 86400.0
"""How long a request and its result are kept."""
SAFETY_SECONDS = 0.2
"""Nothing is sent in the last moments of a lease."""
UNFINISHED = frozenset({Progress.REQUESTED, Progress.SENT, Progress.UNKNOWN})

log = structlog.get_logger()


async def perform(context: Context, claim: Claim) -> None:
    """Execute one request; after a crash or a time-out, read the actual state before sending again."""
    if (mine := claim.known(Request)) is None:
        return
    request = mine.value
    if request.progress is Progress.AWAITING:
        check_condition = _effect(context, request).check_condition if request.waits_for else None
        await (check_condition or _lapse)(context, mine)
        return
    if request.progress not in UNFINISHED:
        await context.store.commit(Change(puts=(Put(mine, request, None, keep_seconds=KEPT_SECONDS),)))
        return
    incident = await context.store.get(Incident, request.incident) if request.incident else None
    about = incident.value if incident else None
    effect = _effect(context, request)
    try:
        outcome = None
        if request.progress in {Progress.SENT, Progress.UNKNOWN}:
            outcome = await effect.check(context, request, about)
        if outcome is None:
            await check_before_effect(context, request)
            mine = await _intend(context, mine, await effect.prepare(context, request, about))
            outcome = await _in_time(context, effect.run(context, mine.value, about))
    except Refused as refusal:
        after = failed(mine.value, str(refusal), context.now(), doubtful=request.progress is not Progress.REQUESTED)
        details = _not_done(request, RequestEnd.REFUSED, why=str(refusal))
        await _finish(context, mine, after, incident, Result(details, event=Event.NOTED))
    except Unreachable as error:
        if error.system == "Redis":
            raise
        await _not_answered(context, mine, request, incident, error)
    else:
        words = details_words(outcome.details, outcome.figures)
        await _finish(context, mine, done(mine.value, words, context.now(), outcome.after), incident, outcome)


def _effect(context: Context, request: Request) -> Effect:
    """The effect of its action; raises KeyError if the action has none."""
    effect = context.actions[request.name].effect
    if effect is None:
        raise KeyError(request.name)
    return effect


async def _in_time(context: Context, effect: Awaitable[Result]) -> Result:
    """Run the effect within the lease of the intent, so that nobody else acts meanwhile. Raises Unreachable."""
    try:
        async with asyncio.timeout(context.settings.file.timing.lease - SAFETY_SECONDS):
            return await effect
    except TimeoutError:
        raise Unreachable("The back end", "no answer in time", failure=Failure.UNKNOWN) from None


async def _intend(context: Context, mine: Stored[Request], ready: Prepared) -> Stored[Request]:
    """Store the intent. Raises Refused after too many tries, Conflict if the claim has expired."""
    if ready.request.attempts >= TRIES:
        raise Refused(refusals.tried_too_often(TRIES))
    intent = sent(ready.request, context.now())
    audit = (audited(intent, context.now(), "sent"),)
    stored = await intend(context, mine, intent, Change(puts=ready.puts, point=ready.point, audit=audit))
    if context.monotonic() > stored.lease_ends - SAFETY_SECONDS:
        raise Conflict(f"the claim on action {intent.id} ran out before it was sent")
    return stored


async def _not_answered(
    context: Context, mine: Stored[Request], begun: Request, incident: Stored[Incident] | None, error: Unreachable
) -> None:
    """`begun` is the request as this claim read it: its earlier outcome is in doubt too."""
    request, now = mine.value, context.now()
    tried = max(request.attempts, begun.attempts + 1)
    log.warning("action not answered", request=request.id, action=request.name, why=str(error), attempts=tried)
    if tried >= TRIES or not error.retryable:
        doubtful = error.failure is Failure.UNKNOWN or begun.progress is not Progress.REQUESTED
        details = _not_done(request, RequestEnd.UNKNOWN if doubtful else RequestEnd.FAILED, why=str(error))
        undo = _effect(context, request).undo if doubtful else ()
        outcome = Result(details, event=Event.FAILED, offers=undo)
        await _finish(context, mine, failed(request, str(error), now, doubtful=doubtful), incident, outcome)
        return
    later = replace(request, progress=Progress.UNKNOWN, outcome=str(error), attempts=tried)
    pause = max(min(30.0, 2.0**tried), error.retry_after_seconds or 0.0)
    put = Put(mine, later, now + pause)
    if begun.progress is not Progress.UNKNOWN and incident is not None:
        result = Result(_not_done(request, RequestEnd.CHECKING, why=error.what, system=error.system), event=Event.NOTED)
        move = _result_move(context, request, result)
        await keep(context, incident, move, due=now, also=(put,), audit=(audited(later, now, "unknown"),))
    else:
        await context.store.commit(Change(puts=(put,), audit=(audited(later, now, "unknown"),)))


async def _finish(
    context: Context, mine: Stored[Request], after: Request, incident: Stored[Incident] | None, outcome: Result
) -> None:
    now = context.now()
    put = Put(mine, after, None, keep_seconds=KEPT_SECONDS)
    audit = (audited(after, now, after.outcome),)
    wake = (f"lease:{context.lease_key(after.pool)}",) if _effect(context, after).moves_lease else ()
    if incident is not None:
        puts = (put, put_new(outcome.follow, now)) if outcome.follow else (put,)
        await keep(context, incident, _result_move(context, after, outcome), due=now, also=puts, audit=audit, wake=wake)
        return
    found = LaterResult(outcome.details, outcome.figures, by_person=bool(after.who))
    whom = after.who or asked_for(after.body)
    tell = Tell("", whom, found, once=f"result:{after.id}", channel=after.channel)
    change = Change(puts=(put, *await tell_later(context, answering(tell, after))), audit=audit, wake=wake)
    await context.store.commit(change)


async def _lapse(context: Context, mine: Stored[Request]) -> None:
    """No approval in time, or before the incident ended: do nothing, and report it in the thread."""
    request, now = mine.value, context.now()
    incident = await context.store.get(Incident, request.incident) if request.incident else None
    over = incident is not None and incident.value.closed and not isinstance(request.body, ExtendLease)
    if request.lapses_at is not None and now < request.lapses_at and not over:
        await context.store.commit(Change(puts=(Put(mine, request, request.lapses_at),)))
        return
    waited = (request.lapses_at or now) - request.requested_at
    lapsed = _not_done(request, RequestEnd.OVER if over else RequestEnd.LAPSED, waited_seconds=waited)
    outcome = "lapsed: the incident ended" if over else f"lapsed: nobody agreed within {duration(waited)}"
    after = failed(request, outcome, now)
    await _finish(context, mine, after, incident, Result(lapsed, event=Event.APPROVAL, settles=request.id))


def _result_move(context: Context, request: Request, outcome: Result) -> Move:
    now, event = context.now(), outcome.event or context.actions[request.name].events[0]

    def move(fresh: Incident) -> Incident:
        changed = silenced(fresh, outcome.silence) if outcome.silence else fresh
        changed = replace(changed, log=changed.log.answered(request.id))
        if request.progress is Progress.DONE and context.actions[request.name].acknowledges and request.who:
            changed = owned_by(changed, request.who, now)
        if outcome.settles:
            changed = decided(changed, outcome.settles, Decision.SETTLED)
        who, scaled = request.who or None, outcome.settles or request.id
        if anchor_of(changed, scaled):
            return advanced(changed, now, event, outcome.details, request=scaled, who=who,
                            figures=outcome.figures, choices=outcome.offers)  # fmt: skip
        after = noted(changed, now, event, outcome.details, who=who, figures=outcome.figures)
        return offering(after, outcome.about or request.id, outcome.offers) if outcome.offers else after

    return move


def _not_done(
    request: Request, how: RequestEnd, why: str = "", system: str = "", waited_seconds: float = 0.0
) -> RequestNotDone:
    target = request.body.target if isinstance(request.body, ScaleUp | HandBack | ExtendLease) else None
    return RequestNotDone(how, request.name, request.pool or None, target, why, system, waited_seconds)
