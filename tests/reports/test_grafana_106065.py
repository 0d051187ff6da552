"""grafana/grafana#106065 (Grafana 12): the end of an alert has its own time as its start.

Receivers that know an occurrence by fingerprint and start do not find what it ends.
"""

from bot.core.incident.incident import State
from tests.handlers.endpoint import Endpoint
from tests.sources.payloads import body, item
from tests.world import LABELS

END = "2027-01-15T08:10:00Z"


async def test_the_end_ends_the_alert_that_fires_and_the_next_one_fires_anew() -> None:
    async with Endpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        firing = item(labels=LABELS, startsAt="2027-01-15T07:59:00Z")
        await endpoint.alert(body(firing))
        began_at = world.incident.began_at
        await endpoint.alert(body({**firing, "status": "resolved", "startsAt": END, "endsAt": END}))
        assert (world.incident.state, world.incident.began_at) == (State.EASING, began_at)
        assert (await endpoint.alert(body(firing))).json() == {"outcome": "repeated"}
        await endpoint.alert(body({**firing, "startsAt": "2027-01-15T08:12:00Z"}))
        assert world.incident.group.firing
