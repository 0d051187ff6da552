"""integrations/slack#352: a command worked, Slack says operation_timeout, and the person enters it again."""

from tests.builders import POOL
from tests.handlers.endpoint import Endpoint


async def test_a_silence_that_is_entered_again_is_made_once(endpoint: Endpoint) -> None:
    """Both commands have ids of their own, and no worker has acted in between."""
    world = endpoint.world
    for _ in range(2):
        assert (await endpoint.slash(f"silence {POOL} 1h")).status_code == 200
    await world.work()
    assert len(world.alertmanager.silences) == 1
    assert sum(entry.what == "silence" and entry.outcome == "asked" for _, entry, _ in world.data.trail) == 1
