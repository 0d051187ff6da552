"""grafana/grafana#42683: one of two groups of a rule is green again, and the receiver took it for the end of both."""

from bot.core.incident.incident import State
from tests.handlers.endpoint import Endpoint
from tests.sources.payloads import body, item
from tests.world import LABELS, OTHER_POOL

START = "2027-01-15T07:59:00Z"


def group(pool: str, **ended: str) -> bytes:
    labels = {**LABELS, "runner_label": pool}
    key = f'{{}}:{{alertname="{LABELS["alertname"]}", runner_label="{pool}"}}'
    return body(item(labels=labels, fingerprint=f"f-{pool}", startsAt=START, **ended), groupKey=key)


async def test_each_group_has_its_own_thread_and_end() -> None:
    async with Endpoint() as endpoint:
        world = endpoint.world
        for pool in (LABELS["runner_label"], OTHER_POOL):
            world.queues(14, pool=pool)
            await endpoint.alert(group(pool))
        await endpoint.alert(group(OTHER_POOL, status="resolved", endsAt="2027-01-15T08:05:00Z"))
        await world.work()
        assert [one.state for one in world.incidents] == [State.OPEN, State.EASING]
