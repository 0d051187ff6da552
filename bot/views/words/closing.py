"""The end of an incident in words: duration, peaks, causes, waiting, actions."""

import math
from collections.abc import Iterable, Mapping, Sequence

from bot.core.alert import SilentReason
from bot.core.incident.details.counterfactual import Counterfactual
from bot.core.incident.details.events import ClosingSummary, IncidentEnded, IncidentEnding, LikelyCause, Waited
from bot.core.pool.outlook import Score
from bot.core.words import count, duration, listed, share
from bot.views.words.causes import cause_name
from bot.views.words.interval import about, bound, exact, interval, widened
from bot.views.words.silences import still_lasts

MOST_POOLS = 5
LEAST_HOURS = 0.1
"""Fewer hours are `under 0.1`, which is no lower bound."""
MOSTLY, LITTLE = 0.9, 0.05
"""Shares of the time that are as good as all of it, or none."""


SILENT = {
    SilentReason.MISSING_SERIES: "its series are missing",
    SilentReason.PAUSED: "its rule was paused",
    SilentReason.RULE_DELETED: "its rule was deleted",
    SilentReason.NO_DATA: "its query returned no data",
    SilentReason.ERROR: "its query failed",
    SilentReason.CUT_SHORT: "alerts that it does not show may still fire",
}
"""Why an alert ended without a recovery."""


def silent_words(reasons: Iterable[SilentReason]) -> str:
    return listed(SILENT[one] for one in reasons)


def ending_words(ended: IncidentEnded) -> str:
    match ended.how:
        case IncidentEnding.DRAINED:
            fires = " The alert still fires." if ended.still_firing else ""
            lasted = duration(ended.summary.lasted_seconds)
            return f"Drained: {listed(ended.pools)} after {lasted}{_cost(ended.summary)}.{fires}"
        case IncidentEnding.SOURCE_BACK if ended.silent:
            return (
                f"The alert's source went silent: {silent_words(ended.silent)}. Whether it has data again is unknown."
            )
        case IncidentEnding.SOURCE_BACK:
            return "The metrics source is answering again."
        case IncidentEnding.NOT_MEASURED:
            none = f"no metrics source is configured for {listed(ended.pools)}"
            why = none if ended.pools else "no pool is configured"
            if ended.silent:
                return (
                    f"The alert's source went silent: {silent_words(ended.silent)}. The queue was not measured: {why}."
                )
            return f"The alert resolved. Its queue was not measured: {why}."
        case IncidentEnding.CLOSED:
            lasted = duration(ended.summary.lasted_seconds)
            return f"closed this incident after {lasted}{_cost(ended.summary)}."


def _cost(summary: ClosingSummary) -> str:
    """What a manager asks: how bad it was, and what it cost."""
    worst = max(summary.peaks, key=lambda peak: peak.queued, default=None)
    queue = f", up to {count(worst.queued, 'job')} queued" if worst and worst.queued else ""
    if queue and worst and len(summary.peaks) > 1:
        queue += f" in {worst.pool}"
    waited = _total(summary.waited)
    return f"{queue}, {least_hours(waited)} developer-hours lost" if waited >= LEAST_HOURS else queue


def ending_lines(summary: ClosingSummary) -> tuple[str, ...]:
    """The summary as lines for the last reply: causes, the counterfactual, waiting, forecasts and silences."""
    waited, other = summary.waited, summary.without
    plainly = summary.affected == 1 and len(waited) == 1 and waited[0].unmeasured < LITTLE
    lines = [*cause_lines(summary.causes, summary.affected)]
    if other is not None and other.took_seconds is not None:
        lines.append(f"It took {duration(other.took_seconds)} from the scale-up. Without it: {without_words(other)}")
        lines += [] if other.helped is None else [_helped(other.helped)]
    if not plainly:  # else the first sentence says all about the waiting
        lines += waited_lines(waited, summary.affected)
    if summary.affected and not summary.acted:
        lines.append("Nobody scaled up or silenced the alert")
    for silence in summary.silences:
        stays = f"The alert stays silenced {still_lasts(silence)}; `@tailback unsilence` ends it"
        lines.append("The silence ends now, because the queue has drained" if silence.until_drained else stays)
    return tuple(lines)


def without_words(other: Counterfactual) -> str:
    """`about 9 h (80 %: 4 h or more)`."""
    if other.without_seed is None:
        return "not known, because the queue was not measured"
    low, middle, high = other.without_low_seconds or 0.0, other.without_mid_seconds, other.without_high_seconds
    span = f"{bound(low, down=True)} or more" if high is None else interval(low, high)
    return f"{about(middle)} (80 %: {span})" if middle is not None else f"{bound(low, down=True)} or more"


