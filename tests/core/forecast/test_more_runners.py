"""What more runners would do: monotone, after the boot time, with the fewest that are enough, or nothing at all."""

from dataclasses import replace

import pytest

from bot.core.forecast.more_runners import Option, Terms, foreseen, least, what_if
from bot.views.words.forecasts import reason_words, rows, what_to_expect
from tests.core.forecast.test_forecast import RULES, series

STUCK = {"arrivals_per_minute": 4.5, "usual_arrivals_per_minute": 4.5}
"""More arrive than 40 runners finish."""


def options(**changes: object) -> tuple[Option, ...]:
    """The table for a few numbers."""
    return what_if(series(**changes), RULES, (2, 5, 10, 20, 40, 80), Terms(cost_per_runner_hour=0.5)).options


@pytest.mark.parametrize(
    "changes", [{}, STUCK, {"booting": 6, "limit": 90}, {"creates": 60, "limit": 90, "booting": 9}]
)
def test_more_runners_never_make_it_later(changes: dict[str, object]) -> None:
    """Each column falls or stays from row to row; not draining counts as the latest of all."""
    table = options(**changes)
    for column in ("low_seconds", "mid_seconds", "high_seconds", "oldest_wait_seconds"):
        values = [getattr(option, column) for option in table]
        known = [float("inf") if value is None else value for value in values]
        assert known == sorted(known, reverse=True), column


def test_no_help_comes_before_the_boot_time() -> None:
    """However many are added, the queue does not drain before they have booted."""
    slow = replace(RULES, boot_time_seconds=900.0)
    option = what_if(series(), slow, (500,)).options[-1]
    assert option.mid_seconds is not None
    assert option.mid_seconds >= 900.0


def test_as_it_is_agrees_with_no_runner_added() -> None:
    """The first row is the forecast itself."""
    table = options()
    assert table[0].more == 0
    assert table[0].cost == 0.0
    assert table[0].mid_seconds == pytest.approx(1800, rel=0.1)


def test_the_cost_is_that_of_the_added_runners_until_the_drain() -> None:
    """Runners times hours times price."""
    row = options()[3]
    assert row.mid_seconds is not None
    assert row.cost == pytest.approx(10 * row.mid_seconds / 3600 * 0.5)


def test_the_fewest_that_meet_the_target_are_found() -> None:
    """One runner fewer would miss it."""
    terms = Terms(target_seconds=1200.0)
    found = least(series(**STUCK), RULES, 100, terms)
    assert found is not None
    fewer = what_if(series(**STUCK), RULES, (found.more - 1,), terms).options[-1]
    assert found.mid_seconds is not None
    assert found.mid_seconds <= 1200.0
    assert fewer.mid_seconds is None or fewer.mid_seconds > 1200.0
    assert least(series(**STUCK), RULES, 1, terms) is None
    table = what_if(series(**STUCK), RULES, (10, 20, 40, 80), terms)
    assert table.enough is not None
    assert table.enough.more >= found.more


def test_do_nothing_when_it_is_over_before_new_runners_boot() -> None:
    """Three jobs and a boot of ten minutes."""
    slow = replace(RULES, boot_time_seconds=600.0)
    found = what_if(series(queued=3, oldest_wait_seconds=900.0), slow, (10,))
    assert reason_words(found.do_nothing).startswith("the queue is expected to be empty in about")
    assert reason_words(found.do_nothing).endswith("before a new runner has booted (10 min)")


def test_do_nothing_when_idle_runners_stand_beside_the_queue() -> None:
    """Capacity is not what is missing."""
    found = what_if(series(idle=12), RULES, (10,))
    assert reason_words(found.do_nothing) == "12 runners idle while 60 jobs wait: capacity is not what is missing"


def test_nothing_is_said_against_help_that_helps() -> None:
    """The queue would last half an hour, the boot three minutes."""
    assert what_if(series(), RULES, (10,)).do_nothing is None


def test_an_unknown_figure_refuses_the_whole_table() -> None:
    """The reason is the forecast's."""
    found = what_if(series(queued=None), RULES, (10,))
    assert (found.options, reason_words(found.refusal)) == ((), "the length of the queue is unknown")


def test_an_unknown_wait_is_not_foretold() -> None:
    """Who has waited longest already is not known, so neither is how long that becomes; the drain is."""
    table = what_if(series(oldest_wait_seconds=None), RULES, (10,)).options
    assert all(option.mid_seconds is not None and option.oldest_wait_seconds is None for option in table)
    assert what_if(series(), RULES, (10,)).options[0].oldest_wait_seconds is not None


def test_the_question_gives_the_table_the_target_and_the_boot_time() -> None:
    """As a person reads it before confirming."""
    lines = what_to_expect(foreseen(series(**STUCK), 20, RULES, Terms(cost_per_runner_hour=0.34)), RULES)
    assert lines[0].startswith("As it is: does not drain at these rates")
    assert lines[2].startswith("+20 (this): drains in")
    assert "costs about" in lines[2]
    assert lines[-2].startswith("Of these, +")
    assert lines[-1] == "New runners take about 3 min to boot; help comes no sooner."


def test_a_caution_comes_first() -> None:
    """What the diagnosis says against it, instead of the plain warnings."""
    found = foreseen(series(offline=9), 20, RULES)
    lines = what_to_expect(found, RULES, "More runners would harm: the image is broken (0 of 9).")
    assert lines[0] == "More runners would harm: the image is broken (0 of 9)."
    assert not any("bringing them back" in line for line in lines)
    assert any("bringing them back" in line for line in what_to_expect(found, RULES))


def test_one_sample_or_none_is_enough_for_an_answer() -> None:
    """A single sample is too few for a table, and none says that."""
    assert "1 of the 3 measurements" in what_to_expect(foreseen(series()[-1:], 10, RULES), RULES)[0]
    lines = what_to_expect(foreseen((), 10, RULES), RULES)
    assert lines[0] == "The pool has not been measured, so the effect cannot be foreseen."


def test_rows_name_what_is_open() -> None:
    """No end in sight, an open end, and a plain interval read differently."""
    lines = rows(what_if(series(**STUCK), RULES, (1, 40)))
    assert "does not drain at these rates" in lines[0]
    assert "drains in" in lines[2]


def table(most: int) -> tuple[str, ...]:
    """What is said of 20 more where so many may be added at once."""
    return what_to_expect(foreseen(series(**STUCK), 20, RULES, Terms(most=most)), RULES)


def test_no_choice_is_more_than_may_be_asked_for_at_once() -> None:
    """A number that the pool's step refuses is neither in the table nor called enough."""
    names = [line.split(":")[0] for line in table(30) if line[0] == "+"]
    assert names == ["+10", "+20 (this)", "+30"]
    names = [line.split(":")[0] for line in table(20) if line[0] == "+"]
    assert names == ["+10", "+20 (this)"]
