"""The words of forecasts: reasons, and the effect of more runners."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.forecast.more_runners import Option, WhatIf
from bot.core.forecast.scoring import EMPTY_SOON_SECONDS
from bot.core.pool.outlook import Forecast, LeftOut, ScoreSummary, Verdict
from bot.core.statement import Statement
from bot.core.words import clock, count, duration, money
from bot.views.words.interval import about, bound, exact, nearest, when
from bot.views.words.phrase import in_words

REASONS: Mapping[str, str] = {
    "at_floor": "{queued:count job} queued, within normal",
    "cut_off": "jobs beyond the limit wait at GitHub, where the source does not count them",
    "drains_before_boot": (
        "the queue is expected to be empty in about {seconds:duration}, "
        "before a new runner has booted ({boot:duration})"
    ),
    "few_samples": "{known} of {needed} measurements needed",
    "first_forecast": "first forecast at {at:clock} UTC",
    "idle_beside_queue": (
        "{idle:count runner} idle while {queued:count job waits|jobs wait}: capacity is not the problem"
    ),
    "no_runners": "no runner is online, and none is booting",
    "launches_refused": "{refused:,} of {ordered:count runner launch|runner launches} were refused",
    "none_come": "no runner has come for {minutes} min, although the limit of {limit:,} allows more",
    "none_servable": "no runner has what {jobs:count waiting job asks|waiting jobs ask} for",
    "not_registered": "{registered:,} of {created:count new runner} have registered",
    "not_assigned": "{idle:count runner} idle despite the queue: jobs are not being assigned",
    "nothing_queued": "no job is queued",
    "provider_down": "the CI provider is not assigning jobs",
    "queue_unknown": "the queue length is unknown",
    "rates": "{arrivals:.1f} jobs arrive and about {finished:.1f} finish per minute",
    "stands_still": "no more runners come until the cause is repaired",
    "servable_unknown": "unknown which part of the queue can be served",
}
"""Why there is no forecast, its basis, or why nothing should be added."""

NO_QUEUE = frozenset({"nothing_queued", "at_floor"})
"""Reasons that leave no job for which idle runners could be missing."""
UNCLEAR = "no clear time yet"
WIDEST = 5.0
"""A range whose ends are further apart helps nobody to plan."""
SURE, LIKELY, MOST_ODDS = 0.9, 2 / 3, ((0.9, "9 in 10"), (0.75, "3 in 4"), (2 / 3, "2 in 3"))
"""From two in three on, something is called probable; odds are said as people say them."""
MOST_FASTER = 10.0
"""A larger effect has no figure: nobody notices the difference."""

DOUBTED = "If new runners came online and took jobs:"
"""Stands above the table where nobody knows whether they do."""
HEAD = ("Added", "Drained", "At worst", "Wait", "Cost")


def reason_words(reason: Statement | None) -> str:
    return "" if reason is None else in_words(reason, REASONS)


@dataclass(frozen=True, slots=True)
class Preview:
    """What more runners would do: warnings and the effect, a small table with its head, and what to add."""

    above: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    """By number of added runners, `+0` first; empty when nothing can be foreseen."""

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it as sentences, for a reader without the table."""
        rows = (" · ".join(f"{name} {cell}" for name, cell in zip(HEAD, row, strict=False)) for row in self.table[1:])
        return (*self.above, *rows)


def what_more_would_do(
    found: WhatIf, chosen: int | None = None, caution: str = "", currency: str = "", *, cause: str = ""
) -> Preview:
    """The same for several numbers; `chosen` is the proposed one, `cause` the id of the first cause."""
    calm = found.refusal is not None and found.refusal.id in NO_QUEUE
    lines = [caution] if caution and not calm else []
    if found.refusal is not None:
        return Preview((*lines, f"The effect of more runners is unknown: {reason_words(found.refusal)}."))
    if found.do_nothing is not None:
        lines.append(f"Do nothing: {reason_words(found.do_nothing)}.")
    effects = [_effect(option) for option in found.options if option.more in {0, chosen}]
    if found.shown_forecast is not None:
        effects[:1] = [f"Without more runners: {forecast_words(found.shown_forecast, cause)}."]
    doubted = (DOUBTED,) if found.helps is None and len(found.options) > 1 else ()
    return Preview((*lines, *effects[:1], *doubted, *effects[1:]), table(found, chosen, currency))


