"""The early warning in words: what is expected, what is known now, and what became of it; nobody is notified."""

import re
from dataclasses import replace

import pytest

from bot.core.finding import Finding, Scaling
from bot.core.pool.early_warning import Crossing, EarlyWarning, Ending, Measure, Threshold, WarningHistory
from bot.core.statement import statement
from bot.views.thread.early_warning import WarningView, limit_words, outcome_unknown, warning, when_words
from bot.views.words.advice import remedy_words
from tests.builders import NOW, POOL, sample
from tests.world import ANA

WAIT = Threshold(Measure.WAIT, 1800.0)
SOON = Crossing(WAIT, NOW, 540.0, 900.0, 1560.0, sure=True)
STANDS = EarlyWarning(NOW, SOON, SOON, NOW, 42, 840.0)
SURGE = Finding("surge", 0.9, (statement("as_written", text="Jobs arrive"),), Scaling.HELPS, "surge", POOL)
LATEST = sample(48, at=NOW + 60, oldest_wait_seconds=900.0, busy=24, limit=24)


def drawn(episode: EarlyWarning = STANDS, **parts: object) -> str:
    view = WarningView(POOL, episode, WarningHistory(episode, hits=5, false=1, missed=2), LATEST)
    message = warning(replace(view, **parts))  # type: ignore[arg-type]  # names are checked by it
    if episode.ended_at is None:
        assert "<!" not in message.text
    return in_utc(f"{message.text}\n{message.blocks}")


def in_utc(words: str) -> str:
    """With its times as their fallback."""
    return re.sub(r"<!date\^\d+\^{time}\|([^>]*)>", r"\1", words)


def test_a_standing_warning_says_when_how_sure_and_how_it_stands() -> None:
    words = drawn(finding=SURGE)
    for part in (
        "Longest wait over 30 min expected in 9 to 26 min (08:09 UTC to 08:26 UTC).",
        "Latest figures, 08:01 UTC: 48 jobs queued, longest wait 15 min, 24 runners busy (limit 24).",
        "At the warning, 08:00 UTC: 42 jobs queued, longest wait 14 min.",
        "Likely cause: a surge of jobs (high confidence). Jobs arrive.",
        "Limit: longest wait over 30 min (configured). This message stays up to date.",
        "5 right, 1 false, 2 missed",
    ):
        assert part in words


def test_what_to_type_stands_in_one_that_stands_where_the_pool_can_be_scaled() -> None:
    assert "Effect of more runners: `/queue scale linux.2xlarge`." in drawn(scalable=True)
    assert "/queue scale" not in drawn()
    assert "/queue scale" not in drawn(replace(STANDS, ending=Ending.PASSED, ended_at=NOW + 1200), scalable=True)
    same = sample(42, at=NOW + 2, oldest_wait_seconds=840.0)
    assert "At the warning" not in drawn(latest=same)


@pytest.mark.parametrize(
    ("ending", "part"),
    [
        (Ending.PASSED, "The trend reversed by 08:20 UTC. The limit was not reached."),
        (Ending.AVERTED, "<@U0ANA> scaled the pool at 08:05 UTC, and the trend reversed by 08:20 UTC."),
        (Ending.AVERTED, "The limit was not reached. The warning is not scored."),
        (Ending.FIRED, "The alert arrived at 08:20 UTC, 20 min after this warning: <https://s/p1|its thread>."),
        (Ending.EASED, "but no alert fired. The pool has been well below it since 08:20 UTC."),
        (Ending.EXPIRED, "Nothing happened within 20 min, so the warning ended at 08:20 UTC."),
        (Ending.WITHDRAWN, "Early warnings of this pool were switched off at 08:20 UTC."),
    ],
)
def test_an_ended_one_says_how_it_ended(ending: Ending, part: str) -> None:
    over = replace(STANDS, ending=ending, ended_at=NOW + 1200, scaled_at=NOW + 300, scaled_by=ANA)
    words = drawn(over, incident_link="https://s/p1")
    assert part in words
    assert "Early warning, over" in words
    assert "Now, " not in words


def test_what_helps_stands_there_only_while_it_can_help() -> None:
    assert drawn(finding=SURGE).count(remedy_words(SURGE)) == 1
    over = drawn(replace(STANDS, ending=Ending.PASSED, ended_at=NOW + 1200), finding=SURGE)
    assert "Likely cause: a surge of jobs" in over
    assert remedy_words(SURGE) not in over


def test_a_crossing_is_said_as_such() -> None:
    words = drawn(replace(STANDS, crossed_at=NOW + 900))
    assert "Longest wait over 30 min since 08:15 UTC, 15 min after this warning. No alert has fired yet." in words


def test_an_interval_without_an_end_says_no_more_than_it_knows() -> None:
    open_end = replace(SOON, high_seconds=None)
    assert in_utc(when_words(open_end)) == "in about 15 min (08:15 UTC), 9 min at the earliest"


def test_thresholds_in_words() -> None:
    assert limit_words(Threshold(Measure.QUEUED, 50.0)) == "more than 50 jobs queued"
    learnt = replace(SOON, threshold=replace(WAIT, learnt_from=4))
    assert "(from its last 4 alerts)" in drawn(replace(STANDS, foreseen=learnt))


def test_one_whose_record_was_lost_says_so_and_where_to_look() -> None:
    message = outcome_unknown("a<!channel>", NOW)
    assert message.text == (
        "Early warning, outcome unknown: a&lt;!channel&gt;. The record of this warning from 08:00 UTC is "
        "lost. Its outcome is unknown, and this message is no longer updated. "
        "The pool now: `/queue status a&lt;!channel&gt;`."
    )
