"""Socket Mode: connects in the background, reports when it is disconnected, and never reuses an address."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

import structlog
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bot.context.context import Context
from handlers.cancellation import ended
from handlers.wiring import Runtime

LOOK_SECONDS = 0.5
PING_SECONDS = 5.0
"""Ping interval, and the SDK's pause between two attempts to connect."""

DEAF_SECONDS = 30.0
"""Six unanswered pings without any envelope: then reconnect."""
CONNECT_SECONDS = 10.0

log = structlog.get_logger()


@asynccontextmanager
async def socket_mode(runtime: Runtime, app: AsyncApp) -> AsyncIterator[None]:
    """Receive by Socket Mode while the block runs; an unreachable Slack delays nothing else."""
    context = runtime.context
    context.health.socket_mode = "Socket Mode is not connected yet"
    token = context.settings.env.slack_app_token.get_secret_value()
    handler = AsyncSocketModeHandler(app, token, ping_interval=PING_SECONDS)
    client = handler.client
    await client.aiohttp_client_session.close()
    # the proxy of [slack], not those of the environment, which the SDK reads; closed with the handler
    client.aiohttp_client_session = client.web_client.session = runtime.to_slack()
    client.proxy = client.web_client.proxy = None
    client.web_client.base_url = context.settings.env.slack_api_url
    tasks = [
        asyncio.create_task(handler.connect_async(), name="socket-mode"),  # type: ignore[no-untyped-call]  # Bolt's own
        asyncio.create_task(Watch(context, client).run(), name="socket-mode-watch"),
    ]
    try:
        yield
    finally:
        for task in tasks:
            await ended(task)
        await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt's own is untyped


class SocketClient(Protocol):
    """The parts of the SDK's client that are watched."""

    wss_uri: str | None
    last_ping_pong_time: float | None
    on_message_listeners: list[Callable[[Any], Awaitable[None]]]

    async def is_connected(self) -> bool:
        """The SDK's own opinion, which misses docs/design/slack.md#silent-socket-mode-connections."""

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        """Connect with a new address."""


class Watch:
    """Updates the connection status, and reconnects when nothing arrived for too long."""

    def __init__(self, context: Context, client: SocketClient) -> None:
        self._context, self._client = context, client
        self._heard_at = context.monotonic()
        self._pong = client.last_ping_pong_time
        self._was_connected = False
        client.on_message_listeners.append(self._heard)

    async def run(self) -> None:
        """Check until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.check()

    async def check(self) -> None:
        """Check once; drop an address that failed, because it works once and the SDK would retry it for ever."""
        context, client = self._context, self._client
        connected = await client.is_connected()
        quiet = self._quiet_seconds()
        if quiet > DEAF_SECONDS:
            context.health.socket_mode = f"Socket Mode has heard nothing for {quiet:.0f} s; connecting anew"
            self._heard_at = context.monotonic()
            log.warning("socket mode silent", remedy="reconnecting", repeats=True)
            client.wss_uri = None
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    await client.connect_to_new_endpoint(force=True)
            except Exception as error:  # noqa: BLE001 (a boundary: whatever the SDK raises, the next look tries again)
                log.warning("socket mode not connected", why=f"{type(error).__name__}: {error}", repeats=True)
        elif connected:
            context.health.socket_mode = ""
        else:
            client.wss_uri = None  # the SDK's own value for "none yet"
            context.health.socket_mode = "Socket Mode is not connected; trying again with a new address"
        if connected is not self._was_connected:
            log.info("socket mode", connected=connected)
        self._was_connected = connected

    def _quiet_seconds(self) -> float:
        """Seconds since the last hello, envelope or pong, by the monotonic clock; the SDK uses the wall clock."""
        before, self._pong = self._pong, self._client.last_ping_pong_time
        if None not in {before, self._pong} and self._pong != before:
            self._heard_at = self._context.monotonic()
        return self._context.monotonic() - self._heard_at

    async def _heard(self, _: object) -> None:
        self._heard_at = self._context.monotonic()
