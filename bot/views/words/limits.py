"""Reasons for a refused scale target."""

from bot.core.scaling.limits import LimitHit, LimitReason
from bot.core.words import count, duration, money


def limit_words(hit: LimitHit, currency: str = "") -> str:
    """One or two sentences for the requester."""
    asked, runners, open_to = f"The target {hit.asked:,}", count(hit.current, "runner"), _range(hit)
    there = f"The pool already has that size: the target {hit.asked:,}" if hit.asked == hit.current else asked
    limit = count(hit.limit, "runner")
    would, most = money(hit.cost_per_hour, currency), money(hit.max_cost_per_hour, currency)
    by = f": it is limited to {limit} by {hit.limited_by}" if hit.limited_by else f" of {limit}"
    return {
        LimitReason.SIZE_UNKNOWN: "The target cannot be set: the pool's current size is unknown.",
        LimitReason.NOT_ABOVE: f"{there} is not above the current {runners}. {open_to}.",
        LimitReason.COOLDOWN: f"The pool was just scaled. You can scale it again in {duration(hit.wait_seconds)}.",
        LimitReason.BELOW_MINIMUM: f"This pool's autoscaler takes no target below {limit}. {open_to}.",
        LimitReason.ABOVE_MAXIMUM: f"{asked} is above the pool's maximum{by}. The pool has {runners}. {open_to}.",
        LimitReason.ABOVE_STEP: f"At most {hit.step:,} more at once: {hit.limit:,} is the highest target now. "
        f"The pool has {runners}. {open_to}.",
        LimitReason.TOO_EXPENSIVE: f"{count(hit.extra, 'extra runner')} would cost {would} an hour. "
        f"The maximum is {most} (`max_cost_per_hour`), which allows {hit.limit:,} runners.",
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
