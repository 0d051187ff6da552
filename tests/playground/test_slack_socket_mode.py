"""Socket Mode as the stand-in speaks it; tests/journeys/test_socket_mode.py has the product on the other end."""

import aiohttp
import pytest

from tests.playground.slack_kit import Kit, client_of, code
from tests.slack_driver import RefusedError


async def test_an_event_without_acknowledgement_is_sent_again(slack: Kit) -> None:
    """A raw connection that stays silent sees the retry number and reason in the envelope."""
    slack.stand_in.settings.answer_within_seconds = 0.05
    url = (await client_of(slack.url, "xapp-demo").apps_connections_open(app_token="xapp-demo"))["url"]
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
        hello = await socket.receive_json()
        assert (hello["type"], hello["connection_info"]["app_id"]) == ("hello", "A0TAILBACK")
        with pytest.raises(RefusedError, match="did not answer"):
            await slack.driver.mention("status")
        first, second = await socket.receive_json(), await socket.receive_json()
    assert (first["type"], first["retry_attempt"], second["retry_attempt"]) == ("events_api", 0, 1)
    assert second["retry_reason"] == "http_timeout"
    assert first["payload"]["event_id"] == second["payload"]["event_id"]
    assert first["envelope_id"] != second["envelope_id"]


async def test_a_connection_address_works_once_and_needs_the_app_token(slack: Kit) -> None:
    """The bot token opens no socket, and an address cannot be used again."""
    bot = slack.client.apps_connections_open(app_token="xoxb-demo")
    assert await code(bot) == "not_allowed_token_type"
    url = (await client_of(slack.url, "xapp-demo").apps_connections_open(app_token="xapp-demo"))["url"]
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(url) as socket:
            await socket.receive_json()
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)