def table(found: WhatIf, chosen: int | None = None, currency: str = "") -> tuple[tuple[str, ...], ...]:
    """The head and a row for each number: drain, worst case, longest wait, and the cost if runners have a price."""
    priced = any(option.cost is not None for option in found.options)
    rows = [HEAD, *(_row(option, chosen, currency) for option in found.options)]
    return tuple(row if priced else row[:-1] for row in rows) if found.options else ()


def _row(option: Option, chosen: int | None, currency: str) -> tuple[str, ...]:
    low, middle, high = option.low_seconds, option.mid_seconds, option.high_seconds
    drained = nearest(middle) if middle is not None else "not today" if low is None else f">{bound(low, down=True)}"
    cost = money(option.cost, currency) if option.cost is not None and option.more else "–"
    mark = " ←" if option.more and option.more == chosen else ""
    wait = option.oldest_wait_seconds
    return (f"+{option.more}{mark}", drained, bound(high) if high is not None else "never?",
            bound(wait) if wait is not None else "?", cost)  # fmt: skip


def choice_words(option: Option | None, price: str, approval: bool | None, forecast: Forecast | None = None) -> str:
    """One choice of the dialog: when the queue is done, what it costs, and whether somebody has to approve it.

    `price` is of an hour; `approval` is None where nothing ever needs one. Where the queue waits for a repair by
    `forecast`, the time contains it.
    """
    consent = None if approval is None else "needs approval" if approval else "no approval"
    repaired = (
        forecast is not None and forecast.verdict is Verdict.UNTIL_REPAIRED and option is not None and option.helps
    )
    done = f"{_done(option)} with the repair" if repaired else _done(option)
    return ", ".join(filter(None, (done, price and f"{price} an hour", consent)))


def _done(option: Option | None) -> str:
    if option is None:
        return "effect unknown"
    if not option.helps:
        return "no faster"
    if option.low_seconds is None:
        return "not done within two days"
    if option.high_seconds is None:
        return f"done in {bound(option.low_seconds, down=True)} at the earliest"
    return f"done {when(option.low_seconds, option.high_seconds)}"


def _effect(option: Option) -> str:
    if option.more and not option.helps:
        return f"With +{option.more} the queue drains no faster."
    low, high = option.low_seconds, option.high_seconds
    gain = (
        f"With +{option.more}: {faster(option.times_faster)}{_sooner(option)}. The" if option.more else "As it is, the"
    )
    if low is None:
        return f"{gain} queue does not drain within two days."
    drains = f"drains {when(low, high)}" if high is not None else f"needs at least {bound(low, down=True)}"
    return f"{gain} queue {drains}."


def _sooner(option: Option) -> str:
    return f", about {duration(option.sooner_seconds)} sooner" if option.sooner_seconds > 0 else ""


def faster(times: float) -> str:
    """`about 1.8 × faster`."""
    return f"about {times:.1f} × faster" if times < MOST_FASTER else f"more than {MOST_FASTER:.0f} × faster"


UNTIL: Mapping[str, str] = {
    "cloud_down": "the cloud recovers",
    "cluster_full": "the cluster has room",
    "failed_fill": "the failed runners are removed",
    "hosted": "the jobs ask for a label of yours",
    "image": "the image is repaired",
    "launches_refused": "new machines are granted",
    "no_runner": "a runner is online",
    "no_runners": "a runner is online",
    "none_come": "new runners come",
    "none_servable": "a runner has what the jobs ask for",
    "not_assigned": "the jobs are assigned",
    "not_registered": "new machines register",
    "offline": "the hosts are back",
    "permission": "the permission is given",
    "provider": "the provider recovers",
    "provider_down": "the provider recovers",
    "quota": "the quota is raised",
    "refused": "new machines are granted",
    "requests_pile_up": "the launch requests are worked off",
    "stockout": "the cloud has machines",
    "throttled_api": "the API limit is reset",
    "throttled_cloud": "the cloud's API limit is reset",
    "too_few": "new runners come",
    "unassigned": "the jobs are assigned",
    "unknown_label": "a runner has the label",
    "unregistered": "new machines register",
}
"""What is to be repaired, by the id of the first cause, or of what the figures show."""


