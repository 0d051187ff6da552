"""The walk of a queue: no job is lost or made up, and more of what helps is never later."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.forecast.flow import Flow, usual_at
from bot.core.forecast.readings import readings
from bot.core.forecast.speedup import Speedup, speedup_of
from bot.core.forecast.walk import HORIZON_MINUTES, drains_after, walk
from bot.core.pool.hour_stats import ExpectedHour
from bot.core.pool.pool import Snapshot
from bot.core.statement import statement
from tests.core.forecast.test_forecast import AT, FIGURES, RULES, flow_from, series


def flow(*args: Any, ahead: Any = (), **changes: Any) -> Flow:
    """The flow of a series."""
    return flow_from(series(*args, **changes), ahead=ahead)


FLOWS = st.builds(
    lambda queued, falls, limit, boots, hidden: flow(
        queued, falls, limit=limit, booting=boots, **dict.fromkeys(hidden - {"limit", "booting"})
    ),
    st.integers(1, 400), st.floats(-5, 4), st.integers(20, 90), st.integers(0, 20), st.sets(st.sampled_from(FIGURES)),
)  # fmt: skip
USUAL_FROM = st.sampled_from([0.0, 30.0, 60.0, float("inf")])


@given(FLOWS, USUAL_FROM, st.integers(0, 50))
def test_no_job_is_lost_or_made_up(found: Flow, usual_from: float, more: int) -> None:
    """What waits is what waited and arrived, less what started; nothing is negative, nothing goes back."""
    points = list(walk(found, usual_from, more))
    assert points[-1].minute == HORIZON_MINUTES
    for before, point in pairwise(points):
        assert point.queued == pytest.approx(found.queued + point.arrived - point.started, abs=1e-6)
        assert point.queued >= -1e-9
        assert point.started >= before.started - 1e-9
        assert point.arrived >= before.arrived


@given(FLOWS, USUAL_FROM, st.integers(0, 50), st.integers(1, 50))
def test_more_runners_or_fewer_jobs_are_never_later(found: Flow, usual_from: float, more: int, others: int) -> None:
    """In every reading, and so in the effect."""
    alone = list(walk(found, usual_from, more))
    for start, runners in ((found, more + others), (replace(found, queued=found.queued / 2), more)):
        other = walk(start, usual_from, runners)
        assert all(b.queued <= a.queued + 1e-6 for a, b in zip(alone, other, strict=True))
    effect = speedup_of(readings(found), readings(found, others))
    assert 1.0 <= effect.low <= effect.high
    assert effect.times >= 1.0


def test_blocked_jobs_start_only_when_it_is_as_usual_again() -> None:
    """Neither runners nor more of them help before."""
    found = replace(flow(), blocked=statement("provider_down"), busy=0.0, runners=0.0)
    assert [point for point in walk(found, more=50) if point.started] == []
    assert drains_after(walk(found, 60.0), 0) is not None
    assert speedup_of(readings(found), readings(found, 0)) == Speedup()


def test_added_runners_help_a_pool_that_has_none() -> None:
    """They take jobs once they have booted; without them nothing starts before the repair."""
    found = flow(falls=-1.0, busy=0, idle=0, booting=0, starts_per_minute=0.0, completions_per_minute=0.0)
    assert found.blocked is not None
    assert found.blocked.id == "no_runners"
    alone, helped = (list(walk(found, more=more))[-1].started for more in (0, 50))
    assert alone == 0.0 < helped
    assert speedup_of(readings(found), readings(found, 50)).times > 1.0


def test_runners_that_end_the_queue_before_the_trouble_have_a_large_effect() -> None:
    """Without them it waits for the end of the trouble, which may take hours; with them it does not."""
    found = readings(flow(falls=-1.0))
    alone = replace(found, as_it_is=None, usual_now=20.0, usual_later=105.0, usual_last=280.0)
    helped = replace(found, as_it_is=12.0, usual_now=10.0, usual_later=12.0, usual_last=12.0)
    half = replace(found, as_it_is=None, usual_now=15.0, usual_later=95.0, usual_last=270.0)
    assert speedup_of(alone, helped).likeliest > 5.0
    assert 1.0 < speedup_of(alone, half).times < 1.2


def test_an_end_of_normal_waits_comes_before_an_empty_queue() -> None:
    """Jobs that came in the last five minutes may wait."""
    found = flow(falls=1.0)
    sooner, later = drains_after(walk(found), 0), drains_after(walk(replace(found, normal_wait=0.01)), 0)
    assert sooner is not None
    assert later is not None
    assert sooner < later == pytest.approx(60, rel=0.1)


NO_ENDS = ("starts_per_minute", "completions_per_minute")


@pytest.mark.parametrize("hidden", [(), ("arrivals_per_minute",), NO_ENDS, (*NO_ENDS, "busy", "idle", "limit")])
def test_figures_that_a_source_lacks_follow_from_the_others(hidden: tuple[str, ...]) -> None:
    """The queue falls by 2 a minute whatever is exported, so it takes about half an hour."""
    found = flow(**dict.fromkeys(hidden), oldest_wait_seconds=1800.0)
    assert found.shrinks == pytest.approx(2.0)
    assert found.runners * found.pace - found.arrivals == pytest.approx(2.0, abs=1.0)


def test_who_works_now_counts_before_rates_that_lag() -> None:
    """Half of the runners left five minutes ago, and the source's rates still average over the time before."""
    found = flow_from([replace(s, busy=20) if AT - s.at <= 300 else s for s in series(falls=0.0)])
    assert found.runners == pytest.approx(20.0)


