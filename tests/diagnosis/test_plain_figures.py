"""With six plain figures the obvious has a name: queue, longest wait, busy, idle and offline runners, and the limit."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, FleetContext, Scaling
from bot.core.pool.pool import Gap, PoolRules, Snapshot, Tally
from bot.core.statement import Statement, statement
from bot.diagnosis.rank import diagnosed
from tests.diagnosis.rows import AT, POOL, facts, lately, top_of

LIMIT = 30


def plain(samples: int = 60, **figures: Any) -> Facts:
    """An hour of the same six figures."""
    given = {"queued": 35, "oldest_wait_seconds": 10_080.0, "busy": 20, "idle": 0, "offline": 0, "limit": LIMIT}
    series = tuple(Snapshot(POOL, AT - 60 * ago, **{**given, **figures}) for ago in range(samples - 1, -1, -1))
    return Facts(PoolRules(POOL, boot_time_seconds=180.0), series, FleetContext((POOL,), (POOL,)))


def grid() -> Iterator[dict[str, Any]]:
    """Every state of the six figures: each unknown, none, some, nearly all and all."""
    waits, runners = (None, 600.0, 10_080.0), (None, 0, 1, 14, LIMIT - 1, LIMIT)
    for queued, wait, busy, idle, offline, limit in product(
        (2, 35), waits, runners, (None, 0, 3), (0, 9), (None, 0, LIMIT)
    ):
        yield {
            "queued": queued,
            "oldest_wait_seconds": wait,
            "busy": busy,
            "idle": idle,
            "offline": offline,
            "limit": limit,
        }


def test_in_no_state_of_the_six_figures_is_the_obvious_left_out() -> None:
    """A cause is named, or what is seen is said; and never one that a figure speaks against."""
    for figures in grid():
        found = diagnosed(plain(**figures))
        if not found.waits:
            continue
        top, busy, idle, limit = found.top, figures["busy"], figures["idle"], figures["limit"]
        if top is None:
            assert busy is None, figures
            assert found.seen
        elif idle:
            assert top.cause in {"unassigned", "limit"}, figures
            assert top.cause == "unassigned" or limit == 0
        elif limit == 0:
            assert top.cause in {"offline" if figures["offline"] else "limit", "limit"}, figures
            assert top.confidence == HIGH
        elif top.cause in {"too_few", "limit"} and limit is not None and idle is not None:
            room = limit - busy - figures["offline"]
            assert (top.cause == "too_few") is (room >= min(3, limit)), (figures, top.cause)
        assert top is None or top.cause != "surge", "a surge never wins by default"


@pytest.mark.parametrize("busy", range(LIMIT + 1))
def test_every_count_of_busy_runners_has_its_cause(busy: int) -> None:
    """A limit of 30, none idle or offline, 35 jobs for 2 h 48 min: machines do not come, or all are there."""
    top = top_of(plain(busy=busy))
    assert (top.cause, top.confidence) == ("limit" if busy > LIMIT - 3 else "too_few", MEDIUM)


SIXTEEN: dict[str, Any] = {"runners": 5, "limit": 16, "queued": 48, "known": True, "idle": True}


def growing(*sizes: int, **figures: Any) -> Facts:
    """The pool has so many busy runners in each of the last samples, and the first number before."""
    found = plain(**figures)
    old = len(found.series) - len(sizes)
    every = [*[sizes[0]] * old, *sizes]
    return replace(found, series=tuple(replace(s, busy=n) for s, n in zip(found.series, every, strict=True)))


@pytest.mark.parametrize(
    ("found", "seen"),
    [
        (
            growing(7, *[5] * 50, queued=48, limit=16),
            statement("none_came", seconds=3540.0, **SIXTEEN),
        ),
        (
            growing(3, *[5] * 5, queued=48, limit=16),
            statement("few_came", came=2, left=0, seconds=600.0, room=11, **SIXTEEN),
        ),
        (
            growing(8, *[5] * 5, queued=48, limit=16, registered=9),
            statement("few_came", came=9, left=12, seconds=900.0, room=11, **SIXTEEN),
        ),
        (
            growing(20, *[8] * 30, limit=None),
            statement("none_came", seconds=3540.0, runners=8, limit=20, queued=35, known=False, idle=True),
        ),
    ],
)  # fmt: skip
def test_what_came_is_evidence(found: Facts, seen: Statement) -> None:
    """ "None came" only where the pool did not grow; where the limit is unknown, its past stands for it."""
    top = top_of(found)
    assert top.cause == "too_few"
    assert top.evidence[0] == seen
    assert {"creates", "create_failures", "booting"} <= set(top.missing), "it names the figures that would tell why"


def test_a_pool_whose_limit_is_unknown_is_judged_with_less_confidence() -> None:
    top = top_of(growing(20, *[8] * 30, limit=None))
    assert (top.confidence, top.scaling) == (LOW, Scaling.UNKNOWN)


def test_lost_events_are_told_where_creates_are_counted() -> None:
    """L1: the merged cause keeps its evidence and its remedy."""
    top = top_of(facts(booting=0, creates=0, registered=0, arrivals_per_minute=0.93))
    assert (top.cause, top.remedy) == ("too_few", "resend_requests")
    assert statement("created_of", created=0, arrivals=14) in top.evidence


def test_a_limit_that_fell_is_direct_evidence() -> None:
    """60 → 30: put it back."""
    fell = lately(facts(limit=60, busy=28, booting=0, queued=0, oldest_wait_seconds=0.0, samples=300), 60,
                  limit=30, busy=30, queued=40, oldest_wait_seconds=3000.0, arrivals_per_minute=4.0)  # fmt: skip
    top = top_of(fell)
    assert (top.cause, top.confidence, top.remedy) == ("limit", HIGH, "restore_limit")
    assert statement("limit_was", limit=60) in top.evidence


FULL: dict[str, Any] = {"limit": 44, "busy": 42, "booting": 1, "creates": 65, "registered": 64}


@pytest.mark.parametrize(
    "one",
    [
        {"failed": 1},
        {"create_failures": 1, "create_failures_by_code": (Tally("InsufficientInstanceCapacity", 1),)},
        {"registered": 62, "failed": 1},
        {"api_remaining": 40},
    ],
)
def test_one_failure_among_many_successes_names_no_cause(one: dict[str, Any]) -> None:
    """The limit is reached; what failed once cannot explain the queue."""
    top = top_of(facts(**{**FULL, **one}))
    assert top.cause == "limit"


def test_a_dead_listener_is_no_unknown_label() -> None:
    """actions-runner-controller#4027: 5 of 27 one-job runners are left, and nothing boots."""
    found = lately(facts(limit=27, busy=26, booting=1, samples=120), 50, busy=5, booting=0, creates=0, registered=0)
    top = top_of(found)
    assert (top.cause, top.confidence) == ("too_few", MEDIUM)


