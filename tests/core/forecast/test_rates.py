"""Rates of a queue: what arrives, who works and what is usual, also after a batch and where figures are missing."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.forecast.flow import UNKNOWN_PACE
from bot.core.forecast.forecast import forecast
from bot.core.forecast.more_runners import what_if
from bot.core.forecast.readings import HIGH, LOW, MIDDLE, quantile, readings
from bot.core.forecast.walk import HORIZON_MINUTES, drains_after, walk
from bot.core.pool.outlook import Verdict
from bot.core.pool.pool import Snapshot
from tests.core.forecast.test_forecast import AT, FIGURES, RULES, flow_from, series

BATCH_AGO = 15
"""Minutes."""


def working(jobs: float) -> dict[str, Any]:
    """Runners with jobs of ten minutes, of which so many end a minute."""
    busy = {"busy": round(10 * jobs), "idle": 0, "limit": 40, "duration_p50_seconds": 375.0}
    return {**busy, "starts_per_minute": jobs, "completions_per_minute": jobs}


def after_a_batch(**changes: Any) -> list[Snapshot]:
    """Four hours with 2 jobs a minute; 15 min ago 180 came at once, of which a net 2 a minute have started.

    The source averages over 15 minutes.
    """
    calm = {**working(2.0), "queued": 0, "oldest_wait_seconds": 0.0, "arrivals_per_minute": 2.0, **changes}
    late = {**working(4.0), "arrivals_per_minute": 14.0, **changes}
    looks = [Snapshot("linux", AT - 60 * ago, **calm) for ago in range(240, BATCH_AGO, -1)]
    for ago in range(BATCH_AGO, -1, -1):
        now = {"queued": 150 + 2 * ago, "oldest_wait_seconds": 60.0 * (BATCH_AGO - ago), **late}
        looks.append(Snapshot("linux", AT - 60 * ago, **now))
    return looks


@pytest.mark.parametrize(
    "hidden",
    [(), ("arrivals_per_minute",), ("starts_per_minute", "completions_per_minute"), ("limit", "idle"),
     ("arrivals_per_minute", "starts_per_minute", "completions_per_minute"), ("oldest_wait_seconds",)],
)  # fmt: skip
def test_a_batch_is_no_rate_that_goes_on(hidden: tuple[str, ...]) -> None:
    """150 jobs at a net 2 a minute take 75 minutes; as a rate, 14 a minute would never drain."""
    found = flow_from(after_a_batch(**dict.fromkeys(hidden)))
    assert found.arrivals == pytest.approx(2.0, abs=0.8)
    assert drains_after(walk(found), 0) == pytest.approx(75.0, rel=0.35)


def test_a_surge_is_no_batch() -> None:
    """As many jobs as in the batch, evenly over its 15 minutes, are arrivals that go on."""
    even = [
        replace(s, queued=max(0, 12 * (BATCH_AGO - ago)), arrivals_per_minute=2.0 if ago > BATCH_AGO else 14.0)
        for s, ago in zip(after_a_batch(), range(240, -1, -1), strict=True)
    ]
    assert flow_from(even).arrivals > 7.0


def test_jobs_that_came_while_nothing_was_measured_are_no_batch() -> None:
    """Over forty minutes without a sample they may have come evenly."""
    looks = [s for s in after_a_batch() if not 10 <= (AT - s.at) / 60 < 50]
    assert flow_from(looks).arrivals > flow_from(after_a_batch()).arrivals + 3


@pytest.mark.parametrize("hidden", [(), ("arrivals_per_minute", "starts_per_minute", "completions_per_minute")])
def test_busy_runners_tell_what_is_usual_where_no_rate_is_told(hidden: tuple[str, ...]) -> None:
    """By Little's law 20 busy runners with jobs of ten minutes take 2 a minute, whatever the trouble brings."""
    calm = [Snapshot("linux", AT - 60 * ago, queued=0, arrivals_per_minute=2.0, **working(2.0))
            for ago in range(240, 30, -1)]  # fmt: skip
    looks = [*calm, *series(60, -2.0, **working(4.0))]
    unknown: dict[str, Any] = dict.fromkeys(hidden)
    found = flow_from([replace(s, **unknown) for s in looks])
    assert found.usual[0].arrivals == pytest.approx(2.4, abs=0.4)
    assert found.runners == pytest.approx(40.0)


NO_RATES: dict[str, Any] = dict.fromkeys(
    ("arrivals_per_minute", "starts_per_minute", "completions_per_minute", "duration_p50_seconds")
)


@pytest.mark.parametrize(
    ("queued", "busy", "now", "ended"), [(60, 20, 20, 60), (240, 20, 20, 240), (0, 60, 30, 30), (0, 20, 20, 0)]
)
def test_jobs_that_start_in_order_tell_the_pace_of_a_runner(queued: int, busy: int, now: int, ended: int) -> None:
    """The queue of the time when the oldest job came has started since; a few jobs of 20 min count beside it."""
    begun = [Snapshot("linux", AT - 60 * ago, queued=queued, busy=busy, **NO_RATES) for ago in range(60, 29, -1)]
    late = [Snapshot("linux", AT - 60 * ago, queued=queued + 60, busy=now, **NO_RATES) for ago in range(29, -1, -1)]
    looks = [replace(look, oldest_wait_seconds=1800.0) for look in (*begun, *late)]
    assert flow_from(looks).pace == pytest.approx((ended + 5) / (busy + 30 * now + 100))
    assert flow_from([replace(look, oldest_wait_seconds=90_000.0) for look in looks]).pace == UNKNOWN_PACE


