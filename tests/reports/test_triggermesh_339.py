"""triggermesh/aws-event-sources#339: a subscription that was left behind delivers every message a second time."""

from tests.amazon import message, sealed
from tests.handlers.test_alerts_sns import SnsEndpoint


async def test_each_state_of_an_alarm_counts_once() -> None:
    async with SnsEndpoint() as endpoint:
        outcomes = []
        for state in ("alarm", "ok"):
            for number in range(2):
                answer = await endpoint.posts(sealed(message(state), MessageId=f"{state}-{number}"))
                outcomes.append(answer.json()["outcome"])
        assert outcomes == ["opened", "repeated", "joined", "repeated"]
        assert len(endpoint.world.incidents) == 1
