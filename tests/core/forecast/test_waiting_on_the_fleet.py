"""Developer-hours against a fleet in which every second of waiting is known: at least is at least, and not far off."""

import pytest

from bot.core.charts.queue_series import QueueSeries, Span, extended
from tests.bench.fleet_eye import Eye
from tests.bench.incidents import story

pytestmark = pytest.mark.fleet

STEP_SECONDS, POLL_SECONDS, HOURS = 5, 30, 2


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_what_is_told_is_never_more_than_what_was_waited(seed: int) -> None:
    """Measured every 30 s; the truth is added up every 5 s."""
    chosen = story(seed, "burst and rate")
    fleet, name = chosen.fleet(), chosen.spec.name
    eye = Eye(fleet, name)
    fleet.advance(0)
    span, truth, course = Span(0.0, 0.0, POLL_SECONDS), 0.0, QueueSeries(2 * POLL_SECONDS)
    course = extended(course, (eye.look(),), span)
    for step in range(1, HOURS * 3600 // STEP_SECONDS + 1):
        before = len(fleet.pools[name].waiting)
        fleet.advance(step * STEP_SECONDS)
        truth += STEP_SECONDS * (before + len(fleet.pools[name].waiting)) / 2
        if step * STEP_SECONDS % POLL_SECONDS == 0:
            course = extended(course, (eye.look(),), span)
    assert truth > 3600
    assert 0.9 * truth <= course.waited_seconds <= truth
    assert course.measured_seconds == HOURS * 3600
