"""The reply of a scale-up: one plan that advances from the request to the drained queue."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.core.incident.details.requests import (
    RequestEnd,
    RequestNotDone,
    ReturnReason,
    ReturnResult,
    RunnersCame,
    RunnersChecked,
    RunnersReturned,
    ScaleAccepted,
    ScaleRequest,
    ScaleStep,
)
from bot.core.incident.incident import Incident, State
from bot.core.incident.reply_buttons import quiet, story_of
from bot.core.incident.timeline import Entry
from bot.core.message import Block
from bot.core.words import count
from bot.views.mrkdwn import clean
from bot.views.words.scaling import lease_terms_words
from bot.views.words.timeline import entry_lines

DONE, ACTIVE, PENDING, FAILED = "complete", "in_progress", "pending", "error"
NOT_DONE = {
    RequestEnd.REFUSED: "refused",
    RequestEnd.FAILED: "failed",
    RequestEnd.UNKNOWN: "outcome unknown",
    RequestEnd.CHECKING: "not confirmed, checking",
    RequestEnd.LAPSED: "expired without approval",
    RequestEnd.OVER: "not approved before the incident ended",
}

RETURNS = {
    ReturnResult.RETURNED: "returned",
    ReturnResult.NOTHING_LEFT: "nothing left to return",
    ReturnResult.LEASED: "kept by another lease",
    ReturnResult.MOVED: "changed by someone else since",
}


@dataclass(frozen=True, slots=True)
class ScalePlan:
    """The plan's title says the state in words; each step is (name, title, status)."""

    title: str
    steps: tuple[tuple[str, str, str], ...]
    newest: Entry
    """The entry whose words stand above the plan."""
    lines: tuple[str, ...]
    """What else to know now."""
    approver: str | None = None
    """User id of the person who approved; None before that, and while `newest` says so."""


def scale_plan(incident: Incident, entry: Entry, request: ScaleRequest) -> ScalePlan:
    """Requested, approved, delivered, registered, busy, drained."""
    later = story_of(incident, entry)
    sent = next((one.details for one in reversed(later) if isinstance(one.details, ScaleAccepted)), None)
    if sent is not None:
        request = replace(request, before=sent.before)  # the pool may have changed since it was asked
    decided, decision = _approved(request, later)
    delivered, delivery = _delivered(request, later, allowed=decided[2] == DONE)
    accepted = delivered[2] == DONE
    arrived, arrival = _registered(request, later, accepted=accepted)
    drained = accepted and (request.drained or incident.state is State.DRAINED)
    working = _busy(request, arrived=arrived[2] == DONE, drained=drained)
    end = ("drained", "Queue drained" if drained else "Queue drains", DONE if drained else PENDING)
    returned = _returned(later)
    state = returned or ("queue drained" if drained else arrival or delivery or decision or "requested")
    before = "?" if request.before is None else f"{request.before:,}"
    title = f"Scale-up of {clean(request.pool)[:100]} {before} → {request.target:,}: {state}"
    newest = next((one for one in reversed(later) if quiet(one.details)), entry)
    checked = any(isinstance(one.details, RunnersChecked) for one in later)
    lines = () if newest.details is sent and (checked or returned) else entry_lines(newest)  # the report has come
    if checked and sent is not None and not returned:
        lines += (lease_terms_words(sent.lease),)
    agreed = [one for one in later if isinstance(one.details, ScaleRequest) and one.details.step is ScaleStep.APPROVED]
    approver = agreed[0].who if agreed and newest is not agreed[0] else None
    every = (("requested", "Requested", DONE), decided, delivered, arrived, working, end)
    active = FAILED if returned else ACTIVE
    steps = tuple((name, words, active if status == ACTIVE else status) for name, words, status in every)
    return ScalePlan(title, steps, newest, lines, approver)


Step = tuple[tuple[str, str, str], str]
"""A step, and what it says of the state; empty if it says nothing yet."""


