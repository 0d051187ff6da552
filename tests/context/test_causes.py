"""What is said of an incident's pools when it is drawn."""

import pytest

from bot.context.causes import explained
from bot.core.pool.outlook import Verdict
from bot.core.pool.pool import Pool
from tests.builders import NOW, POOL, TIMING, alert, incident, sample, view


@pytest.mark.parametrize(("on_size", "forecast"), [(1.0, True), (0.0, False)])
async def test_normal_waits_are_no_end_of_an_alert_on_the_number_of_jobs(on_size: float, *, forecast: bool) -> None:
    """While they are none, the message says when the queue drains."""
    limits = {"queue_size_threshold": on_size, "queue_time_threshold": 1 - on_size}
    values = {"max_queue_size": 60.0, "max_queue_time_mins": 2.0, **limits}
    figures = [sample(20 + 5 * n, at=NOW + 60 * n, oldest_wait_seconds=120.0, busy=9, idle=0) for n in range(9)]
    found = await explained(view(Pool(POOL, tuple(figures))), incident(alert(values=values)), NOW + 480, TIMING)
    made = found.pools[POOL].outlook
    assert (made is not None and made.verdict is not Verdict.NONE) is forecast
