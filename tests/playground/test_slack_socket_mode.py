"""Socket Mode between the stand-in and the real AsyncSocketModeHandler."""

from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from tests.playground.slack_kit import CI, Kit, bolt_app, client_of, code, modal, over_socket, parent_blocks
from tests.slack_driver import RefusedError

Body = dict[str, object]
Ack = Callable[..., Awaitable[object]]


async def connected(kit: Kit, count: int) -> None:
    async def look() -> bool | None:
        return True if kit.stand_in.sockets.connections == count else None

    await kit.driver.wait(look, 5.0, f"{count} connections", lambda: str(kit.stand_in.sockets.connections))


async def test_clicks_modals_commands_and_mentions_travel_by_socket(slack: Kit) -> None:
    """The same app works without a request URL; the answer to a submission is in the acknowledgement."""
    app = bolt_app(slack)
    mentions: list[Body] = []

    async def ask(ack: Ack, body: Body) -> None:
        await slack.client.views_open(trigger_id=str(body["trigger_id"]), view=modal())
        await ack()

    async def refuse(ack: Ack) -> None:
        await ack(response_action="errors", errors={"target": "Too many."})

    async def queue(ack: Ack) -> None:
        await ack("all quiet")

    async def mentioned(event: Body) -> None:
        mentions.append(event)

    app.action("scale_up")(ask)
    app.view("scale")(refuse)
    app.command("/queue")(queue)
    app.event("app_mention")(mentioned)
    await slack.client.chat_postMessage(channel=CI, text="open", blocks=parent_blocks())
    async with over_socket(slack, app):
        await connected(slack, 1)
        parent = await slack.driver.channel("ci").parent("OPEN")
        await parent.click("Scale up")
        view = await (await slack.driver.modal(title="Scale up")).fill("Target", 24)
        assert await view.submit() == {"target": "Too many."}
        await slack.driver.slash("/queue", "status")
        await slack.driver.ephemeral(containing="all quiet")
        await slack.driver.mention("status", thread=parent)
        assert mentions[0]["thread_ts"] == parent.ts
    await connected(slack, 0)


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
