"""A stand-in for Slack with a real Bolt app behind signed HTTP, and the message that tests act on."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from slack_bolt.async_app import AsyncApp

from bot.playground.slack.settings import Shortcut
from tests.playground.slack_kit import CI, Kit, bolt_app, over_http, parent_blocks, standing
from tests.slack_driver import Message

Body = dict[str, Any]
Ack = Callable[..., Awaitable[object]]


class SlackWithApp:
    """A stand-in, an app that notes what it is told, and the parent message that people act on."""

    def __init__(self, kit: Kit, app: AsyncApp) -> None:
        self.kit = kit
        self.app = app
        self.bodies: list[Body] = []

    async def note(self, ack: Ack, body: Body) -> None:
        self.bodies.append(body)
        await ack()

    async def parent(self, thread_ts: str | None = None) -> Message:
        """Posts the parent, or the same as a reply, and finds it on the screen."""
        await self.kit.client.chat_postMessage(channel=CI, text="open", blocks=parent_blocks(), thread_ts=thread_ts)
        messages = await self.kit.driver.channel("ci").messages()
        return messages[-1]


@asynccontextmanager
async def slack_with_app() -> AsyncIterator[SlackWithApp]:
    async with standing(shortcuts=(Shortcut("ask", "Ask tailback"),)) as kit:
        app = bolt_app(kit)
        async with over_http(kit, app):
            yield SlackWithApp(kit, app)
