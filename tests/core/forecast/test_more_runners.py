"""What more runners would do: monotone, after the boot time, with the fewest that are enough, or nothing at all."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast.forecast import ForecastInputs, forecast
from bot.core.forecast.more_runners import Option, Terms, what_if
from bot.core.pool.outlook import NOTHING, Forecast, Lever, Reach, RunnerPrice, ToldByCause, Verdict
from bot.core.statement import statement
from bot.views.words.forecasts import DOUBTED, what_more_would_do
from tests.core.forecast.test_forecast import RULES, series

NOW = series()[-1].at
STUCK: dict[str, Any] = {"falls": -0.5}
"""More arrive than 40 runners finish."""


def options(**changes: Any) -> tuple[Option, ...]:
    """The table for a few numbers."""
    return what_if(series(**changes), RULES, (2, 5, 10, 20, 40, 80), Terms(RunnerPrice(0.5))).options


def never_later(table: tuple[Option, ...], *columns: str) -> None:
    """Each column falls or stays from row to row; not draining counts as the latest of all."""
    for column in columns:
        values = [getattr(option, column) for option in table]
        known = [float("inf") if value is None else value for value in values]
        assert known == sorted(known, reverse=True), column


def test_the_cost_of_an_option_is_that_of_whole_machines() -> None:
    (_, option) = what_if(series(), RULES, (5,), Terms(RunnerPrice(0.5, together=4))).options
    assert option.mid_seconds is not None
    assert option.cost == pytest.approx(8 * 0.5 * option.mid_seconds / 3600)


@pytest.mark.parametrize(
    "changes", [{}, STUCK, {"booting": 6, "limit": 90}, {"creates": 60, "limit": 90, "booting": 9}]
)
def test_more_runners_never_make_it_later(changes: dict[str, object]) -> None:
    never_later(options(**changes), "low_seconds", "mid_seconds", "high_seconds", "oldest_wait_seconds")


def test_no_help_comes_before_the_boot_time() -> None:
    """However many are added, the queue does not drain before they have booted."""
    slow = replace(RULES, boot_time_seconds=900.0)
    option = what_if(series(200), slow, (500,)).options[-1]
    assert option.mid_seconds is not None
    assert option.mid_seconds >= 900.0


def test_as_it_is_agrees_with_no_runner_added() -> None:
    """The first row is the forecast itself, and has no effect."""
    first, made = options()[0], forecast(series(), RULES)
    assert (first.more, first.cost, first.times_faster, first.sooner_seconds) == (0, 0.0, 1.0, 0.0)
    assert first.mid_seconds == made.mid_seconds


@pytest.mark.parametrize(
    "shown",
    [
        Forecast(NOW, Verdict.INTERVAL, 60, 600.0, 5400.0, 18000.0),
        Forecast(NOW, Verdict.AT_LEAST, 60, 1200.0, 9000.0),
        Forecast(NOW, Verdict.UNTIL_REPAIRED, 60, 3600.0, 7200.0, 36000.0),
    ],
)
def test_the_dialog_begins_with_the_forecast_of_the_thread(shown: Forecast) -> None:
    """In the same words and times; the effect of more runners is a share of it."""
    fresh = what_if(series(), RULES, (10, 40))
    found = what_if(series(), RULES, (10, 40), Terms(shown_forecast=shown))
    assert found.options[0].mid_seconds == shown.mid_seconds
    assert shown.high_seconds is None or found.options[0].high_seconds == shown.high_seconds
    assert [o.more for o in found.options] == [o.more for o in fresh.options]
    never_later(found.options, "low_seconds", "mid_seconds", "high_seconds")
    assert found.shown_forecast == shown


def test_the_effect_grows_with_the_number_and_the_advice_is_that_of_the_table() -> None:
    """None is stated where runners come too late."""
    found = what_if(series(**STUCK), RULES, (2, 5, 10, 20, 40, 80))
    times = [option.times_faster for option in found.options]
    assert times == sorted(times)
    assert found.helps
    assert found.best is not None
    assert found.best.times_faster == times[-1]
    assert all(option.times_low <= option.times_faster <= option.times_high for option in found.options)
    alone, *_, most = found.options
    assert most.sooner_seconds == pytest.approx((alone.mid_seconds or 0.0) - (most.mid_seconds or 0.0))
    late = what_if(series(3, oldest_wait_seconds=900.0), replace(RULES, boot_time_seconds=1800.0), (5, 40))
    assert (late.helps, late.best) == (False, None)
    assert what_if([], RULES, (5,)).helps is None


@pytest.mark.parametrize(
    ("changes", "lever", "told", "helps"),
    [
        pytest.param({}, Lever.SIZE, NOTHING, None, id="nobody counts refused launches"),
        pytest.param({"create_failures": 0}, Lever.SIZE, NOTHING, True, id="none is refused"),
        pytest.param({"booting": 9}, Lever.SIZE, NOTHING, True, id="some boot"),
        pytest.param({"limit": 40}, Lever.SIZE, NOTHING, True, id="full, so none is asked for"),
        pytest.param({}, Lever.LIMIT, NOTHING, False, id="a higher limit is not reached either way"),
        pytest.param({}, Lever.SIZE, ToldByCause(no_gain=True), False, id="they would end no jobs if they came"),
    ],
)
def test_whether_they_help_is_unknown_where_none_come_and_nobody_knows_why(
    changes: dict[str, Any], lever: Lever, told: ToldByCause, helps: bool | None
) -> None:
    """40 of 90 runners work, and no more came in ten minutes: either nobody asks for them, or they are refused."""
    samples, reach = series(**{**STUCK, "limit": 90, **changes}), Reach(lever, 40)
    table = what_if(samples, RULES, (10, 40), Terms(reach=reach, told=told))
    assert forecast(samples, RULES, inputs=ForecastInputs(reach, told)).helped is helps
    assert table.helps is helps
    assert (DOUBTED in what_more_would_do(table, 40).above) is (helps is None)


def test_the_cost_is_that_of_the_added_runners_until_the_drain() -> None:
    """Runners times hours times price."""
    row = options()[3]
    assert row.mid_seconds is not None
    assert row.cost == pytest.approx(10 * row.mid_seconds / 3600 * 0.5)


@pytest.mark.parametrize(
    ("changes", "boot", "why"),
    [
        ({"queued": 3, "oldest_wait_seconds": 900.0}, 600.0, "drains_before_boot"),
        ({"idle": 12}, 180.0, "idle_beside_queue"),
        ({}, 5400.0, "drains_before_boot"),
        ({}, 180.0, None),
        ({}, 600.0, None),
    ],
    ids=["over before they boot", "idle beside the queue", "a boot of 90 min", "help that helps", "a boot of 10 min"],
)
def test_do_nothing_where_more_runners_would_not_help(changes: dict[str, Any], boot: float, why: str | None) -> None:
    """Capacity is not what is missing, or it comes too late; nothing is said against help that helps."""
    found = what_if(series(**changes), replace(RULES, boot_time_seconds=boot), (10,))
    assert (found.do_nothing and found.do_nothing.id) == why
    if found.do_nothing:
        figures = {"boot": boot} if why == "drains_before_boot" else {"idle": 12, "queued": 60}
        assert figures.items() <= found.do_nothing.values.items()


def test_an_unknown_figure_refuses_the_whole_table() -> None:
    """The reason is the forecast's."""
    found = what_if([replace(sample, queued=None) for sample in series()], RULES, (10,))
    assert (found.options, found.refusal) == ((), statement("queue_unknown"))


def test_an_unknown_wait_is_not_foretold() -> None:
    """Who has waited longest already is not known, so neither is how long that becomes; the drain is."""
    table = what_if(series(oldest_wait_seconds=None), RULES, (10,)).options
    assert all(option.mid_seconds is not None and option.oldest_wait_seconds is None for option in table)
    assert what_if(series(), RULES, (10,)).options[0].oldest_wait_seconds is not None


def test_a_queue_at_its_floor_needs_no_choice() -> None:
    """Three jobs with a floor of five, and none at all."""
    calm = replace(RULES, floor=5)
    assert what_if(series(3), calm, (10,)).refusal == statement("at_floor", queued=3)
    assert what_if(series(0), calm, (10,)).refusal == statement("nothing_queued")
    assert what_if(series(6), calm, (10,)).refusal is None


def test_the_oldest_wait_goes_on_until_its_turn() -> None:
    """It has waited half an hour already, which is more than those wait that come last."""
    (alone,) = what_if(series(), RULES, ()).options
    assert alone.oldest_wait_seconds is not None
    assert 1800 <= alone.oldest_wait_seconds <= 1900
