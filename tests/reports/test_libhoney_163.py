"""honeycombio/libhoney-py#163: Python writes a figure that is not a number as NaN, and the receiver refuses it all.

apache/openwhisk-package-kafka#319: for the sender the 400 was the end of it. grafana/grafana#21953: the least of no
numbers is the largest number there is.
"""

import pytest

from bot.core.ranking.readings import NO_READINGS, readings
from tests.handlers.endpoint import Endpoint
from tests.sources.payloads import body, item
from tests.world import LABELS


@pytest.mark.parametrize("figure", [float("nan"), float("inf"), -float("inf"), 1.7976931348623157e308])
async def test_the_alert_opens_without_that_figure(figure: float) -> None:
    values = {"max_queue_size": figure, "max_queue_time_mins": figure}
    async with Endpoint() as endpoint:
        endpoint.world.queues(14)
        answer = await endpoint.alert(body(item(labels=LABELS, values=values, startsAt="2027-01-15T07:59:00Z")))
        assert answer.json() == {"outcome": "opened"}
        await endpoint.world.work()
        (alert,) = endpoint.world.incident.group.alerts
        assert readings(alert) == NO_READINGS
