"""grafana/grafana#79235 and grafana/terraform-provider-grafana#1819: whoever saves a rule resolves its firing alerts.

They fire anew at the next evaluation, at each run of whatever saves the rules.
"""

from bot.core.incident.incident import State
from tests.handlers.endpoint import Endpoint
from tests.sources.payloads import body, item
from tests.world import LABELS

SAVED = {"grafana_state_reason": "Updated"}


async def test_the_thread_stays_one_says_nothing_of_it_and_pages_nobody_again() -> None:
    async with Endpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        escalated = None
        for minute in range(0, 50, 10):
            firing = item(labels=LABELS, startsAt=f"2027-01-15T08:{minute:02}:00Z")
            await endpoint.alert(body(firing))
            await world.passes(540, step=60)
            if minute == 10:
                escalated = world.incident.ownership.escalated_at
            end = {"status": "resolved", "endsAt": f"2027-01-15T08:{minute + 9:02}:00Z", "annotations": SAVED}
            await endpoint.alert(body({**firing, **end}))
            await world.passes(60, step=60)
        assert (world.incident.state, world.incident.ownership.escalated_at) == (State.EASING, escalated)
        assert len(world.replies) == 1, "the escalation"
        assert len(world.chat.parents()) == 1