def _approved(request: ScaleRequest, later: Sequence[Entry]) -> Step:
    if request.step is not ScaleStep.APPROVAL_ASKED:
        return ("approved", "No approval needed", DONE), ""
    for one in later:
        match one.details:
            case ScaleRequest(step=ScaleStep.APPROVED):
                return ("approved", "Approved", DONE), "approved"
            case ScaleRequest(step=ScaleStep.DECLINED | ScaleStep.TAKEN_BACK as step):
                words = "declined" if step is ScaleStep.DECLINED else "withdrawn"
                return ("approved", words.capitalize(), FAILED), words
            case RequestNotDone(how=RequestEnd.LAPSED):
                return ("approved", "Nobody approved in time", FAILED), NOT_DONE[RequestEnd.LAPSED]
            case RequestNotDone(how=RequestEnd.OVER):
                return ("approved", "The incident ended before an approval", FAILED), NOT_DONE[RequestEnd.OVER]
    return ("approved", "Approval by a second person", ACTIVE), "waiting for approval"


def _delivered(request: ScaleRequest, later: Sequence[Entry], *, allowed: bool) -> Step:
    checked = [one.details for one in later if isinstance(one.details, RunnersChecked)]
    came = bool(request.registered) or any(one.more > 0 for one in checked)  # so somebody merged a proposed change
    for one in reversed(later):
        match one.details:
            case ScaleAccepted(pending=address) if address and not came:
                return ("delivered", "Change proposed", ACTIVE), "waiting for a merge"
            case ScaleAccepted(target=target):
                return ("delivered", f"Autoscaler accepted {target:,}", DONE), "delivered"
            case ScaleRequest(step=ScaleStep.NOT_SENT):
                return ("delivered", "Shadow mode: nothing was sent", FAILED), "not sent (shadow mode)"
            case RequestNotDone(how=how) if how not in {RequestEnd.LAPSED, RequestEnd.OVER}:
                status = ACTIVE if how is RequestEnd.CHECKING else FAILED
                return ("delivered", f"Autoscaler: {NOT_DONE[how]}", status), NOT_DONE[how]
    return ("delivered", f"Autoscaler takes {request.target:,}", ACTIVE if allowed else PENDING), ""


def _registered(request: ScaleRequest, later: Sequence[Entry], *, accepted: bool) -> Step:
    checked = next((one.details for one in reversed(later) if isinstance(one.details, RunnersChecked)), None)
    all_came = (
        request.registered is not None
        and request.before is not None
        and request.registered >= request.target - request.before
    )
    if checked is not None and not all_came:
        runners = count(checked.increase, "runner")
        if checked.came is RunnersCame.UNSEEN:
            return ("registered", "Cannot be seen: runners are not measured", FAILED), "delivered, cannot be verified"
        came = max(0, checked.more)
        if checked.came is RunnersCame.VERIFIED:
            return ("registered", f"{count(max(came, checked.increase), 'runner')} registered", DONE), "all registered"
        words = f"{came:,} of {runners} registered"
        return ("registered", words, FAILED), words if came else f"no effect, 0 of {runners} registered"
    if not accepted:
        return ("registered", "Runners register", PENDING), ""
    if request.registered is None or request.before is None:
        return ("registered", "Runners register", ACTIVE), ""
    more = request.target - request.before
    words = f"{request.registered:,} of {count(more, 'runner')} registered"
    return ("registered", words, DONE if all_came else ACTIVE), "all registered" if all_came else f"delivered, {words}"


def _busy(request: ScaleRequest, *, arrived: bool, drained: bool) -> tuple[str, str, str]:
    if not arrived:  # a queue drains without them too
        return ("busy", "Runners take jobs", PENDING)
    if drained:
        return ("busy", "Runners took jobs", DONE)
    if request.busy is None:
        return ("busy", "Runners take jobs", ACTIVE)
    if request.busy >= request.target:
        return ("busy", "Runners took jobs", DONE)
    return ("busy", f"{count(request.busy, 'runner')} busy", ACTIVE)


def _returned(later: Sequence[Entry]) -> str:
    for one in reversed(later):
        if isinstance(one.details, RunnersReturned):
            if one.details.pending:
                return "return waiting for a merge"
            if one.details.result is ReturnResult.RETURNED and one.details.target is not None:
                how = "undone" if one.details.why is ReturnReason.ASKED else "runners returned"
                return f"{how}, back to {one.details.target:,}"
            return RETURNS[one.details.result]
    return ""


def plan_block(plan: ScalePlan, request: str) -> Block:
    """The native block; the ladder turns it into words where Slack does not take it."""
    tasks = [{"task_id": f"{request}-{name}", "title": title, "status": status} for name, title, status in plan.steps]
    return {"type": "plan", "title": plan.title, "tasks": tasks}
