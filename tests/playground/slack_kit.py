"""What the tests of the stand-in for Slack share: one that is served, the real SDK, a real Bolt app, sample blocks."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from starlette.requests import Request
from starlette.responses import Response

from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.limits import Limits
from bot.playground.slack.settings import Shortcut, WorkspaceSettings
from tests.answering import answering
from tests.slack_driver import Message, SlackDriver

CI, RANDOM = "C0CIONCALL", "C0RANDOM"


class Clock:
    """Real time that a test can push forward; signatures keep the real time that Bolt compares with."""

    def __init__(self) -> None:
        self.pushed_seconds = 0.0
        self.stopped_at_seconds: float | None = None

    def __call__(self) -> float:
        now = time.time() if self.stopped_at_seconds is None else self.stopped_at_seconds
        return now + self.pushed_seconds

    def stop(self) -> None:
        """From now on only `advance` lets time pass, however slow the machine is."""
        self.stopped_at_seconds = time.time()

    def advance(self, seconds: float) -> None:
        self.pushed_seconds += seconds


@dataclass
class Kit:
    """A stand-in that is served, with a bot's client and a person's driver."""

    stand_in: SlackStandIn
    clock: Clock
    url: str
    client: AsyncWebClient
    driver: SlackDriver


def client_of(url: str, token: str = "xoxb-demo") -> AsyncWebClient:
    """The SDK's client the way the product makes it: no retries of its own."""
    return AsyncWebClient(token, base_url=f"{url}/api/", retry_handlers=[])


@asynccontextmanager
async def standing(limits: Limits | None = None, **settings: Any) -> AsyncIterator[Kit]:
    clock = Clock()
    stand_in = SlackStandIn(clock=clock, wall_clock=time.time, limits=limits, settings=WorkspaceSettings(**settings))
    async with stand_in.serve() as url, SlackDriver(url) as driver:
        yield Kit(stand_in, clock, url, client_of(url), driver)


def bolt_app(kit: Kit) -> AsyncApp:
    """A real Bolt app that talks to the stand-in and answers after its listeners ran."""
    return AsyncApp(client=kit.client, signing_secret="demo-signing-secret", process_before_response=True)


@asynccontextmanager
async def over_http(kit: Kit, app: AsyncApp) -> AsyncIterator[None]:
    """Serves the app's request URL by HTTP and tells the stand-in of it."""
    handler = AsyncSlackRequestHandler(app)

    async def endpoint(request: Request) -> Response:
        return await handler.handle(request)

    async with answering(endpoint) as url:
        kit.stand_in.settings.request_url = f"{url}/slack/events"
        yield


async def refusal(call: Awaitable[object]) -> SlackApiError:
    """The error that the SDK raises for a call that must not succeed."""
    try:
        await call
    except SlackApiError as error:
        return error
    raise AssertionError("the call succeeded")


async def code(call: Awaitable[object]) -> str:
    """The error code that a call is answered with."""
    return str((await refusal(call)).response["error"])


def plain(text: str) -> dict[str, object]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, object]:
    return {"type": "mrkdwn", "text": text}


def section(text: str) -> dict[str, object]:
    return {"type": "section", "text": mrkdwn(text)}


def button(label: str, action_id: str, **more: object) -> dict[str, object]:
    return {"type": "button", "text": plain(label), "action_id": action_id, "value": f"act-{action_id}", **more}


def options(*labels: str) -> list[dict[str, object]]:
    """Options whose values are their texts in lower case."""
    return [{"text": plain(label), "value": label.lower()} for label in labels]


def parent_blocks() -> list[dict[str, object]]:
    """A message with buttons and an overflow menu."""
    menu = {"type": "overflow", "action_id": "more", "options": options("Close incident", "Mute updates")}
    buttons = [button("Acknowledge", "ack"), button("Scale up", "scale_up"), menu]
    return [
        {"type": "header", "text": plain("OPEN: linux.2xlarge is queueing")},
        section("14 jobs, oldest 114 min"),
        {"type": "actions", "elements": buttons},
    ]


def modal(title: str = "Scale up", **more: object) -> dict[str, object]:
    number = {"type": "number_input", "action_id": "n", "is_decimal_allowed": False}
    menu = {"type": "static_select", "action_id": "s", "options": options("15 min", "1 hour")}
    note = {"type": "plain_text_input", "action_id": "t"}
    return {
        "type": "modal",
        "callback_id": "scale",
        "private_metadata": "inc-1",
        "title": plain(title),
        "submit": plain("Scale"),
        "blocks": [
            {"type": "input", "block_id": "target", "label": plain("Target"), "element": number},
            {"type": "input", "block_id": "lease", "label": plain("Lease"), "element": menu, "optional": True},
            {"type": "input", "block_id": "note", "label": plain("Note"), "element": note, "optional": True},
        ],
        **more,
    }


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
