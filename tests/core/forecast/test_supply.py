"""How runners come: with a machine for each job as many run as are launched, and hosts come back by themselves."""

import math
from dataclasses import replace

import pytest

from bot.core.forecast.forecast import ForecastInputs, forecast
from bot.core.forecast.more_runners import what_if
from bot.core.forecast.seen import Seen, seen_of
from bot.core.pool.outlook import Forecast, Lever, Reach
from bot.core.pool.pool import PoolRules, Snapshot
from tests.diagnosis.rows import POOL, facts, lately, slow_autoscaler

RULES = PoolRules(POOL, floor=3, boot_time_seconds=180.0)


def foretold(series: tuple[Snapshot, ...]) -> Forecast:
    return forecast(series, RULES, inputs=ForecastInputs(Reach(Lever.SIZE, 20)))


def seen(series: tuple[Snapshot, ...]) -> Seen:
    found = seen_of(series, RULES)
    assert isinstance(found, Seen)
    return found


def test_with_a_machine_for_each_job_as_many_run_as_are_launched() -> None:
    """40 machines came in 15 min, so 2.7 jobs start a minute and 2 arrive: 150 jobs take hours, however high the limit.

    Runners that stay would grow up to the limit, and 20 more at once come beside what is launched.
    """
    series = slow_autoscaler().series
    found = seen(series)
    assert found.supply.launched is not None
    assert found.supply.launched.rate == pytest.approx(40 / 15)
    assert found.until is None, "machines come, although their number does not grow"
    made = foretold(series)
    assert made.mid_seconds is not None
    assert made.mid_seconds > 5400
    (_, helped) = what_if(series, RULES, [20]).options
    assert helped.times_faster > 1.8
    stay = foretold(tuple(replace(s, creates=None, registered=None) for s in series))
    assert (stay.mid_seconds or 0.0) < made.mid_seconds


def from_history(series: tuple[Snapshot, ...], minutes: int) -> tuple[Snapshot, ...]:
    """The same, measured for so many minutes; before that are the figures that a source's history tells."""
    measured = series[-1].at - 60 * minutes
    return tuple(s if s.at > measured else replace(s, creates=None, registered=None) for s in series)


@pytest.mark.parametrize("minutes", [1, 3, 30])
def test_a_pool_is_of_the_same_kind_however_long_it_was_measured(minutes: int) -> None:
    """A history counts no launches, but tells how many machines boot: with a machine for each job one for each job."""
    own = slow_autoscaler().series
    stay = tuple(replace(s, booting=0, creates=0, registered=0) for s in own)
    for series in (own, stay):
        known, told = seen(series), seen(from_history(series, minutes))
        assert (told.supply.launched is None) == (known.supply.launched is None)
        assert told.supply.works == pytest.approx(known.supply.works, rel=0.01)
        assert foretold(from_history(series, minutes)).mid_seconds == pytest.approx(foretold(series).mid_seconds, 0.1)


def test_a_boot_time_configured_too_short_makes_no_second_machine_of_one() -> None:
    """Machines that boot twice as long as configured: still one for each job."""
    series = from_history(tuple(replace(s, booting=12) for s in slow_autoscaler().series), 10)
    assert seen(series).supply.usual_launches == pytest.approx(2.0)


def test_hosts_that_are_offline_come_back_by_themselves() -> None:
    """14 of 16 hosts are gone: the end of another trouble brings none of them back."""
    calm = facts(samples=180, queued=0, oldest_wait_seconds=0.0, idle=6, busy=10, booting=0, limit=16, creates=0,
                 registered=0, arrivals_per_minute=0.3, starts_per_minute=0.3, completions_per_minute=0.3)  # fmt: skip
    gone = lately(calm, 40, queued=20, oldest_wait_seconds=2400.0, idle=0, busy=2, offline=14,
                  starts_per_minute=0.1, completions_per_minute=0.1)  # fmt: skip
    made = foretold(gone.series)
    assert (made.high_seconds or math.inf) > 6 * 2400, "one in ten troubles lasts nine times as long as it has"


def test_what_began_the_trouble_tells_nothing_of_what_comes() -> None:
    """A burst of 150 jobs 40 minutes ago, and two a minute since: two a minute come, in batches as ever."""
    series = slow_autoscaler().series
    at = series[-1].at - 2400
    burst = tuple(replace(s, arrivals_per_minute=17.0) if at <= s.at < at + 600 else s for s in series)
    found = seen(burst)
    assert found.arrivals.rate == pytest.approx(2.0)
    assert found.batches < 10
