"""Scaling, leases and returns in words."""

from bot.core.incident.details.requests import (
    LeaseNoted,
    LeaseStep,
    LeaseTerms,
    ReturnBlock,
    ReturnReason,
    ReturnResult,
    RunnersCame,
    RunnersChecked,
    RunnersReturned,
    ScaleAccepted,
    ScaleRequest,
    ScaleStep,
)
from bot.core.scaling.limits import LimitHit, LimitReason
from bot.core.words import count, duration, figure, listed, money, time_left

BLOCKS = {
    ReturnBlock.RECORDS_LOST: "Redis has lost records, and recovery is under way",
    ReturnBlock.ACTIONS_OFF: "actions are disabled (`actions.enabled = false` in tailback.toml)",
    ReturnBlock.SHADOW_MODE: "shadow mode is on (`actions.shadow = true` in tailback.toml)",
    ReturnBlock.NO_SCALER: "its autoscaler is no longer configured",
}
"""Why nothing can be returned now."""
RETURN_REASONS = {ReturnReason.DRAINED: "The queue has drained.", ReturnReason.ENDED: "The lease has ended."}


def scale_request_words(request: ScaleRequest) -> str:
    before, target = figure(request.before), count(request.target, "runner")
    scale, scaling = (f"{verb} {request.pool} from {before} to {target}" for verb in ("scale", "scaling"))
    if request.keeps:
        extra = f"the extra runners of {request.pool} (to {request.target:,}) for another lease"
        scale, scaling = f"keep {extra}", f"keeping {extra}"
    return {
        ScaleStep.ASKED: f"asked to {scale}.",
        ScaleStep.NOT_SENT: f"would have scaled {request.pool} to {target} "
        f"(now {before}). Nothing was changed (shadow mode).",
        ScaleStep.APPROVAL_ASKED: f"asked to {scale}. It needs approval within "
        f"{duration(request.seconds)}. Nothing changes until then.",
        ScaleStep.APPROVED: f"approved {scaling}, requested by",
        ScaleStep.DECLINED: f"declined {scaling}, requested by",
        ScaleStep.TAKEN_BACK: f"withdrew the request for {scaling}.",
    }[request.step]


def accepted_words(accepted: ScaleAccepted) -> str:
    size = f"from {figure(accepted.before)} to {count(accepted.target, 'runner')}"
    if accepted.pending:
        proposed = f"proposed to scale {accepted.pool} {size}"
        return f"{proposed}. Merge {accepted.pending} to apply it."
    return f"scaled {accepted.pool} {size} (request accepted)."


def accepted_lines(accepted: ScaleAccepted, *, whisper: bool = False) -> tuple[str, ...]:
    """The next steps; `whisper` means a private answer."""
    within, where = duration(accepted.checked_within_seconds), "to you" if whisper else "here"
    return (f"I'll report {where} within {within} whether the runners came online.", lease_terms_words(accepted.lease))


def lease_terms_words(terms: LeaseTerms) -> str:
    if terms.seconds is None:
        return "The extra runners stay until someone lowers the pool: it has no `lease` configured."
    drained, latest = duration(terms.drained_seconds), duration(terms.seconds)
    return f"The extra runners are returned {drained} after the queue has drained, or after {latest}."


def lease_words(noted: LeaseNoted) -> str:
    extra, left = f"extra runners of {noted.pool} (to {noted.target:,})", time_left(noted.seconds)
    return {
        LeaseStep.ENDS_SOON: f"The {extra} are returned in {left} unless someone extends the lease.",
        LeaseStep.ENDS_FINALLY: f"The {extra} are returned in {left}. The lease cannot be extended.",
        LeaseStep.EXTENDED: f"keeps the {extra} for {left} from now.",
        LeaseStep.RETURN_ASKED: f"asked to return the {extra}.",
        LeaseStep.CANNOT_RETURN: f"The {extra} cannot be returned: {BLOCKS[noted.why] if noted.why else '?'}.",
    }[noted.step]


def returned_words(returned: RunnersReturned) -> str:
    pool, level = returned.pool, returned.level
    match returned.result:
        case ReturnResult.NOTHING_LEFT | ReturnResult.LEASED:
            by = ", which another lease holds" if returned.result is ReturnResult.LEASED else ""
            return f"returned nothing: {pool} is{'' if by else ' already'} at {count(level, 'runner')}{by}."
        case ReturnResult.MOVED:
            return f"left {pool} at {level:,}: someone else changed it after Tailback had set {returned.last:,}."
        case ReturnResult.RETURNED if returned.pending:
            proposed = f"proposed to return the extra runners ({level:,} to {returned.target:,})"
            return f"{proposed}. Merge {returned.pending} to apply it."
        case ReturnResult.RETURNED:
            return f"returned the extra runners: {pool} is back to {returned.target:,} (was {level:,})."