def test_machines_that_come_and_go_do_not_reach_a_limit() -> None:
    """actions-runner-controller#3953: they register, find no job and leave; more of them harm."""
    found = facts(limit=40, busy=2, booting=36, creates=None, registered=None, starts_per_minute=0.1,
                  completions_per_minute=0.1, usual_arrivals_per_minute=None)  # fmt: skip
    top = top_of(found)
    assert (top.cause, top.scaling) == ("unregistered", Scaling.HARMFUL)


def test_dead_rows_are_a_part_and_the_rest_is_judged_again() -> None:
    """30 of 116 rows are dead, so 86 jobs wait for another reason."""
    dead = facts(queued=30, oldest_wait_seconds=100_000.0, limit=20, booting=0, samples=120)
    first, second = diagnosed(lately(dead, 40, queued=116)).findings[:2]
    assert (first.cause, second.cause) == ("limit", "stale_rows")
    assert statement("part_dead", dead=30, queued=116, rest=86) in second.evidence
    assert second.share == pytest.approx(30 / 116)


def test_jobs_that_are_older_than_their_arrival_came_late() -> None:
    found = plain(queued=0, oldest_wait_seconds=0.0, busy=0)
    late = lately(found, 10, queued=154, oldest_wait_seconds=2880.0, busy=3)
    top = next(one for one in diagnosed(late).findings if one.cause == "late_events")
    assert top.evidence[0] == statement("came_late", made_seconds=2880.0, arrived_seconds=600.0)


def test_an_unknown_queue_speaks_with_its_reason_and_repairs_nothing_that_works() -> None:
    found = plain(queued=None)
    gap = replace(found.now, missing=(Gap("queued", "no listener reports"),))
    unknown = diagnosed(replace(found, series=(*found.series[:-1], gap)))
    assert [(one.cause, one.remedy) for one in unknown.claims] == [("blind", "find_the_queue")]
    why = statement("figure_missing", pool=POOL, figure="queued", why="no listener reports")
    assert (unknown.claims[0].confidence, unknown.claims[0].evidence) == (HIGH, (why,))
    failed = diagnosed(replace(found, trouble="Prometheus: no answer"))
    assert [(one.cause, one.remedy) for one in failed.claims] == [("blind", "repair_metric_source")]


def test_a_pool_that_has_lost_its_runners_gets_no_machines() -> None:
    """Nothing is created: labels are taken away more seldom than an autoscaler hears nothing. Said once."""
    unknown: dict[str, Any] = dict.fromkeys(("limit", "create_failures", "booting", "usual_arrivals_per_minute"))
    before = facts(**unknown, starts_per_minute=0.0)
    found = diagnosed(lately(before, 30, busy=0, creates=0))
    (first,) = found.findings
    assert (first.cause, first.remedy, first.confidence) == ("too_few", "resend_requests", LOW)
    assert first.missing == ("create_failures", "booting"), "they would tell"
