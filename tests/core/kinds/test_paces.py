"""Which jobs are alike, how long they take while some still run, and which of them wait."""

from dataclasses import replace

import pytest

from bot.core.kinds.jobs_now import JobsNow, left_groups, newest_first, overtaken
from bot.core.kinds.paces import EndedJob, JobGroup, KindPace, explains, grouped, paces, quartiles
from bot.sources.job_kind import kind_of


@pytest.mark.parametrize(
    ("name", "labels", "kind"),
    [
        ("test (default, 1, 5, linux.2xlarge)", ("linux.2xlarge",), "pull / test (default)"),
        ("build / test (inductor, 2, 4, lf.linux.g5.4xlarge.nvidia.gpu)", (), "pull / build / test (inductor)"),
        ("unit (3.11, cpu)", (), "pull / unit (cpu)"),
        ("unit (3, 4)", (), "pull / unit"),
        ("lint", ("linux",), "pull / lint"),
        ("deploy (prod) now", (), "pull / deploy (prod) now"),
        ("rspec 3/10", (), "pull / rspec"),
        ("rspec: [mysql, 3.2, docker]", ("docker",), "pull / rspec (mysql)"),
        ("rspec: [mysql] 3/10", (), "pull / rspec (mysql)"),
        ("team » app #12", (), "pull / team » app"),
        ("app #12 (linux, 8)", (), "pull / app (linux)"),
        ("fix #12 at once", (), "pull / fix #12 at once"),
        ("1/5", (), "pull / 1/5"),
    ],
)
def test_numbers_and_labels_go_from_the_last_parenthesis(name: str, labels: tuple[str, ...], kind: str) -> None:
    assert kind_of("pull", name, labels) == kind
    assert kind_of("", name, labels) == kind.removeprefix("pull / ")


def test_running_jobs_are_censored() -> None:
    """Ended jobs alone are the short ones: with running ones of an hour the median is longer (Kaplan and Meier)."""
    ended = [600.0, 660.0, 720.0, 780.0]
    assert quartiles(ended) == (600.0, 660.0, 720.0)
    assert quartiles(ended, [3600.0] * 4) == (660.0, 780.0, 3600.0)
    assert quartiles([], [3600.0]) is None


def test_the_pace_is_told_of_kinds_that_hold_runners_and_of_which_enough_ended() -> None:
    ended = [EndedJob("a", 0.0, 60.0 * n) for n in range(1, 6)] + [EndedJob("b", 0.0, 60.0)]
    found = paces(ended, [(("", "a"), 10.0), (("", "a"), 20.0), (("", "b"), 30.0)])
    assert [(one.job, one.running, one.seconds) for one in found] == [("a", 2, 180.0), ("b", 1, None)]


def test_a_kind_is_slower_by_its_lower_quartile() -> None:
    """Jobs that hang raise the median and leave the short ones as they were; without quartiles the median decides."""
    hangs = KindPace("a", 3600.0, 600.0, 10, lower_seconds=500.0, usual_lower_seconds=480.0)
    slow = KindPace("a", 1800.0, 600.0, 10, lower_seconds=1500.0, usual_lower_seconds=500.0)
    assert (hangs.slower, slow.slower, KindPace("a", 1800.0, 600.0).slower, KindPace("a", 1800.0).slower) == (
        False, True, True, False,
    )  # fmt: skip
    assert explains(slow) == pytest.approx(10 * 2 / 3)


def test_waiting_jobs_are_grouped_by_kind_label_and_repository() -> None:
    waits = [(("a", "gpu", "o/r"), 60.0), (("a", "gpu", "o/r"), 120.0), (("b", "cpu", "o/r"), 600.0)]
    assert grouped(waits) == (
        JobGroup("a", "gpu", "o/r", 2, 90.0, 120.0, 60.0),
        JobGroup("b", "cpu", "o/r", 1, 600.0, 600.0, 600.0),
    )


STUCK = JobGroup("b", "gpu", "o/r", 15, 2400.0, 3000.0, 2400.0)
FLOWS = JobGroup("a", "cpu", "o/r", 20, 30.0, 60.0, 5.0)
AT = 1_800_000_000.0


def looked(known: JobsNow, at: float, *groups: JobGroup, starts: float | None = 3.0) -> JobsNow:
    """One look more."""
    return JobsNow("linux", at, groups, left=left_groups(known, at, groups, starts, 300.0))


def test_jobs_that_newer_ones_overtake_are_found_by_group() -> None:
    """After a normal wait in which the others start and none of them does."""
    first = looked(JobsNow("linux", AT), AT, FLOWS, STUCK)
    later = looked(first, AT + 200, FLOWS, STUCK)
    assert overtaken(later.left, AT + 200, 300.0) == ()
    assert overtaken(looked(later, AT + 400, FLOWS, STUCK).left, AT + 400, 300.0) == (STUCK,)
    assert overtaken(looked(later, AT + 400, STUCK).left, AT + 400, 300.0) == (STUCK,)


@pytest.mark.parametrize(
    ("second", "third", "starts"),
    [
        ((FLOWS, STUCK), (FLOWS, STUCK), 0.0),
        ((FLOWS, STUCK), (FLOWS, STUCK), None),
        ((FLOWS, STUCK), (FLOWS, replace(STUCK, jobs=14)), 3.0),
        ((replace(FLOWS, longest_seconds=2000.0), STUCK), (FLOWS, STUCK), 3.0),
        ((FLOWS, STUCK), (FLOWS, replace(STUCK, shortest_seconds=500.0)), 3.0),
    ],
)
def test_jobs_that_start_in_their_turn_are_not(
    second: tuple[JobGroup, ...], third: tuple[JobGroup, ...], starts: float | None
) -> None:
    """Nothing starts, one of them starts, others wait as long, or a new one of them came."""
    first = looked(JobsNow("linux", AT), AT, FLOWS, STUCK, starts=starts)
    later = looked(first, AT + 200, *second, starts=starts)
    last = looked(later, AT + 400, *third, starts=starts)
    assert overtaken(last.left, AT + 400, 300.0) == ()


def test_a_look_long_ago_tells_nothing_of_a_group() -> None:
    first = looked(JobsNow("linux", AT), AT, FLOWS, STUCK)
    assert overtaken(looked(first, AT + 900, FLOWS, STUCK).left, AT + 900, 300.0) == ()


def test_groups_are_told_newest_first_and_the_one_that_waits_longest_is_among_them() -> None:
    large = [replace(FLOWS, kind=str(n), jobs=30 + n, median_seconds=60.0 * n) for n in range(5)]
    assert [one.kind for one in newest_first([*large, STUCK], 3)] == ["3", "4", "b"]
    assert newest_first([], 3) == ()