def branch_words(made: Forecast, cause: str = "") -> str:
    """`not before the image is repaired; then about 40 min`."""
    return f"not before {_repair(made, cause)}"


def _repair(made: Forecast, cause: str) -> str:
    shown = UNTIL.get(made.reason.id) if made.reason else None
    repaired = "" if made.repaired_seconds is None else f"; then {about(made.repaired_seconds)}"
    return f"{UNTIL.get(cause) or shown or 'it is repaired'}{repaired}"


def forecast_words(made: Forecast, cause: str = "") -> str:
    """`drains in 20 min to 1.5 h`, `not today (2 in 3)`, the branch after a repair, or that nothing is clear yet.

    `cause`: the id of the first one.
    """
    low, high = made.low_seconds, made.high_seconds
    if made.verdict is Verdict.NONE:
        return reason_words(made.reason) if made.reason and made.reason.id == "first_forecast" else UNCLEAR
    if made.verdict is Verdict.UNTIL_REPAIRED:
        return f"does not drain until {_repair(made, cause)}"
    if low is not None and high is not None and _is_narrow(made):
        return f"drains {when(low, high)}"
    if made.today is not None and 1 - made.today >= LIKELY:
        grows = "growing, " if made.verdict is Verdict.GROWING else ""
        return f"{grows}not today ({odds(1 - made.today)})"
    return UNCLEAR


def _is_narrow(made: Forecast) -> bool:
    low, high = made.low_seconds, made.high_seconds
    return low is not None and high is not None and high <= WIDEST * max(low, 60.0) and made.today != 0.0


def earlier_words(made: Forecast, was: Forecast | None) -> str:
    """`about 2 h`: the middle of what was said before the range of now; empty if there is nothing to compare."""
    if was is None or was.mid_seconds is None or was.verdict is not Verdict.INTERVAL:
        return ""
    comparable = made.verdict is Verdict.INTERVAL and _is_narrow(made)
    return about(was.mid_seconds) if comparable else ""


def odds(share: float) -> str:
    """A probability as people say it: `2 in 3`."""
    return next((words for least, words in MOST_ODDS if share >= least), "1 in 2")


WHY = {
    LeftOut.SCALED: "the pool was scaled",
    LeftOut.UNSEEN: "the end of the queue was not seen",
    LeftOut.WAITING: "the incident ended before the queue drained",
}


def left_out_words(left_out: Mapping[LeftOut, int]) -> str:
    """`5 not scored: somebody scaled the pool (3), it ended before the queue drained (2)`; empty if none."""
    if not (total := sum(left_out.values())):
        return ""
    each = sorted(left_out.items(), key=lambda item: -item[1])
    why = WHY[each[0][0]] if len(each) == 1 else ", ".join(f"{WHY[why]} ({number:,})" for why, number in each)
    return f"{total:,} not scored: {why}"


def score_lines(scores: ScoreSummary) -> tuple[str, ...]:
    """Forecast against truth, with how many are left out, and the first one; nothing when nothing was forecast."""
    missing, lines = left_out_words(scores.left_out), []
    if (made := scores.first) is not None:
        lines.append(f"Forecasts: {scores.held} of {scores.timed:,} correct" + (missing and f"; {missing}"))
        at, bounds = clock(made.made_at, made.actual_seconds), exact(made.low_seconds or 0.0, made.high_seconds)
        lines.append(f"First forecast, at {at} UTC: {bounds}. It took {duration(made.actual_seconds)}")
    elif missing:
        lines.append(f"Forecasts: none scored; {missing}")
    if scores.stalled:
        of = f"{scores.came_true:,} of {count(scores.stalled, 'forecast')}"
        soon = duration(EMPTY_SOON_SECONDS)
        lines.append(f"Forecast that the queue does not drain: {of} correct (not empty within {soon})")
    return tuple(lines)
