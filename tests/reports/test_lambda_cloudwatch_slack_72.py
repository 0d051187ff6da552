"""assertible/lambda-cloudwatch-slack#72: a composite alarm has a rule instead of a metric, which a receiver fell over.

shinesolutions/aem-aws-stack-builder#397: an alarm that was just made tells OK, because it had no data before.
"""

import json

from bot.core.incident.incident import State
from tests.amazon import message, sealed
from tests.builders import POOL
from tests.handlers.test_alerts_sns import SnsEndpoint

CHILD = f"arn:aws:cloudwatch:us-east-1:123456789012:alarm:ci-queue-{POOL}"


def composite(state: str, before: str, at: str) -> bytes:
    whole = json.loads(message("alarm", NewStateValue=state, OldStateValue=before, StateChangeTime=at))
    del whole["Trigger"]
    rule = {"AlarmRule": f"ALARM({CHILD})", "EventRecipient": "ops", "TriggeringChildren": [{"Arn": CHILD}]}
    return sealed(json.dumps({**whole, **rule, "AlarmName": "ci-waits", "AlarmArn": f"{CHILD}-all"}))


async def test_a_composite_alarm_opens_and_eases_its_thread() -> None:
    async with SnsEndpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        answer = await endpoint.posts(composite("ALARM", "OK", "2027-01-15T07:59:00.000+0000"))
        assert answer.json() == {"outcome": "opened"}
        await world.work()
        assert (world.incident.group.title, world.incident.pools.affected) == ("ci-waits", (POOL,))
        await endpoint.posts(composite("OK", "ALARM", "2027-01-15T08:05:00.000+0000"))
        assert world.incident.state is State.EASING


async def test_the_first_ok_of_a_new_alarm_opens_nothing() -> None:
    async with SnsEndpoint() as endpoint:
        answer = await endpoint.posts(composite("OK", "INSUFFICIENT_DATA", "2027-01-15T07:59:00.000+0000"))
        assert (answer.json()["outcome"], endpoint.world.incidents) == ("nothing_open", [])
