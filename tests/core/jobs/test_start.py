"""When a waiting job starts: one table for the whole queue, from one walk."""

from dataclasses import replace

import pytest

from bot.core.jobs.answer import JobsAhead
from bot.core.jobs.start import start_of, start_table
from bot.core.pool.outlook import Verdict
from bot.core.pool.pool import Pool
from tests.core.forecast.test_forecast import AT, RULES, series


def test_a_job_starts_later_the_more_are_ahead() -> None:
    """Four jobs a minute start: the 40th in about ten minutes."""
    table = start_table(Pool("linux", tuple(series(60))), RULES)
    starts = [start_of(table, JobsAhead(place, place)) for place in (0, 7, 20, 40, 59)]
    medians = [one.median_seconds or 0.0 for one in starts]
    assert {one.kind for one in starts} == {Verdict.INTERVAL}
    assert medians == sorted(medians)
    assert medians[3] == pytest.approx(600, rel=0.2)
    assert starts[3].at == AT


def test_doubt_about_the_place_widens_the_range() -> None:
    table = start_table(Pool("linux", tuple(series(60))), RULES)
    sure, doubtful = start_of(table, JobsAhead(30, 30)), start_of(table, JobsAhead(10, 50))
    assert (doubtful.low_seconds or 0) < (sure.low_seconds or 0) < (sure.high_seconds or 0)
    assert (sure.high_seconds or 0) < (doubtful.high_seconds or 0)


def test_behind_a_stop_it_starts_only_after_the_repair() -> None:
    stopped = series(20, falls=-2.0, busy=0, idle=0, booting=0, starts_per_minute=0.0, completions_per_minute=0.0)
    start = start_of(start_table(Pool("linux", tuple(stopped)), RULES), JobsAhead(3, 3))
    assert start.kind is Verdict.UNTIL_REPAIRED


def test_without_figures_there_is_a_reason_and_no_time() -> None:
    unknown = tuple(replace(one, queued=None) for one in series(60))
    table = start_table(Pool("linux", unknown), RULES)
    assert table.reason is not None
    assert table.reason.id == "queue_unknown"
    assert start_of(table, JobsAhead(0, 0)).kind is Verdict.NONE
