"""Scores of forecasts in words."""

from collections.abc import Mapping

from bot.core.forecast.outlook import LeftOut, ScoreSummary
from bot.core.forecast.scoring import EMPTY_SOON_SECONDS
from bot.core.words import clock, count, duration
from bot.views.words.interval import exact

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


def score_lines(scores: ScoreSummary, *, first: bool = True) -> tuple[str, ...]:
    """Forecast against truth, with how many are left out, and the `first` one; nothing when nothing was forecast."""
    missing, said = left_out_words(scores.left_out), []
    if (made := scores.first) is not None:
        said.append(f"Forecasts: {scores.held} of {scores.timed:,} correct" + (missing and f"; {missing}"))
        if first:
            at, bounds = clock(made.made_at, made.actual_seconds), exact(made.low_seconds or 0.0, made.high_seconds)
            said.append(f"First forecast, at {at} UTC: {bounds}. It took {duration(made.actual_seconds)}")
    elif missing:
        said.append(f"Forecasts: none scored; {missing}")
    if scores.stalled:
        of = f"{scores.came_true:,} of {count(scores.stalled, 'forecast')}"
        soon = duration(EMPTY_SOON_SECONDS)
        said.append(f"Forecast that the queue does not drain: {of} correct (not empty within {soon})")
    return tuple(said)
