"""What is said of forecasts: what more runners would do, choices of the dialog, and how the forecasts came out."""

import pytest

from bot.core.forecast.more_runners import Option, WhatIf
from bot.core.pool.outlook import FirstForecast, Forecast, LeftOut, ScoreSummary, Verdict
from bot.core.statement import Statement, statement
from bot.views.words.forecasts import (
    HEAD,
    choice_words,
    forecast_words,
    reason_words,
    score_lines,
    table,
    what_more_would_do,
)

AT = 1_800_000_000.0


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (2.0, "With +10: about 2.0 × faster, about 10 min sooner. The queue drains in 4 to 15 min."),
        (30.0, "With +10: more than 10 × faster, about 10 min sooner. The queue drains in 4 to 15 min."),
        (1.1, "With +10 the queue drains no faster."),
    ],
)
def test_the_effect_comes_first(times: float, words: str) -> None:
    option = Option(10, 300.0, 600.0, 900.0, None, None, times, 600.0)
    assert what_more_would_do(WhatIf((option,)), 10).above[0] == words


def test_the_dialog_begins_with_the_forecast_of_the_thread() -> None:
    shown = Forecast(AT, Verdict.INTERVAL, 60, 600.0, 1200.0, 1800.0)
    found = WhatIf((Option(0, 600.0, 1200.0, 1800.0, None, None),), shown_forecast=shown)
    assert what_more_would_do(found).above[0] == f"Without more runners: {forecast_words(shown)}."


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (statement("drains_before_boot", seconds=240.0, boot=600.0),
         "the queue is expected to be empty in about 4 min, before a new runner has booted (10 min)"),
        (statement("idle_beside_queue", idle=12, queued=60),
         "12 runners idle while 60 jobs wait: capacity is not the problem"),
    ],
)  # fmt: skip
def test_why_nothing_should_be_added(reason: Statement, words: str) -> None:
    assert what_more_would_do(WhatIf(do_nothing=reason)).above == (f"Do nothing: {words}.",)
    assert reason_words(reason) == words


def test_rows_name_what_is_open() -> None:
    """No end in sight, an open end, and a plain interval read differently; a column without prices is left out."""
    ends = ((5400.0, 7200.0, 9000.0), (5400.0, 7200.0, None), (60.0, 600.0, 7200.0))
    found = WhatIf(tuple(Option(5 * n, *times, None, None) for n, times in enumerate(ends)))
    assert table(found, 5) == (
        HEAD[:-1],
        ("+0", "2 h", "2.5 h", "?"),
        ("+5 ←", "2 h", "never?", "?"),
        ("+10", "10 min", "2 h", "?"),
    )


def option(low: float | None, high: float | None, times: float = 2.0) -> Option:
    return Option(10, low, low, high, None, None, times)


@pytest.mark.parametrize(
    ("shown", "approval", "label"),
    [
        (option(3600.0, 6000.0), False, "done in 1 to 2 h, $3.40 an hour, no approval"),
        (option(3600.0, None), True, "done in 1 h at the earliest, $3.40 an hour, needs approval"),
        (option(None, None), None, "not done within two days, $3.40 an hour"),
        (option(3600.0, 6000.0, times=1.0), None, "no faster, $3.40 an hour"),
        (None, None, "effect unknown, $3.40 an hour"),
    ],
)
def test_a_choice_says_when_it_is_done_what_it_costs_and_whether_somebody_approves(
    shown: Option | None, approval: bool | None, label: str
) -> None:
    assert choice_words(shown, "$3.40", approval) == label
    assert len(label) <= 75


def test_whoever_is_told_the_accuracy_is_told_what_it_leaves_out() -> None:
    """Held, missed, left out by the reason; and when nothing was scored, that."""
    left_out = {LeftOut.SCALED: 2, LeftOut.WAITING: 1}
    assert score_lines(ScoreSummary(1, 1, left_out, FirstForecast(AT, 600, 2000, 1500))) == (
        "Forecasts: 1 of 1 correct; 3 not scored: the pool was scaled (2), "
        "the incident ended before the queue drained (1)",
        "First forecast, at 08:00 UTC: 10 min to 33 min. It took 25 min",
    )
    assert score_lines(ScoreSummary(left_out={LeftOut.WAITING: 1})) == (
        "Forecasts: none scored; 1 not scored: the incident ended before the queue drained",
    )
    assert score_lines(ScoreSummary()) == ()


@pytest.mark.parametrize(("stalled", "of"), [(1, "1 of 1 forecast"), (2, "1 of 2 forecasts")])
def test_what_was_called_stalled_is_counted_in_words_that_can_be_read(stalled: int, of: str) -> None:
    """How many came true, and what that means."""
    sentence = f"Forecast that the queue does not drain: {of} correct (not empty within 30 min)"
    assert score_lines(ScoreSummary(came_true=1, stalled=stalled)) == (sentence,)
