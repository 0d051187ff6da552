"""Words about a job in every order: its state only moves on, and a record is kept as long as it is of use."""

from dataclasses import replace
from itertools import permutations

import pytest

from bot.core.pool.job import JobState, WebhookCoverage, WorkflowJob, keep_seconds, key_of, line_of, minute_of, told
from tests.builders import NOW

QUEUED = WorkflowJob(
    "1", "r", "build", "pull", "o/r", ("linux",), JobState.QUEUED, NOW - 100, url="https://x/1", seen_at=NOW - 99
)
WAITING = replace(QUEUED, state=JobState.WAITING, seen_at=NOW - 100)
RUNNING = replace(QUEUED, state=JobState.IN_PROGRESS, started_at=NOW - 60, runner="i-1", seen_at=NOW - 58)
ENDED = replace(
    RUNNING, state=JobState.COMPLETED, completed_at=NOW - 5, conclusion="success", runner="i-1", seen_at=NOW - 3
)


def test_the_first_word_is_the_record() -> None:
    assert told(None, QUEUED) == replace(QUEUED, heard_at=NOW - 99)


@pytest.mark.parametrize("words", list(permutations((WAITING, QUEUED, RUNNING, ENDED))))
def test_in_whatever_order_words_come_the_end_is_the_same(words: tuple[WorkflowJob, ...]) -> None:
    known = None
    for word in words:
        known = told(known, word)
    assert known is not None
    assert replace(known, since=None) == replace(ENDED, heard_at=words[0].seen_at)


def test_a_wait_begins_when_a_gate_lets_the_job_go() -> None:
    """GitHub's times of the gate order what came before the start; without them, the arrival of `queued` counts."""
    assert told(told(None, WAITING), QUEUED).begun == NOW - 99
    first, held, again = (
        replace(job, since=NOW - at) for job, at in ((QUEUED, 90), (WAITING, 80), (replace(QUEUED, seen_at=NOW), 10))
    )
    for words in permutations((first, held, again)):
        known = None
        for word in words:
            known = told(known, word)
        assert known is not None
        assert (known.state, known.begun) == (JobState.QUEUED, NOW - 10)
    assert told(told(None, first), held).state is JobState.WAITING
    assert told(told(told(None, first), held), RUNNING).state is JobState.IN_PROGRESS


@pytest.mark.parametrize("late", [WAITING, QUEUED, RUNNING])
def test_a_late_word_changes_nothing(late: WorkflowJob) -> None:
    known = told(None, ENDED)
    assert told(known, replace(late, branch="other", seen_at=NOW)) == known


@pytest.mark.parametrize("word", [WAITING, QUEUED, RUNNING, ENDED])
def test_the_same_word_again_changes_nothing(word: WorkflowJob) -> None:
    known = told(None, word)
    assert told(known, replace(word, seen_at=NOW + 500)) == known


def test_a_later_word_keeps_what_it_does_not_say_itself() -> None:
    bare = WorkflowJob("1", "", "", "", "", (), JobState.COMPLETED, completed_at=NOW, seen_at=NOW)
    known = told(told(None, RUNNING), bare)
    assert (known.labels, known.url, known.started_at, known.runner) == (("linux",), "https://x/1", NOW - 60, "i-1")
    assert (known.state, known.completed_at, known.created_at) == (JobState.COMPLETED, NOW, NOW - 100)


def test_a_word_of_the_same_state_fills_what_was_not_known() -> None:
    known = told(None, replace(QUEUED, created_at=None, workflow=""))
    assert told(known, replace(QUEUED, name="another")) == replace(known, created_at=NOW - 100, workflow="pull")


def test_a_wait_begins_with_creation_or_with_the_first_word() -> None:
    assert QUEUED.begun == NOW - 100
    assert told(None, replace(QUEUED, created_at=None)).begun == NOW - 99


@pytest.mark.parametrize(
    ("job", "kept"),
    [
        (ENDED, 3600 - 5),
        (replace(ENDED, completed_at=None), 3600 - 3),
        (replace(ENDED, completed_at=NOW + 500), 3600),
        (replace(ENDED, completed_at=NOW - 4000), -400),
        (QUEUED, 72 * 3600 - 100),
        (replace(QUEUED, created_at=None, heard_at=NOW - 7), 72 * 3600 - 7),
        (RUNNING, 72 * 3600 - 60),
        (WAITING, 72 * 3600 - 100),
        (replace(QUEUED, created_at=NOW + 500), 72 * 3600),
    ],
)
def test_a_record_is_kept_as_long_as_it_is_of_use(job: WorkflowJob, kept: float) -> None:
    """An hour after the end; 72 h for what waits or runs; a clock that is ahead prolongs nothing."""
    assert keep_seconds(job, NOW) == kept


def test_labels_match_without_regard_to_case() -> None:
    """As GitHub does it."""
    assert key_of(" Linux.2xlarge ") == "linux.2xlarge"


@pytest.mark.parametrize(
    ("ago", "line"),
    [
        ([], None),
        (["x"], None),
        ([0], WebhookCoverage(NOW, NOW)),
        ([5], WebhookCoverage(NOW - 240, NOW - 240)),
        ([0, 3, 18, 20], WebhookCoverage(NOW - 1140, NOW)),
        ([0, 3, 19, 20], WebhookCoverage(NOW - 120, NOW)),
        ([30, 40], WebhookCoverage(NOW - 2340, NOW - 1740)),
    ],
)
def test_the_line_goes_back_to_the_last_gap(ago: list[object], line: WebhookCoverage | None) -> None:
    """From the minutes in which a word arrived; more than 15 without one are a gap. The first counts from its end."""
    minutes = [minute_of(NOW - minute * 60) if isinstance(minute, int) else "x" for minute in ago]
    assert line_of(minutes, NOW) == line


def test_silence_for_more_than_a_quarter_of_an_hour_is_no_news() -> None:
    assert not WebhookCoverage(NOW - 2000, NOW - 900).silent(NOW)
    assert WebhookCoverage(NOW - 2000, NOW - 901).silent(NOW)
