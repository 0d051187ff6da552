"""Approval by a second person: for exactly the request, in time, never by the requester."""

from dataclasses import replace

from bot.context.context import Context
from bot.context.save import APPROVE, Move, keep
from bot.core.audit_chain import AuditEntry
from bot.core.incident.details.requests import ScaleRequest, ScaleStep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import advanced, decided, offering
from bot.core.incident.timeline import Decision, Event
from bot.core.record import AlreadyDone, Put, Stored
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.request import ExtendLease, Progress, Request, agreed, failed, parameters
from bot.core.scaling.limits import needs_approval
from bot.ports import Refused
from bot.requests.perform import KEPT_SECONDS
from bot.requests.submit import subject_of_button
from bot.scaling.limits import pool_scaler_of, requested_size
from bot.views.words import refusals

CHOICES = (APPROVE, "decline")
OUTCOMES = {ScaleStep.APPROVED: "approved", ScaleStep.DECLINED: "declined", ScaleStep.TAKEN_BACK: "taken back"}
"""The decisions, as the audit trail names them."""


def asked_for(context: Context, request: Request, target: int, *, tell: bool) -> tuple[Request, Move]:
    """(the confirmed request, its entry): for the worker, or for a second person if `target` needs one.

    The entry names the first group or person who may approve.
    """
    policy, now = pool_scaler_of(context, request.pool).policy, context.now()
    if not needs_approval(policy, target):
        request = replace(request, progress=Progress.REQUESTED, requested_at=now)
        details = scale_request(request, ScaleStep.ASKED)
        return request, lambda fresh: noted(
            fresh, now, Event.REQUESTED, details, who=request.who, tell=tell, request=request.id
        )
    within = policy.approval_within_seconds
    request = replace(request, progress=Progress.AWAITING, requested_at=now, lapses_at=now + within)
    details = scale_request(request, ScaleStep.APPROVAL_ASKED, within)
    may = [one for one in context.settings.file.permissions.approve if one not in {"anyone", request.who}]

    def move(fresh: Incident) -> Incident:
        asking = noted(fresh, now, Event.APPROVAL, details, who=request.who, request=request.id)
        return offering(asking, request.id, CHOICES, whom=may[0] if may else None)

    return request, move


async def pending_approval(context: Context, interaction: Interaction) -> tuple[Stored[Request], Stored[Incident]]:
    """The request that waits for approval, and its incident; raises Refused with its outcome."""
    about, incident = await subject_of_button(context, interaction)
    held = await context.store.get(Request, about)
    if held is None:
        raise Refused(refusals.REQUEST_UNKNOWN)
    request = held.value
    if request.agreed_by:
        raise Refused(refusals.ALREADY_APPROVED, request.agreed_by)
    if request.progress is not Progress.AWAITING:
        raise Refused(refusals.nothing_to_decide(request.outcome))
    if request.lapses_at is not None and context.now() >= request.lapses_at:
        raise Refused(refusals.APPROVAL_LAPSED)
    refuse_over(request, incident.value)
    return held, incident


def refuse_over(request: Request, incident: Incident) -> None:
    """Raise Refused for a raise whose incident has ended; runners that are there already may be kept."""
    if incident.closed and not isinstance(request.body, ExtendLease):
        raise Refused(refusals.INCIDENT_OVER)


async def decide(
    context: Context, interaction: Interaction, held: Stored[Request], incident: Stored[Incident], step: ScaleStep
) -> Answer:
    """Write a decision about a request once, with its audit entry. Raises Refused after another one."""
    request, now, who, outcome = held.value, context.now(), interaction.who, OUTCOMES[step]
    approved = step is ScaleStep.APPROVED
    over = failed(request, outcome, now)
    after = Put(held, agreed(request, who), now) if approved else Put(held, over, None, keep_seconds=KEPT_SECONDS)
    values = {**parameters(request.body), "pool": request.pool, "asked_by": request.who}
    about = request.incident or ""
    audit = AuditEntry(now, who, interaction.name, values, outcome=outcome, act=request.id, incident=about)
    once = (f"decided:{request.id}", f"request:{interaction.key}")
    details, whom = scale_request(request, step), None if who == request.who else request.who

    def move(fresh: Incident) -> Incident:
        if approved:
            refuse_over(request, fresh)
        known = decided(fresh, request.id, Decision.APPROVED if approved else Decision.DECLINED)
        return advanced(known, now, Event.APPROVAL, details, request=request.id, who=who, whom=whom)

    try:
        await keep(context, incident, move, due=now, also=(after,), audit=(audit,), once=once)
    except AlreadyDone:
        raise Refused(refusals.ALREADY_DECIDED) from None
    return Answer()


def scale_request(request: Request, step: ScaleStep, seconds: float = 0.0) -> ScaleRequest:
    """The timeline's words for a request for more runners."""
    body = requested_size(request)
    if isinstance(body, ExtendLease):
        return ScaleRequest(step, body.pool, None, body.target, seconds, keeps=True)
    before = int(request.before) if request.before else body.from_size
    return ScaleRequest(step, body.pool, before, body.target, seconds)
