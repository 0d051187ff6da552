"""The words of forecasts: reasons, and the effect of more runners."""

from collections.abc import Mapping

from bot.core.forecast.forecast import WIDEST
from bot.core.forecast.more_runners import Option, Terms, WhatIf, WhatToExpect
from bot.core.forecast.outlook import Verdict
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.statement import Statement
from bot.core.words import count, duration, money
from bot.views.words.phrase import Words, in_words

REASONS: Mapping[str, Words] = {
    "arrivals_unknown": "the rate of arrivals is unknown",
    "at_floor": "{queued:count job} queued, at or under the floor",
    "busy_unknown": "the number of busy runners is unknown",
    "calibrated": "after {scored:count scored forecast}",
    "drains_before_boot": (
        "the queue is expected to be empty in about {seconds:duration}, "
        "before a new runner has booted ({boot:duration})"
    ),
    "few_samples": "{known} of the {needed} measurements that it takes",
    "idle_beside_queue": "{idle:count runner} idle while {queued:count job} wait: capacity is not what is missing",
    "no_runners": "no runner is there to take a job, and none is booting",
    "not_assigned": "{idle:count runner} idle beside the queue: jobs are not being assigned",
    "nothing_queued": "nothing is queued",
    "pace_unknown": "neither completions nor durations are known",
    "provider_down": "the CI provider assigns no jobs",
    "queue_unknown": "the length of the queue is unknown",
    "rates": "{arrivals:.1f} jobs arrive a minute, about {finished:.1f} are finished",
    "servable_unknown": "it is unknown which part of the queue can be served",
    "too_close": "arrivals and completions are too close to call",
}
"""Why there is no forecast, its basis, or why nothing should be added."""

VERDICTS = {
    Verdict.INTERVAL: "drains",
    Verdict.AT_LEAST: "may not drain",
    Verdict.AT_MOST: "drains",
    Verdict.STALLED: "not draining",
    Verdict.GROWING: "growing",
    Verdict.UNTIL_REPAIRED: "drains only after a fix",
    Verdict.NONE: "no clear trend yet",
}
"""The kinds of forecasts."""

DOUBTED = "If they came and took jobs:"
"""Shown above the table if the diagnosis says that more runners hardly help."""

LEAST_FASTER = 1.05
"""A smaller effect is none."""


def reason_words(reason: Statement | None) -> str:
    """A reason as a clause; empty if none."""
    return "" if reason is None else in_words(reason, REASONS)


def what_to_expect(found: WhatToExpect, rules: PoolRules, caution: str = "", currency: str = "") -> tuple[str, ...]:
    """The effect of a choice: warnings, the table, the smallest sufficient number, the boot time.

    `caution` is the diagnosis' warning.
    """
    boot = f"New runners take about {duration(rules.boot_time_seconds)} to boot; help comes no sooner."
    said = (caution,) if caution else ()
    if found.now is None:
        return (*said, "The pool has not been measured, so the effect cannot be foreseen.", boot)
    warnings = said or tuple(_warnings(found.now))
    what_if = found.what_if
    if what_if.refusal is not None:
        return (*warnings, f"The effect cannot be foreseen: {reason_words(what_if.refusal)}.", boot)
    doubted = (DOUBTED,) if caution else ()
    table = rows(what_if, found.more, currency)
    return (*warnings, *do_nothing(what_if), *doubted, *table, _enough(what_if, found.terms), boot)


def what_more_would_do(found: WhatIf, caution: str = "", currency: str = "") -> tuple[str, ...]:
    """The same for several numbers."""
    said = (caution,) if caution else ()
    if found.refusal is not None:
        refused = f"What more runners would do cannot be foreseen: {reason_words(found.refusal)}."
        return (*said, *do_nothing(found), refused)
    doubted = (DOUBTED,) if caution and found.options else ()
    return (*said, *do_nothing(found), *doubted, *rows(found, currency=currency))


def do_nothing(found: WhatIf) -> tuple[str, ...]:
    """Why nothing should be added; empty if unknown."""
    return () if found.do_nothing is None else (f"Do nothing: {reason_words(found.do_nothing)}.",)


def rows(found: WhatIf, chosen: int | None = None, currency: str = "") -> tuple[str, ...]:
    """The table as lines, +0 first: time of the drain, longest wait and cost until then."""
    return tuple(_row(option, chosen, currency) for option in found.options)


def _row(option: Option, chosen: int | None, currency: str) -> str:
    name = "As it is" if option.more == 0 else f"+{option.more}"
    mark = " (this)" if option.more and option.more == chosen else ""
    cost = f", costs about {money(option.cost, currency)} until then" if option.cost and option.more else ""
    return f"{name}{mark}: {_drains(option)}{_wait(option)}{cost}."


def _drains(option: Option) -> str:
    """The effect first, then the time."""
    faster, sooner = option.times_faster, duration(option.sooner_seconds)
    effect = f"{faster:.1f} × faster, about {sooner} sooner; " if faster >= LEAST_FASTER else "no faster; "
    low, high = option.low_seconds or 0.0, option.high_seconds
    if high is None:
        time = f"may not drain, {duration(low)} at the earliest"
    elif high > WIDEST * max(low, 60.0):
        time = f"drains within {duration(high)}"
    else:
        time = f"drains in about {duration(low)}" if low == high else f"drains in {duration(low)} to {duration(high)}"
    return (effect if option.more else "") + time


def _wait(option: Option) -> str:
    return f", oldest wait up to {duration(option.oldest_wait_seconds)}" if option.oldest_wait_seconds else ""


def _enough(found: WhatIf, terms: Terms) -> str:
    target = duration(terms.target_seconds)
    if found.enough is None:
        return f"None of these is expected to drain it within {target}."
    if found.enough.more == 0:
        return f"It is expected to drain within {target} without help."
    return f"Of these, +{found.enough.more} is the least that is expected to drain it within {target}."


def _warnings(now: Snapshot) -> list[str]:
    warnings = []
    if now.idle:
        warnings.append(f"{count(now.idle, 'runner')} idle while jobs wait: more runners may not help.")
    if now.offline:
        warnings.append(f"{count(now.offline, 'runner')} offline: bringing them back may be what helps.")
    if now.create_failures:
        failed = count(now.create_failures, "attempt")
        warnings.append(f"{failed} to create a runner failed in the last 15 min: asking for more may not help.")
    return warnings
