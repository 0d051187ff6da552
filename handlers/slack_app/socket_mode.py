"""Socket Mode: connects in the background, reports when it is disconnected, and begins anew when it is deaf."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Protocol

import structlog
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bot.context.context import Context
from bot.sources.payload import fields
from bot.sources.slack_request import check_payload
from handlers.cancellation import ended
from handlers.http.unreadable import NotRead, reading
from handlers.slack_app.connections import Connections
from handlers.wiring import Runtime

LOOK_SECONDS = 0.5
PING_SECONDS = 5.0
"""Ping interval, and the SDK's pause between two attempts to connect. Four unanswered pings are its "not connected"."""

DEAF_SECONDS = 12.0
"""Without a connection for so long: more than two attempts of the SDK. Then a new handler asks for a new address, since
one that failed works once, and the SDK would try it for ever. Where Slack refuses connections, it rests for so long.
"""
CLOSE_SECONDS = 5.0
RENEWED = frozenset({"warning", "refresh_requested"})
"""Why Slack ends a connection that is to be renewed; every other reason refuses it."""

log = structlog.get_logger()


class SocketClient(Protocol):
    """The part of the SDK's client that is watched."""

    on_message_listeners: list[Any]
    """Called with every message as it came."""

    async def is_connected(self) -> bool:
        """Whether it is connected, and its pings are answered."""


class SocketHandler(Protocol):
    """The parts of Bolt's handler that are used."""

    client: Any
    """A `SocketClient`."""

    async def connect_async(self) -> Any:
        """Connect; tries until it succeeds."""

    async def close_async(self) -> Any:
        """Disconnect for good."""


@asynccontextmanager
async def socket_mode(runtime: Runtime, app: AsyncApp) -> AsyncIterator[None]:
    """Receive by Socket Mode while the block runs; an unreachable Slack delays nothing else."""
    runtime.context.health.socket_mode = "Socket Mode is not connected yet"
    connections = Connections(runtime.context)
    listening = Listening(runtime.context, lambda: _handler(runtime, app, connections))
    tasks = [asyncio.create_task(work, name="socket-mode") for work in (connections.listen(), listening.run())]
    try:
        yield
    finally:
        for task in tasks:
            await ended(task)


async def _handler(runtime: Runtime, app: AsyncApp, connections: Connections) -> SocketHandler:
    """A handler that goes by the proxy and the certificates of [slack], not by those of the environment."""
    token, client = runtime.context.settings.env.slack_app_token.get_secret_value(), runtime.to_slack()
    handler = AsyncSocketModeHandler(app, token, web_client=client, ping_interval=PING_SECONDS)
    if client.session is not None:
        await handler.client.aiohttp_client_session.close()
        handler.client.aiohttp_client_session = client.session  # closed with the handler
    handler.client.proxy = None
    handler.client.socket_mode_request_listeners[:] = [partial(read_or_drop, handler.handle)]
    handler.client.message_listeners.append(connections.heard)
    return handler


async def read_or_drop(handle: Callable[..., Awaitable[None]], client: Any, request: Any) -> None:
    """Hand an envelope to Bolt; one that cannot be read is acknowledged, because Slack would only repeat it."""
    try:
        with reading():
            if request.type in {"events_api", "interactive"}:
                check_payload(request.payload)
            await handle(client, request)
    except NotRead:
        await client.send_socket_mode_response({"envelope_id": request.envelope_id})


class Listening:
    """One handler at a time, and a new one when it is deaf."""

    def __init__(self, context: Context, made: Callable[[], Any]) -> None:
        self._context, self._made = context, made
        self._was_connected = False
        self._refused = asyncio.Event()

    async def run(self) -> None:
        while True:
            handler: SocketHandler = await self._made()
            self._refused.clear()
            handler.client.on_message_listeners.append(self._heard)
            connecting = asyncio.create_task(_connected(handler), name="socket-mode-connect")
            try:
                await self._until_deaf(handler.client)
            finally:
                await ended(connecting)
                await _closed(handler)
            if self._refused.is_set():
                await asyncio.sleep(DEAF_SECONDS)

    async def _heard(self, message: Any) -> None:
        """Stop the SDK when Slack refuses the connection: it would ask for a new one at once, again and again."""
        with contextlib.suppress(TypeError, ValueError):
            found = fields(json.loads(message.data))
            if found.get("type") == "disconnect" and (reason := found.get("reason")) not in RENEWED:
                self._context.health.socket_mode = f"Slack refuses Socket Mode: {reason}; trying again"
                log.warning("socket mode refused", reason=reason, repeats=True)
                self._refused.set()

    async def _until_deaf(self, client: SocketClient) -> None:
        """Return when there was no connection for too long, or when Slack refuses it."""
        context, heard_at = self._context, self._context.monotonic()
        while (quiet := context.monotonic() - heard_at) <= DEAF_SECONDS:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._refused.wait()
                return
            if connected := await client.is_connected():
                heard_at, context.health.socket_mode = context.monotonic(), ""
            else:
                context.health.socket_mode = "Socket Mode is not connected; trying again"
            if connected is not self._was_connected:
                log.info("socket mode", connected=connected)
            self._was_connected = connected
        context.health.socket_mode = f"Socket Mode was not connected for {quiet:.0f} s; trying with a new address"
        log.warning("socket mode silent", remedy="beginning anew", repeats=True)


async def _connected(handler: SocketHandler) -> None:
    try:
        await handler.connect_async()
    except Exception as error:  # noqa: BLE001 (a boundary: whatever the SDK raises, a new handler tries again)
        log.warning("socket mode not connected", why=f"{type(error).__name__}: {error}", repeats=True)


async def _closed(handler: SocketHandler) -> None:
    """A connection that is deaf may not end in time; it is left."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await handler.close_async()
