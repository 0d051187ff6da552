"""The margins of early warnings: how sure, how far ahead, and never beside an incident."""

from dataclasses import replace

import pytest

from bot.core.pool.early_warning import Measure, Threshold
from tests.core.forecast.test_evaluate_warning import RULES, SURE, after, expected, growing, seen


@pytest.mark.parametrize(("rises", "sure"), [(0.5, False), (0.8, False), (2.0, True)])
def test_what_is_likely_but_could_be_chance_is_not_sure(rises: float, *, sure: bool) -> None:
    """All three are expected to be crossed; only the last also when things go better than expected."""
    looks = growing(40, 600.0, arrivals_per_minute=4.0 + rises)
    looks = [replace(one, queued=round(40 - rises * (looks[-1].at - one.at) / 60)) for one in looks]
    (found,) = expected(looks, RULES, (Threshold(Measure.QUEUED, 60),))
    assert found.sure is sure


def test_nothing_is_said_of_the_hours_after_the_next() -> None:
    """Two more a minute: 120 jobs are 40 min away, 250 nearly two hours."""
    (near,) = expected(growing(40, 600.0), RULES, (Threshold(Measure.QUEUED, 120),))
    assert near.mid_seconds == pytest.approx(2400, rel=0.05)
    assert expected(growing(40, 600.0), RULES, (Threshold(Measure.QUEUED, 250),)) == ()


def test_jobs_that_nobody_may_serve_count_toward_the_length_that_alerts_watch() -> None:
    """20 of the 80 never start: the alert counts all, so 100 are there as soon as two more a minute make them."""
    limit = (Threshold(Measure.QUEUED, 100),)
    (whole,), (part,) = (
        expected(growing(80, 600.0), RULES, limit),
        expected(growing(80, 600.0, unservable=20), RULES, limit),
    )
    assert part.mid_seconds == pytest.approx(whole.mid_seconds, rel=0.05)


def test_no_interval_is_sharper_than_two_looks() -> None:
    """A crossing that is a minute or two away is at least two minutes unsure on both sides."""
    (found,) = expected(growing(40, 600.0), RULES, (Threshold(Measure.QUEUED, 42),))
    assert found.low_seconds == 0.0
    assert found.high_seconds is None or found.high_seconds >= found.mid_seconds + 120


def test_beside_an_incident_not_even_one_look_warns() -> None:
    """No warning begins that the next look would have to take back."""
    assert after(seen(n, SURE, incidents=("i1",)) for n in range(9)).episode is None
    assert after(seen(n, SURE) for n in range(9)).episode is not None
