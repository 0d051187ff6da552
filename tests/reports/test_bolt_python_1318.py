"""slackapi/bolt-python#1318: a dialog was carried out, its answer was lost, and the person submits it again."""

from typing import Any

from tests.handlers.endpoint import Endpoint
from tests.handlers.slack_app.test_app import button


async def test_a_dialog_that_is_submitted_again_closes_and_acts_once(endpoint: Endpoint) -> None:
    world = endpoint.world
    await endpoint.press("silence", button(endpoint, "silence"))
    ((_, view),) = world.chat.views
    entered = {"preset": {"preset": {"type": "static_select", "selected_option": {"value": "1h"}}}}
    sent: dict[str, Any] = {**view, "id": "V1", "hash": "h1", "state": {"values": entered}}
    answers = [await endpoint.interaction("view_submission", view=sent) for _ in range(2)]
    await world.work()
    assert [one.json() for one in answers] == [{"response_action": "clear"}] * 2
    assert (len(world.alertmanager.silences), world.chat.whispers) == (1, [])