def test_more_machines_boot_than_at_all_times() -> None:
    """Three always boot; of the 15 that boot now, 12 come within one boot of three minutes."""
    found = flow_from([replace(s, booting=15 if s.at == AT else 3, limit=90) for s in series(falls=0.0)])
    assert found.grows == pytest.approx(4.0)


def test_a_queue_alone_shows_what_arrives_and_what_starts() -> None:
    """It rises by 10 and falls by 10 in turns and is never empty: 5 arrive a minute, and none waits for hours."""
    found = flow_from([Snapshot("linux", AT - 60 * ago, queued=10 + ago % 2 * 10) for ago in range(240, -1, -1)])
    assert found.arrivals == pytest.approx(5.0)
    assert found.runners * found.pace == pytest.approx(5.0)
    assert found.waited <= 4.0


UNKNOWN_WAIT: dict[str, Any] = {"oldest_wait_seconds": None}


@pytest.mark.parametrize(
    ("queued", "falls", "changes", "minutes"),
    [
        (60, 0.0, {}, 15.0),
        (60, -2.0, {}, 10.0),
        (60, -2.0, {"completions_per_minute": None}, 10.0),
        (60, -2.0, {"busy": 0, **dict.fromkeys(("starts_per_minute", "completions_per_minute"))}, 30.0),
        (60, -4.0, {"completions_per_minute": 0.0}, 15.0),
    ],
)
def test_an_unknown_wait_is_not_zero(queued: int, falls: float, changes: dict[str, Any], minutes: float) -> None:
    """The oldest of 60 jobs came when no more waited than have started since, or when the queue was last short."""
    assert flow(queued, falls, **{**changes, **UNKNOWN_WAIT}).waited == pytest.approx(minutes, abs=1.0)


@pytest.mark.parametrize(("minutes", "most", "usual"), [(3.0, 24.0, 40 * 6 / 9), (20.0, 40.0, 40.0)])
def test_machines_that_boot_at_the_limit_take_no_jobs(minutes: float, most: float, usual: float) -> None:
    """Where each job has its own machine, 16 of 40 always boot; over less than two boot times the pool still fills."""
    found = flow_from(series(60, -1.0, busy=24, booting=16), replace(RULES, boot_time_seconds=60 * minutes))
    assert (found.runners, found.most) == pytest.approx((24.0, most))
    assert found.usual_runners == pytest.approx(usual)


def test_an_unknown_wait_beside_idle_runners_is_judged_by_the_queue() -> None:
    """A queue that is 15 min old is not assigned; a batch of this minute may yet be."""
    old, young = flow(60, -4.0, idle=9, **UNKNOWN_WAIT), flow(60, -60.0, idle=9, **UNKNOWN_WAIT)
    assert old.blocked is not None
    assert young.blocked is None


def test_every_hour_counts_alike_however_often_it_was_measured() -> None:
    """Of older samples one in five minutes is kept: they stand for as much time as the five of the last hour."""
    calm = [replace(s, at=AT - 21_600 + 300 * n, arrivals_per_minute=1.0) for n, s in enumerate(series()[:1] * 67)]
    late = [replace(s, arrivals_per_minute=13.0, completions_per_minute=1.0) for s in series()]
    found = flow_from([*calm, *late])
    assert found.usual[0].arrivals == pytest.approx(2.0, abs=0.1)
    assert found.usual_pace == pytest.approx((11 * 4 + 1) / 12 / 40, rel=0.03)


def test_usual_rates_lie_on_a_line_between_two_hours() -> None:
    """From the middle of one hour to the middle of the next; beyond both ends they stay."""
    hour = int(AT // 3600)
    ahead = tuple(ExpectedHour(hour + n, rate, 4) for n, rate in enumerate((4.0, 2.0, 6.0)))
    usual = flow(ahead=ahead).usual
    start = usual[0].minute
    middles = [usual_at(usual, start + minute) for minute in (-999.0, 0.0, 30.0, 60.0, 90.0, 1e6)]
    assert middles == pytest.approx([4.0, 4.0, 3.0, 2.0, 4.0, 6.0])