def _helped(score: Score) -> str:
    """Rounded as the dialog said it, and compared with that: whoever chose it was told no other bounds."""
    made = score.forecast
    if made.low_seconds is None or made.high_seconds is None:
        return f"Forecast of the scale-up: {exact(made.low_seconds or 0.0, made.high_seconds)}"
    low, high = widened(made.low_seconds, made.high_seconds)
    held = "correct" if low <= score.actual_seconds <= high else "wrong"
    return f"Forecast of the scale-up: {interval(made.low_seconds, made.high_seconds)} ({held})"


def cause_lines(causes: Sequence[LikelyCause], affected: int = 0) -> tuple[str, ...]:
    """The likeliest cause of each pool; pools with the same one share a line, without names if those are all."""
    pools: dict[str, list[str]] = {}
    for one in causes:
        part = f" ({share(one.samples / one.of)} of the time)" if one.samples < MOSTLY * one.of else ""
        pools.setdefault(one.cause, []).append(f"{one.pool}{part}")
    if len(pools) == 1 and len(causes) == affected and all(one.samples >= MOSTLY * one.of for one in causes):
        return (f"Likely cause: {cause_name(causes[0].cause)}",)
    return tuple(f"Likely cause of {listed(names)}: {cause_name(cause)}" for cause, names in pools.items())


def waited_lines(waited: Sequence[Waited], affected: int) -> tuple[str, ...]:
    """Developer-hours waited and the unmeasured share; empty if no pool queued."""
    if not affected:
        return ()
    if not waited:
        return ("Developer time lost: unknown, the queue was never measured",)
    first = [(one.pool, hours(rounded_down(one.hours))) for one in waited[:MOST_POOLS]]
    each = "; ".join(f"{pool} {lost}" for pool, lost in first) if len(waited) > 1 else waited[0].pool
    more = f"; {count(len(waited) - MOST_POOLS, 'more pool')}" if len(waited) > MOST_POOLS else ""
    unmeasured = sum(one.unmeasured for one in waited) / len(waited)
    blind = f", {share(unmeasured)} of the time not measured" if unmeasured >= LITTLE else ""
    never = affected - len(waited)
    missing = f"; {count(never, 'pool')} never measured" if never > 0 else ""
    total = _total(waited)
    lost = f"{least_hours(total)} hours" if total else "none"
    lost += "" if total >= LEAST_HOURS else " while measured"
    return (f"Developer time lost: {lost} ({each}{more}){blind}{missing}",)


def _total(waited: Sequence[Waited]) -> float:
    """Their hours together as they are shown, so that the parts add up to it."""
    return rounded_down(sum(rounded_down(one.hours) for one in waited))


def rounded_down(least: float) -> float:
    """The shown part of a number of hours that is a lower bound, so that it stays one."""
    a_whole = 10 if least < 10 else 1
    return least if least < LEAST_HOURS else math.floor(round(least * a_whole, 6)) / a_whole


def least_hours(number: float) -> str:
    """A lower bound in words: `at least 12`, or `under 0.1`, which is none."""
    shown = hours(rounded_down(number))
    return f"at least {shown}" if number >= LEAST_HOURS else shown


def rounded_up(most: float) -> float:
    """The shown part of a number of hours that is an upper bound."""
    a_whole = 10 if most < 10 else 1
    return math.ceil(round(most * a_whole, 6)) / a_whole


def hours(number: float) -> str:
    if 0 < number < LEAST_HOURS:
        return "under 0.1"
    return f"{number:,.1f}" if number < 10 else f"{number:,.0f}"


def unfinished_words(waiting: Mapping[str, int | None], borrowed: int) -> tuple[str, ...]:
    """What a person should know before closing: queues by pool, None where unknown, and borrowed runners."""
    queued = [f"{count(number, 'job')} in {pool}" for pool, number in waiting.items() if number is not None]
    unknown = [pool for pool, number in waiting.items() if number is None]
    stay = "stays" if borrowed == 1 else "stay"
    words = (
        f"Still queued: {listed(queued)}." if queued else "",
        f"How many jobs are queued in {listed(unknown)} is unknown." if unknown else "",
        f"{count(borrowed, 'extra runner')} {stay} until the lease ends or the queue has drained." if borrowed else "",
    )
    return tuple(filter(None, words))
