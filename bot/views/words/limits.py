"""Reasons for a refused scale target."""

from bot.core.scaling.limits import LimitHit, LimitReason
from bot.core.words import count, duration, money


def limit_words(hit: LimitHit, currency: str = "") -> str:
    """One or two sentences for the requester."""
    asked, runners, open_to = f"The target {hit.asked:,}", count(hit.current, "runner"), _range(hit)
    there = f"The pool is there already: the target {hit.asked:,}" if hit.asked == hit.current else asked
    limit = count(hit.limit, "runner")
    would, most = money(hit.cost_per_hour, currency), money(hit.max_cost_per_hour, currency)
    by = f": it is limited to {limit} by {hit.limited_by}" if hit.limited_by else f" of {limit}"
    return {
        LimitReason.SIZE_UNKNOWN: "The pool's present size is unknown, so no safe target can be set.",
        LimitReason.NOT_ABOVE: f"{there} is not above the present {runners}; {open_to}.",
        LimitReason.COOLDOWN: "The pool was scaled a moment ago; the next time is possible in "
        f"{duration(hit.wait_seconds)}.",
        LimitReason.BELOW_MINIMUM: f"The scaler of this pool takes no target under {limit}; {open_to}.",
        LimitReason.ABOVE_MAXIMUM: f"{asked} is above the pool's maximum{by}; it has {runners}, and {open_to}.",
        LimitReason.ABOVE_STEP: f"At most {hit.step:,} more at once: {hit.limit:,} is the highest target now; "
        f"it has {runners}, and {open_to}.",
        LimitReason.TOO_EXPENSIVE: f"{count(hit.extra, 'extra runner')} would cost {would} an hour; "
        f"at most {most} is allowed (`max_cost_per_hour`), that is {hit.limit:,} runners.",
    }[hit.reason]


def _range(hit: LimitHit) -> str:
    """The possible targets now, as the end of a sentence."""
    if hit.full:
        return "it can be raised no further"
    if hit.most < hit.least:
        return "no step leads to a target that it takes"
    if hit.most == hit.least:
        return f"only {hit.least:,} can be asked for"
    return f"{hit.least:,} to {hit.most:,} can be asked for"
