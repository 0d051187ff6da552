"""Approval by a second person: for exactly the request, in time, never by the requester."""

from bot.context.context import Context
from bot.context.save import Move, keep
from bot.core.incident.details.scaling import ScaleRequest, ScaleStep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import offering
from bot.core.incident.timeline import Event
from bot.core.record import AlreadyDone, AuditEntry, Put, Stored
from bot.core.requests.body import ExtendLease, parameters
from bot.core.requests.interaction import Interaction
from bot.core.requests.request import Progress, Request
from bot.ports import Refused
from bot.requests.submit import subject_of_button
from bot.scaling.limits import raised
from bot.views.words import refusals

CHOICES = ("approve", "decline")


def approval_requested(context: Context, request: Request, now: float) -> Move:
    """Ask for approval in the thread, with buttons, naming the first permitted group or person."""
    may = [one for one in context.settings.file.permissions.approve if one not in {"anyone", request.who}]
    asked = scale_request(request, ScaleStep.APPROVAL_ASKED, (request.lapses_at or now) - now)

    def move(fresh: Incident) -> Incident:
        asking = noted(fresh, now, Event.APPROVAL, asked, who=request.who, request=request.id)
        return offering(asking, request.id, CHOICES, whom=may[0] if may else None)

    return move


async def awaited(context: Context, interaction: Interaction) -> tuple[Stored[Request], Stored[Incident]]:
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


async def record_decision(  # noqa: PLR0913 - what a decision changes
    context: Context, decision: Interaction, incident: Stored[Incident], put: Put, move: Move, *, request: Request,
    outcome: str,
) -> None:  # fmt: skip
    """Write an approval or a refusal of `request` once, with its audit entry. Raises Refused after another one."""
    now = context.now()
    asked = {**parameters(request.body), "pool": request.pool, "asked_by": request.who}
    about = request.incident or ""
    audit = AuditEntry(now, decision.who, decision.name, asked, outcome=outcome, act=request.id, incident=about)
    once = (f"decided:{request.id}", f"request:{decision.key}")
    try:
        await keep(context, incident, move, due=now, also=(put,), audit=(audit,), once=once)
    except AlreadyDone:
        raise Refused(refusals.ALREADY_DECIDED) from None


def scale_request(request: Request, step: ScaleStep, seconds: float = 0.0) -> ScaleRequest:
    """The timeline's words for a request for more runners."""
    asked = raised(request)
    if isinstance(asked, ExtendLease):
        return ScaleRequest(step, asked.pool, None, asked.target, seconds, keeps=True)
    before = int(request.before) if request.before else asked.from_size
    return ScaleRequest(step, asked.pool, before, asked.target, seconds)
