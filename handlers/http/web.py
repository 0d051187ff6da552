"""The web application: alert intake, Slack's requests, health and metrics."""

from collections.abc import Awaitable, Callable, Iterable

from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.context.context import Context
from bot.sources.slack_request import check_shape, judged_by_headers, signed
from handlers.http import alerts, github
from handlers.http.body_limits import SIGNED_BYTES, From
from handlers.http.front_door import FrontDoor, address_of, closed, let_in
from handlers.http.health import HealthEndpoints
from handlers.http.store_or_503 import RequestRefused, sender_of
from handlers.http.unreadable import NotRead, reading
from handlers.wiring import Runtime

Further = Callable[[Context, FrontDoor], Iterable[Route]]


class Web(HealthEndpoints):
    def __init__(self, runtime: Runtime, slack: AsyncApp, further: Further = lambda *_: ()) -> None:
        """`further` gives routes beside those for senders."""
        super().__init__(runtime)
        self._further = further
        self._slack = AsyncSlackRequestHandler(slack)
        self.door = FrontDoor(runtime.context, runtime.machine_now)

    def routes(self) -> list[Route]:
        """All routes; `/readyz` and `/metrics` are elsewhere if `TAILBACK_HEALTH_PORT` is set."""
        shared = super().routes()
        return [
            Route("/alerts/{source}", _Intake(self, alerts.intake), methods=["POST"]),
            Route("/github", _Intake(self, github.intake), methods=["POST"]),
            Route("/slack/events", self._from_slack, methods=["POST"]),
            *self._further(self.runtime.context, self.door),
            *(shared if self.runtime.context.settings.env.tailback_health_port is None else shared[:1]),
        ]

    async def _from_slack(self, request: Request) -> Response:
        secret = self.runtime.context.settings.env.slack_signing_secret.get_secret_value()
        headers, door = request.headers.raw, self.door
        try:
            if not secret:
                raise closed("SLACK_SIGNING_SECRET", "; with Socket Mode Slack needs none")
            let_in(judged_by_headers(headers, *door.clocks))
            async with door.body_budget.read(request, From.UNKNOWN, SIGNED_BYTES) as body:
                sender_of(signed(headers, body, secret, *door.clocks))
                return await self._read_by_bolt(request, body)
        except RequestRefused as refused:
            if refused.status == 401:
                await door.throttle.wrong(address_of(request), "slack", refused.why)
            return PlainTextResponse(refused.sentence, refused.status)

    async def _read_by_bolt(self, request: Request, body: bytes) -> Response:
        """Bolt parses the body; one that it cannot read is the sender's mistake, also when it is signed."""

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": body, "more_body": False}

        try:
            with reading():
                check_shape(body, request.headers.get("content-type", ""))
                return await self._slack.handle(Request(request.scope, receive=receive))
        except NotRead:
            return PlainTextResponse("the body cannot be read", 400)


class _Intake:
    """A webhook's endpoint as an ASGI application, without the layer that Starlette puts around functions."""

    def __init__(self, web: Web, intake: Callable[..., Awaitable[Response]]) -> None:
        self._web, self._intake = web, intake

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._intake(self._web.door, Request(scope, receive))
        await response(scope, receive, send)
