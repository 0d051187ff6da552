"""Scaling, leases and returns in words."""

from bot.core.incident.details.scaling import (
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
from bot.core.words import count, duration, listed

BLOCKS = {
    ReturnBlock.RECORDS_LOST: "Redis has lost records, and they are being healed",
    ReturnBlock.ACTIONS_OFF: "actions are switched off (`actions.enabled = false` in tailback.toml)",
    ReturnBlock.SHADOW_MODE: "shadow mode is on (`actions.shadow = true` in tailback.toml)",
    ReturnBlock.NO_SCALER: "its scaler is not configured any more",
}
"""Why nothing can be returned now."""
RETURN_REASONS = {ReturnReason.DRAINED: "The queue has drained.", ReturnReason.ENDED: "The lease has ended."}


def scale_request_words(asked: ScaleRequest) -> str:
    """A scale-up was requested or decided."""
    before = "?" if asked.before is None else asked.before
    scale, scaling = (f"{verb} {asked.pool} from {before} to {asked.target} runners" for verb in ("scale", "scaling"))
    if asked.keeps:
        extra = f"the extra runners of {asked.pool} (to {asked.target:,}) for another lease"
        scale, scaling = f"keep {extra}", f"keeping {extra}"
    return {
        ScaleStep.ASKED: f"asked to {scale}.",
        ScaleStep.NOT_SENT: f"would have asked {asked.pool}'s scaler for {count(asked.target, 'runner')} "
        f"(now {before}); shadow mode.",
        ScaleStep.APPROVAL_ASKED: f"asked to {scale}. A second person must agree within "
        f"{duration(asked.seconds)}; until then nothing is done.",
        ScaleStep.APPROVED: f"approved {scaling}, as asked for by",
        ScaleStep.DECLINED: f"declined {scaling}, asked for by",
        ScaleStep.TAKEN_BACK: f"took back the request for {scaling}.",
    }[asked.step]


def accepted_words(accepted: ScaleAccepted) -> str:
    """The scaler accepted the target."""
    was = "?" if accepted.before is None else accepted.before
    if accepted.pending:
        asked = f"asked for {accepted.target} runners of {accepted.pool} (was {was})"
        return f"{asked}. Merge {accepted.pending} to get them."
    return f"asked {accepted.pool}'s scaler for {accepted.target} runners (was {was}); it accepted."


def accepted_lines(accepted: ScaleAccepted, *, whisper: bool = False) -> tuple[str, ...]:
    """The next steps; `whisper` means a private answer."""
    within, told = duration(accepted.checked_within_seconds), "you are" if whisper else "this thread is"
    return (f"Whether they come is checked: {told} told within {within}.", lease_terms_words(accepted.lease))


def lease_terms_words(terms: LeaseTerms) -> str:
    """When extra runners are returned."""
    if terms.seconds is None:
        return "They stay until somebody lowers the pool: no `lease` is configured for it."
    drained, latest = duration(terms.drained_seconds), duration(terms.seconds)
    return f"They are handed back when the queue has been empty for {drained}, and after {latest} at the latest."


def lease_words(noted: LeaseNoted) -> str:
    """Present extra runners."""
    extra, left = f"extra runners of {noted.pool} (to {noted.target:,})", duration(noted.seconds)
    return {
        LeaseStep.ENDS_SOON: f"The {extra} are handed back in {left}, unless somebody extends.",
        LeaseStep.EXTENDED: f"keeps the {extra} for {left} from now.",
        LeaseStep.RETURN_ASKED: f"asked to hand back the {extra}.",
        LeaseStep.CANNOT_RETURN: f"The {extra} cannot be handed back: {BLOCKS[noted.why] if noted.why else '?'}.",
    }[noted.step]


def returned_words(returned: RunnersReturned) -> str:
    """A lease has ended."""
    pool, level = returned.pool, returned.level
    match returned.result:
        case ReturnResult.NOTHING_LEFT | ReturnResult.LEASED:
            by = ", which another lease holds" if returned.result is ReturnResult.LEASED else ""
            return f"handed nothing back: {pool} is set to {count(level, 'runner')}{by}."
        case ReturnResult.MOVED:
            return f"left {pool} at {level:,}: somebody else set that since Tailback had set {returned.last:,}."
        case ReturnResult.RETURNED if returned.pending:
            to = f"from {level:,} to {returned.target:,} runners"
            return f"asked to hand back extra runners. Merge {returned.pending} to set {pool} {to}."
        case ReturnResult.RETURNED:
            return f"handed back extra runners: {pool} is set to {returned.target:,} again (was {level:,})."


def returned_lines(returned: RunnersReturned) -> tuple[str, ...]:
    """The reason, and waiting jobs."""
    waiting = f"{count(returned.waiting, 'job')} still waiting." if returned.waiting else ""
    return tuple(line for line in (RETURN_REASONS.get(returned.why, ""), waiting) if line)


def checked_words(checked: RunnersChecked) -> str:
    """The verification of a scale-up."""
    head, after = f"Scaling {checked.pool} to {checked.target:,}", duration(checked.after_seconds)
    rest = f"{checked.busy or 0:,} of them busy.{_queue(checked)}"
    match checked.came:
        case RunnersCame.UNSEEN:
            return f"{head}: cannot be verified; how many runners are online is unknown after {after}."
        case RunnersCame.VERIFIED:
            more = count(max(checked.more, 0), "more runner")
            return f"{head}: verified. {more} online, {checked.online:,} in all, {rest}"
        case RunnersCame.NO_EFFECT:
            only = f"but only {count(checked.online, 'runner')} online{_reasons(checked)}"
            return f"{head}: no effect. After {after} the scaler accepted {checked.target:,}, {only}, {rest}"
        case RunnersCame.PARTLY:
            few = f"{checked.more:,} of {count(checked.wanted, 'more runner')} online after {after}"
            return f"{head}: partly. {few}, {checked.online:,} in all{_reasons(checked)}, {rest}"


def _queue(checked: RunnersChecked) -> str:
    if checked.was_queued is None or checked.queued is None:
        return ""
    return f" The queue went from {checked.was_queued:,} to {count(checked.queued, 'job')}."


def _reasons(checked: RunnersChecked) -> str:
    delivered = checked.delivered
    known = [
        count(checked.create_failures, "failed create") if checked.create_failures else "",
        f"limit {checked.limit:,}" if checked.limit is not None and checked.limit < checked.target else "",
        f"{checked.booting:,} still booting" if checked.booting else "",
        f"{checked.offline:,} offline" if checked.offline else "",
        f"the scaler itself counts {delivered:,}" if delivered is not None and delivered < checked.target else "",
        f"it says: {checked.trouble}" if checked.trouble else "",
    ]
    found = [one for one in known if one]
    return f" ({listed(found)})" if found else ""
