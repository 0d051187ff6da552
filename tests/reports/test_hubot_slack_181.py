"""slackapi/hubot-slack#181: Slack makes a link of a word that looks like a host, and the bot does not know it."""

import pytest

from tests.builders import POOL
from tests.handlers.endpoint import Endpoint

HOST = "gpu.dev"
"""A pool with the name of a host."""


@pytest.fixture
async def endpoint() -> Endpoint:
    made = Endpoint(pool={POOL: {"match": {"runner_label": POOL}}, HOST: {"match": {"runner_label": HOST}}})
    await made.world.opens()
    return made


@pytest.mark.parametrize("written", [f"<http://{HOST}|{HOST}>", f"<https://{HOST}|{HOST}>", f"`{HOST}`", HOST])
async def test_a_pool_is_known_by_the_name_that_was_typed(endpoint: Endpoint, written: str) -> None:
    await endpoint.mention(f"status {written}")
    ((_, _, answer, _),) = endpoint.world.chat.whispers
    assert answer.text.startswith(f"{HOST}: ")
    reply = await endpoint.slash(f"status {written}")
    assert reply.json()["text"].startswith(f"{HOST}: ")
    await endpoint.client.aclose()
