"""Socket Mode: connects beside everything else, never twice by the same address, and says so while it is not there."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bot.desk import Desk

NOTE = "socket_mode"
LOOK_SECONDS = 0.5
PING_SECONDS = 5.0
"""How often the connection is tried out, and how long the SDK waits between two tries to connect."""

log = structlog.get_logger()


@asynccontextmanager
async def socket_mode(desk: Desk, app: AsyncApp) -> AsyncIterator[None]:
    """Deliveries by Socket Mode while the block runs; a Slack that cannot be reached holds up nothing else."""
    desk.notes[NOTE] = "Socket Mode is not connected yet"
    token = desk.settings.env.slack_app_token.get_secret_value()
    handler = AsyncSocketModeHandler(app, token, ping_interval=PING_SECONDS)
    handler.client.web_client.base_url = desk.settings.env.slack_api_url
    tasks = [
        asyncio.create_task(handler.connect_async(), name="socket-mode"),  # type: ignore[no-untyped-call]  # Bolt's own
        asyncio.create_task(_watched(desk, handler), name="socket-mode-watch"),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt's own is untyped


async def _watched(desk: Desk, handler: AsyncSocketModeHandler) -> None:
    """Keep the note true, and take away an address that failed: it works once, and the SDK would try it for ever."""
    client, was_connected = handler.client, False
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        connected = await client.is_connected()
        if connected:
            desk.notes.pop(NOTE, None)
        else:
            client.wss_uri = None  # as the SDK itself says that there is none yet
            desk.notes[NOTE] = "Socket Mode is not connected; trying again with a new address"
        if connected is not was_connected:
            log.info("socket mode", connected=connected)
        was_connected = connected
