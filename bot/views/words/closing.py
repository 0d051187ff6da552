"""The end of an incident in words: duration, peaks, causes, waiting, actions."""

from collections.abc import Sequence

from bot.core.incident.details.closing import ClosingSummary, IncidentEnded, IncidentEnding, LikelyCause, Waited
from bot.core.incident.details.silences import ActiveSilence
from bot.core.words import count, duration, listed
from bot.views.words.causes import cause_name
from bot.views.words.scores import score_lines
from bot.views.words.silences import until_when
from bot.views.words.sparks import spark_lines

MOST_POOLS = 5


def ending_words(ended: IncidentEnded) -> str:
    """The kind of end."""
    match ended.how:
        case IncidentEnding.DRAINED:
            fires = " The alert still fires, although the queue is empty." if ended.still_firing else ""
            rule = f"at or under the floor for {count(ended.samples, 'sample')} in a row"
            return f"Drained: {listed(ended.pools)} {rule}.{fires}"
        case IncidentEnding.SOURCE_BACK:
            return "The metric source answers again."
        case IncidentEnding.NOT_MEASURED:
            return "The alert resolved. No pool is configured for it, so the queue itself was not measured."
        case IncidentEnding.CLOSED:
            return "closed this incident by hand."


def ending_lines(summary: ClosingSummary) -> tuple[str, ...]:
    """The summary as lines for the last reply: duration, causes, peaks, waiting, forecasts and the queue."""
    return (
        f"Lasted {duration(summary.lasted_seconds)}",
        *cause_lines(summary.causes),
        *(
            f"Peak of {peak.pool}: {count(peak.queued, 'job')} queued, oldest wait {duration(peak.wait_seconds)}"
            for peak in summary.peaks
        ),
        *waited_lines(summary.waited, summary.affected),
        *(() if summary.acted else ("Nobody scaled or silenced anything.",)),
        *(score_lines(summary.scores) if summary.scores else ()),
        *spark_lines(summary.sparks, summary.more_pools),
        *(_silence_line(silence) for silence in summary.silences),
    )


def cause_lines(causes: Sequence[LikelyCause]) -> tuple[str, ...]:
    """The likeliest cause of each pool."""
    return tuple(
        f"Likely cause of {one.pool}: {cause_name(one.cause)}"
        + (f" ({one.samples:,} of {count(one.of, 'look')})" if one.samples < one.of else "")
        for one in causes
    )


def waited_lines(waited: Sequence[Waited], affected: int) -> tuple[str, ...]:
    """Developer-hours waited and the unmeasured share; empty if no pool queued."""
    if not affected:
        return ()
    if not waited:
        return ("Developer-hours waited: unknown, the queue was never measured",)
    first = waited[:MOST_POOLS]
    each = "; ".join(f"{one.pool} {hours(one.hours)}" for one in first) if len(waited) > 1 else waited[0].pool
    more = f"; {count(len(waited) - MOST_POOLS, 'more pool')}" if len(waited) > MOST_POOLS else ""
    unmeasured = sum(one.unmeasured for one in waited) / len(waited)
    blind = f", {unmeasured:.0%} of the time was not measured" if unmeasured >= 0.005 else ""
    never = affected - len(waited)
    missing = f"; nothing was measured of {count(never, 'pool')}" if never > 0 else ""
    total = hours(sum(one.hours for one in waited))
    return (f"Developer-hours waited: at least {total} ({each}{more}){blind}{missing}",)


def hours(number: float) -> str:
    """`0.4`, `31.5`, `1,240`."""
    if 0 < number < 0.05:
        return "under 0.1"
    return f"{number:,.1f}" if number < 100 else f"{number:,.0f}"


def _silence_line(silence: ActiveSilence) -> str:
    """What happens to a silence that is active at the end."""
    if silence.until_drained:
        return "The silence until the queue has drained ends now"
    return f"The alert stays silenced {until_when(silence)}; say unsilence in this thread to end that sooner"
