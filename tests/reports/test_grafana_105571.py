"""grafana/grafana#105571: the series of a firing alert is away for a while; "resolved", then "firing" as before.

The rule kept firing, so that the start stays the same, and no annotation says why the alert ended.
"""

import pytest

from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from tests.handlers.endpoint import Endpoint
from tests.sources.payloads import body, item
from tests.world import LABELS

FIRING = item(labels=LABELS, startsAt="2027-01-15T07:59:00Z", endsAt="0001-01-01T00:00:00Z")
RESOLVED = {**FIRING, "status": "resolved", "endsAt": "2027-01-15T08:05:00Z"}


async def hears(endpoint: Endpoint, alert: dict[str, object]) -> str:
    answer = await endpoint.alert(body(alert))
    await endpoint.world.work()
    return str(answer.json()["outcome"])


@pytest.mark.parametrize("measured", [True, False])
async def test_it_fires_again_in_its_thread_and_can_end_again(measured: bool) -> None:
    """A pool without figures ends with its alert, so that nobody would hear of it otherwise."""
    async with Endpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        if not measured:
            world.context.metrics = {}
        assert await hears(endpoint, FIRING) == Taken.OPENED
        assert await hears(endpoint, RESOLVED) == Taken.JOINED
        assert world.incident.state is (State.EASING if measured else State.RESOLVED)
        assert await hears(endpoint, FIRING) == Taken.REPEATED
        await world.passes(600)
        assert await hears(endpoint, FIRING) == Taken.JOINED
        assert (world.incident.state, await hears(endpoint, FIRING)) == (State.OPEN, Taken.REPEATED)
        assert await hears(endpoint, RESOLVED) == Taken.JOINED
        assert not world.incident.group.firing
        assert len(world.chat.parents()) == 1


async def test_long_after_the_end_it_is_another_incident() -> None:
    async with Endpoint() as endpoint:
        endpoint.world.context.metrics = {}
        await hears(endpoint, FIRING)
        await hears(endpoint, RESOLVED)
        endpoint.world.clock.advance(3600)
        assert await hears(endpoint, FIRING) == Taken.OPENED
        assert [one.closed for one in endpoint.world.incidents] == [True, False]
