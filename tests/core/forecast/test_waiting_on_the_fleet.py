"""Developer-hours against simulated pools in which every wait is known: at least is at least, and not far off."""

from itertools import pairwise

import pytest

from bot.core.incident.queue_series import QueueSeries, Span, extended
from tests.bench.rough import BEFORE, Rough, spec

pytestmark = pytest.mark.fleet

HOURS = 4


@pytest.mark.parametrize("seed", [10, 11, 25])
def test_what_is_told_is_never_more_than_what_was_waited(seed: int) -> None:
    """Measured every minute; the truth is added up between the same minutes."""
    world, course, lengths = Rough(spec(seed, "surge")), QueueSeries(120), list[int]()
    while world.now < HOURS * 3600:
        sample = world.minute()
        if world.now >= 0:
            course = extended(course, (sample,), Span(0.0, 0.0, 60))
            lengths.append(world.waiting())
    truth = sum(30 * (one + other) for one, other in pairwise(lengths))
    assert BEFORE > 0 < truth
    assert 0.8 * truth <= course.waited_seconds <= truth
    assert course.measured_seconds == HOURS * 3600
