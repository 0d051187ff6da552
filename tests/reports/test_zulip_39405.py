"""zulip/zulip#39405: what Grafana's Test button sends has the name of the contact point and looks like an alert."""

import pytest

from bot.incidents.intake import Taken
from tests.handlers.endpoint import Endpoint
from tests.sources.payloads import body, item


@pytest.mark.parametrize("own", [{}, {"runner_label": "linux.2xlarge", "severity": "page"}])
async def test_it_opens_nothing_with_labels_of_ones_own_either(own: dict[str, str]) -> None:
    labels = {"alertname": "TestAlert", "instance": "Grafana", **own}
    test = item(labels=labels, annotations={"summary": "Notification test"}, startsAt="2027-01-15T07:59:00Z")
    async with Endpoint() as endpoint:
        answer = await endpoint.alert(body(test, receiver="tailback", groupKey="{}:{}", orgId=1, version="1"))
        assert (answer.json()["outcome"], endpoint.world.incidents) == (Taken.TESTED, [])