def returned_lines(returned: RunnersReturned) -> tuple[str, ...]:
    left = ", as many as is normal here" if returned.normal else ""
    waiting = f"{count(returned.waiting, 'job')} waiting now{left}." if returned.waiting else ""
    return tuple(line for line in (RETURN_REASONS.get(returned.why, ""), waiting) if line)


def checked_words(checked: RunnersChecked) -> str:
    head, after = f"Scaling {checked.pool} to {checked.target:,}", duration(checked.after_seconds)
    all_busy = checked.busy and checked.busy == checked.online
    rest, why = f"{'all' if all_busy else f'{checked.busy or 0:,} of them'} busy.{_queue(checked)}", _reasons(checked)
    online = count(checked.online, "runner")
    match checked.came:
        case RunnersCame.UNSEEN:
            return f"{head}: not verified. The number of online runners is unknown after {after}."
        case RunnersCame.VERIFIED:
            came = f"{checked.increase:,} of {count(checked.increase, 'extra runner')} came"
            return f"{came}; {checked.online or 0:,} of {checked.target:,} online in {checked.pool}, {rest}"
        case RunnersCame.NO_EFFECT:
            return f"{head}: no effect after {after}. Only {online} online{why}, {rest}"
        case RunnersCame.PARTLY:
            few = f"{checked.more:,} of {count(checked.increase, 'more runner')} online after {after}"
            return f"{head}: partly. {few}, {checked.online:,} in all{why}, {rest}"


def _queue(checked: RunnersChecked) -> str:
    if checked.was_queued is None or checked.queued is None:
        return ""
    if checked.was_queued == checked.queued:
        return f" The queue still had {count(checked.queued, 'job')}."
    return f" The queue went from {checked.was_queued:,} to {count(checked.queued, 'job')}."


def _reasons(checked: RunnersChecked) -> str:
    delivered = checked.delivered or 0
    fewer = checked.delivered is not None and delivered < checked.target
    known = [
        f"the target there is {checked.set_back:,} now" if checked.set_back is not None else "",
        f"{count(checked.create_failures, 'failed runner launch', 'failed runner launches')} in 15 min"
        if checked.create_failures
        else "",
        f"limit {checked.limit:,}" if checked.limit is not None and checked.limit < checked.target else "",
        f"{checked.booting:,} still booting" if checked.booting else "",
        f"{checked.offline:,} offline" if checked.offline else "",
        f"the autoscaler counts {delivered:,}" if fewer and delivered != checked.set_back else "",
        f"the autoscaler reports: {checked.trouble}" if checked.trouble else "",
    ]
    found = [one for one in known if one]
    return f" ({listed(found)})" if found else ""


def limit_words(hit: LimitHit, currency: str = "") -> str:
    target, runners, open_to = f"The target {hit.target:,}", count(hit.current, "runner"), _range(hit)
    there = f"The pool already has that size: the target {hit.target:,}" if hit.target == hit.current else target
    limit = count(hit.limit, "runner")
    would, most = money(hit.cost_per_hour, currency), money(hit.max_cost_per_hour, currency)
    by = f": it is limited to {limit} by {hit.limited_by}" if hit.limited_by else f" of {limit}"
    return {
        LimitReason.SIZE_UNKNOWN: "The target cannot be set: the pool's current size is unknown.",
        LimitReason.NOT_ABOVE: f"{there} is not above the current {runners}. {open_to}.",
        LimitReason.COOLDOWN: f"The pool was just scaled. You can scale it again in {time_left(hit.wait_seconds)}.",
        LimitReason.BELOW_MINIMUM: f"This pool's autoscaler takes no target below {limit}. {open_to}.",
        LimitReason.ABOVE_MAXIMUM: f"{target} is above the pool's maximum{by}. The pool has {runners}. {open_to}.",
        LimitReason.ABOVE_STEP: f"At most {hit.step:,} more at once. The pool has {runners}. {open_to}.",
        LimitReason.TOO_EXPENSIVE: f"{count(hit.extra, 'extra runner')} would cost {would} an hour. "
        f"The maximum is {most} (`max_cost_per_hour`), which allows {limit}.",
    }[hit.reason]


def _range(hit: LimitHit) -> str:
    """The possible targets now, without a period."""
    if hit.full:
        return "It cannot be raised further"
    if hit.most < hit.least:
        return "No allowed step leads to a valid target"
    if hit.most == hit.least:
        return f"Only {hit.least:,} is possible"
    return f"You can ask for {hit.least:,} to {hit.most:,}"
