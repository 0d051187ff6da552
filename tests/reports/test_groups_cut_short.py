"""prometheus/alertmanager#3396 and #2274: `max_alerts` cuts a group, and nothing says how many of the rest still fire.

The group's own status is that of the alerts that are shown (#3397).
"""

import json

from bot.core.alert import SilentReason
from bot.core.incident.details.events import IncidentEnded
from bot.core.incident.incident import State
from tests.handlers.endpoint import TOKEN, Endpoint
from tests.webhooks import NEVER, Json, webhook
from tests.world import LABELS

BEGAN, ENDED = "2027-01-15T07:58:00Z", "2027-01-15T08:04:00Z"


def alert(number: int, *, firing: bool) -> Json:
    return {
        "status": "firing" if firing else "resolved",
        "labels": {**LABELS, "repository": f"acme/{number}"},
        "annotations": {"summary": "jobs wait"},
        "startsAt": BEGAN,
        "endsAt": NEVER if firing else ENDED,
        "generatorURL": "http://prometheus.example/graph",
        "fingerprint": f"{number:016x}",
    }


async def hears(endpoint: Endpoint, truncated: int, *alerts: Json) -> None:
    whole = {**webhook('alertname="JobsWait"', {"alertname": "JobsWait"}, alerts), "truncatedAlerts": truncated}
    answer = await endpoint.alert(json.dumps(whole).encode(), "alertmanager", Authorization=f"Bearer {TOKEN}")
    assert answer.status_code == 200, answer.text
    await endpoint.world.work()


async def test_the_ends_that_are_shown_are_not_those_of_the_rest() -> None:
    async with Endpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        await hears(endpoint, 4, alert(1, firing=True), alert(2, firing=True))
        await hears(endpoint, 4, alert(1, firing=False), alert(2, firing=False))
        found = world.incident
        assert (found.state, found.group.silent) == (State.OPEN, (SilentReason.CUT_SHORT,))


async def test_the_rest_that_was_shown_before_has_ended_as_well() -> None:
    async with Endpoint() as endpoint:
        world = endpoint.world
        world.queues(14)
        await hears(endpoint, 0, alert(1, firing=True), alert(2, firing=True))
        await hears(endpoint, 0, alert(1, firing=False), alert(2, firing=False))
        assert (world.incident.state, world.incident.group.silent) == (State.EASING, ())


async def test_without_figures_the_end_says_that_others_may_fire() -> None:
    async with Endpoint() as endpoint:
        world = endpoint.world
        world.context.metrics = {}
        await hears(endpoint, 4, alert(1, firing=True), alert(2, firing=True))
        await hears(endpoint, 4, alert(1, firing=False), alert(2, firing=False))
        await world.passes(600)
        details = world.incident.log.timeline[-1].details
        assert isinstance(details, IncidentEnded)
        assert details.silent == (SilentReason.CUT_SHORT,)
