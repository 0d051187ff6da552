"""marbot-io/monitoring-jump-start#30: for weeks SNS delivered to HTTPS about an hour late.

An alarm that is refused is not sent again. Others refuse what is older than eight hours (symfony/symfony#65703).
"""

import pytest

from tests.amazon import message, sealed
from tests.builders import NOW
from tests.handlers.test_alerts_sns import SnsEndpoint


@pytest.mark.parametrize(("late", "status"), [(3700, 200), (7200, 200), (90_000, 401)])
async def test_an_alarm_that_comes_late_opens_its_thread(late: float, status: int) -> None:
    async with SnsEndpoint() as endpoint:
        answer = await endpoint.posts(sealed(message("alarm"), at=NOW - late))
        assert (answer.status_code, len(endpoint.world.incidents)) == (status, int(status == 200))


async def test_a_late_alarm_whose_end_came_first_opens_nothing() -> None:
    async with SnsEndpoint() as endpoint:
        await endpoint.posts(sealed(message("ok")))
        answer = await endpoint.posts(sealed(message("alarm"), at=NOW - 3700))
        assert (answer.json()["outcome"], endpoint.world.incidents) == ("outdated", [])


async def test_a_replay_changes_nothing() -> None:
    async with SnsEndpoint() as endpoint:
        captured = sealed(message("alarm"))
        await endpoint.posts(captured)
        await endpoint.posts(sealed(message("ok")))
        endpoint.world.clock.advance(7200)
        assert (await endpoint.posts(captured)).json()["outcome"] == "repeated"
        assert not endpoint.world.incident.group.firing