@pytest.mark.parametrize(("boot", "most"), [(0.1, 40.0), (6.0, 24.0)])
def test_machines_that_boot_are_counted_by_littles_law_where_no_source_tells(boot: float, most: float) -> None:
    """Each job has its own machine: 2.4 starts a minute and boots of 6 min keep 14 of 40 machines booting."""
    looks = series(60, 0.0, busy=24, idle=0, booting=None, starts_per_minute=2.4, completions_per_minute=2.4)
    found = flow_from(looks, replace(RULES, boot_time_seconds=60 * boot))
    assert found.most == pytest.approx(most)


REFUSED: dict[str, Any] = {"busy": 24, "idle": 0, "booting": 0}


@pytest.mark.parametrize(
    ("changes", "comes"),
    [
        ({"creates": 0, "create_failures": 40, "registered": 0}, False),
        ({"creates": 0, "create_failures": 40}, False),
        ({"creates": 20, "registered": 1}, False),
        ({"creates": 20, "registered": 12}, True),
        ({"creates": 2, "create_failures": 18, "registered": 2}, False),
        ({"creates": 1, "create_failures": 1, "registered": 0}, True),
        ({"create_failures": 40, "creates": None}, True),
        ({"create_failures": 4000, "creates": None}, False),
        ({"creates": 20, "registered": None}, True),
    ],
)
def test_more_runners_that_do_not_come_help_only_after_the_trouble(changes: dict[str, Any], comes: bool) -> None:
    """Almost none of those ordered a boot ago came; a larger share comes in the end, because orders are repeated."""
    looks = series(60, -1.0, **{**REFUSED, "creates": None, "create_failures": None, "registered": None, **changes})
    found = flow_from(looks)
    assert (found.come == 1.0) == comes
    assert (found.most > found.runners) == comes
    plain, helped = (list(walk(found, more=more))[-1].queued for more in (0, 30))
    assert (helped < 0.5 * plain) == comes
    told, untold = (
        what_if(known, RULES, (30,)).options[1].times_faster
        for known in (looks, [replace(s, creates=None, create_failures=None) for s in looks])
    )
    assert told == untold if comes else told < untold
    assert drains_after(walk(found, 0.0, 30), 0) == drains_after(walk(replace(found, come=1.0), 0.0, 30), 0)


@pytest.mark.parametrize(("registered", "grows"), [(20, 4.0), (24, 4.0), (5, 1.0), (0, 0.0), (None, 4.0)])
def test_machines_that_boot_slowly_come_as_those_before_them(registered: int | None, grows: float) -> None:
    """12 more of them boot, in 3 min by the settings; of 20 that were created a boot ago so many have registered."""
    looks = series(60, -1.0, **{**REFUSED, "creates": 20, "registered": registered})
    assert flow_from([*looks[:-1], replace(looks[-1], booting=12)]).grows == pytest.approx(grows)


def test_runners_of_a_pool_without_any_must_boot() -> None:
    """Idle ones take jobs as soon as the provider assigns them."""
    none, idle = (
        flow_from(series(60, 0.0, busy=0, idle=n, booting=0, starts_per_minute=0.0, completions_per_minute=None))
        for n in (0, 40)
    )
    assert none.blocked is not None
    assert idle.blocked is not None
    later, sooner = ([point.started for point in walk(found, 0.0)][5] for found in (none, idle))
    assert later < 0.5 * sooner


@given(st.integers(1, 400), st.floats(-5, 4), st.sets(st.sampled_from(FIGURES)))
def test_chance_never_makes_a_drain_later(queued: int, falls: float, hidden: set[str]) -> None:
    found = flow_from(series(queued, falls, **dict.fromkeys(hidden)))
    read = readings(found)
    assert found.spread >= 0
    assert (read.lucky or HORIZON_MINUTES) <= (read.as_it_is or HORIZON_MINUTES)


def test_no_forecast_jumps_where_a_drain_at_present_rates_passes_the_horizon() -> None:
    """It is one of two blends, and part of both in between."""
    found = replace(readings(flow_from(after_a_batch())), as_it_is=719.9, lucky=500.0)
    for share in (LOW, MIDDLE, HIGH):
        assert quantile(found, share) == pytest.approx(quantile(replace(found, as_it_is=None), share), rel=0.01)
    assert quantile(replace(found, as_it_is=359.0), LOW) == quantile(replace(found, as_it_is=300.0), LOW)


def test_a_forecast_soon_after_a_batch_is_an_interval_around_its_drain() -> None:
    found = forecast(after_a_batch(), RULES)
    assert found.verdict is Verdict.INTERVAL
    assert found.bounds is not None
    assert found.bounds[0] < 75 * 60 < found.bounds[1]
