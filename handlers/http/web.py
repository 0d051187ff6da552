"""The web application: alert intake, Slack's requests, health and metrics."""

import hmac
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256

import structlog
from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from handlers.http import alerts, github, metrics
from handlers.http.body_limits import BodyBudget
from handlers.http.health import HealthEndpoints
from handlers.http.store_or_503 import RequestRefused
from handlers.http.throttle import Throttle
from handlers.wiring import Runtime

MOST_AGE_SECONDS = 300

log = structlog.get_logger()


class Web(HealthEndpoints):
    """The HTTP endpoints of one process."""

    def __init__(self, runtime: Runtime, slack: AsyncApp) -> None:
        super().__init__(runtime)
        self._slack = AsyncSlackRequestHandler(slack)
        self.throttle = Throttle(runtime.context.monotonic)
        self.body_budget = BodyBudget(runtime.context.settings.file.http.max_body_bytes)

    def routes(self) -> list[Route]:
        """All routes; `/readyz` and `/metrics` are elsewhere if `TAILBACK_HEALTH_PORT` is set."""
        shared = super().routes()
        return [
            Route("/alerts/{source}", _Intake(self, alerts.intake), methods=["POST"]),
            Route("/github", _Intake(self, github.intake), methods=["POST"]),
            Route("/slack/events", self._from_slack, methods=["POST"]),
            *(shared if self.runtime.context.settings.env.tailback_health_port is None else shared[:1]),
        ]

    async def _from_slack(self, request: Request) -> Response:
        context = self.runtime.context
        secret = context.settings.env.slack_signing_secret.get_secret_value()
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            async with self.body_budget.read(request) as body:
                if genuine(headers, body, secret, context.now()):
                    return await self._read_by_bolt(request, body)
        except RequestRefused as refused:
            return PlainTextResponse(refused.sentence, refused.status)
        metrics.SLACK_REFUSED.labels("signature").inc()
        log.warning("Slack's request refused", why="not signed with SLACK_SIGNING_SECRET within 5 min")
        return PlainTextResponse("not signed by Slack", 401)

    async def _read_by_bolt(self, request: Request, body: bytes) -> Response:
        """Bolt parses the body; one that it cannot read is the sender's mistake, also when it is signed."""

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": body, "more_body": False}

        try:
            return await self._slack.handle(Request(request.scope, receive=receive))
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
            metrics.SLACK_REFUSED.labels("unreadable").inc()
            log.warning("Slack's request cannot be read", why=type(error).__name__)
            return PlainTextResponse("the body cannot be read", 400)


class _Intake:
    """A webhook's endpoint as an ASGI application, without the layer that Starlette puts around functions."""

    def __init__(self, web: Web, intake: Callable[..., Awaitable[Response]]) -> None:
        self._web, self._intake = web, intake

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        web = self._web
        request = Request(scope, receive)
        response = await self._intake(web.runtime.context, web.throttle, web.body_budget, request)
        await response(scope, receive, send)


def genuine(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> bool:
    """Whether Slack signed these raw bytes in the last 5 min (docs.slack.dev, verifying requests); never raises.

    Bolt would parse before it verifies (docs/design/measurements.md#bolt-request-checks, SE-3).
    """
    stamp, given = headers.get("x-slack-request-timestamp", ""), headers.get("x-slack-signature", "")
    if not secret or not stamp.isascii() or not stamp.isdigit() or len(stamp) > 12:
        return False
    if abs(now - int(stamp)) > MOST_AGE_SECONDS:
        return False
    wanted = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, sha256).hexdigest()
    return hmac.compare_digest(f"v0={wanted}".encode(), given.encode("utf-8", "replace"))
