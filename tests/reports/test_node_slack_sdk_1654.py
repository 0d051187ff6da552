"""slackapi/node-slack-sdk#1654: Slack ends a connection as one too many, and the client asks for the next at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bot.adapters.slack.client import open_client, open_session
from handlers.slack_app import socket_mode
from handlers.slack_app.socket_mode import Listening
from tests.patience import eventually
from tests.world import World


class Slack:
    """Gives out addresses, and ends each connection with a reason."""

    def __init__(self) -> None:
        self.url, self.asked = "", 0

    async def opens(self, _: web.Request) -> web.Response:
        self.asked += 1
        return web.json_response({"ok": True, "url": f"{self.url}/link"})

    async def connects(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "disconnect", "reason": "too_many_websockets", "debug_info": {}})
        await socket.close()
        return socket

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        app = web.Application()
        app.router.add_route("*", "/api/apps.connections.open", self.opens)
        app.router.add_get("/link", self.connects)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield
        await runner.cleanup()


async def test_a_refused_connection_is_asked_for_again_after_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the readiness page says that Slack refuses it, and why."""
    monkeypatch.setattr(socket_mode, "DEAF_SECONDS", 1.0)
    world, slack, made = World(), Slack(), list[int]()

    async def handler() -> AsyncSocketModeHandler:
        made.append(slack.asked)
        client = open_client("xoxb-1", f"{slack.url}/api/", open_session())
        app = AsyncApp(client=client, signing_secret="unused")
        found = AsyncSocketModeHandler(app, "xapp-1", web_client=client)
        assert client.session is not None
        await found.client.aiohttp_client_session.close()
        found.client.aiohttp_client_session = client.session
        return found

    async with slack.served():
        listening = asyncio.create_task(Listening(world.context, handler).run())
        await eventually(lambda: "too_many_websockets" in world.context.health.socket_mode, "the reason")
        await eventually(lambda: len(made) == 3, "a third handler")
        listening.cancel()
        await asyncio.wait({listening})
    assert made[-1] < 20, "the SDK alone asks hundreds of times a second"
