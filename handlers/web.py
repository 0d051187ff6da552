"""The web application: alert intake, Slack's deliveries, health and metrics."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot.core.chore import Chore
from bot.core.forecast import calibration, error_factor, held_share
from bot.core.incident import Incident
from bot.core.pool import Pool
from bot.desk import Desk
from bot.ports import Unreachable
from handlers import alerts, github, metrics
from handlers.bodies import BodyRefused, body_of
from handlers.slack_signature import genuine
from handlers.throttle import Throttle
from handlers.wiring import House

READY_SECONDS = 0.5

log = structlog.get_logger()


class Web:
    """The HTTP doors of one process; `draining` makes `/readyz` say no while the last requests are served."""

    def __init__(self, house: House, slack: AsyncApp) -> None:
        self._house = house
        self._slack = AsyncSlackRequestHandler(slack)
        self._throttle = Throttle(house.desk.monotonic)
        self.draining = False

    def application(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/alerts/{source}", self._alert, methods=["POST"]),
                Route("/github", self._from_github, methods=["POST"]),
                Route("/slack/events", self._from_slack, methods=["POST"]),
                Route("/healthz", self._healthz),
                Route("/readyz", self._readyz),
                Route("/metrics", self._metrics),
            ]
        )

    async def _alert(self, request: Request) -> Response:
        return await alerts.intake(self._house.desk, self._throttle, request)

    async def _from_github(self, request: Request) -> Response:
        return await github.intake(self._house.desk, self._throttle, request)

    async def _from_slack(self, request: Request) -> Response:
        desk = self._house.desk
        secret = desk.settings.env.slack_signing_secret.get_secret_value()
        try:
            body = await body_of(request, most=1024 * 1024)
        except BodyRefused as refused:
            return PlainTextResponse(refused.sentence, refused.status)
        headers = {name.lower(): value for name, value in request.headers.items()}
        if not genuine(headers, body, secret, desk.now()):
            return PlainTextResponse("not signed by Slack", 401)
        return await self._slack.handle(_with_body(request, body))

    async def _healthz(self, _: Request) -> Response:
        return PlainTextResponse("alive")

    async def _readyz(self, _: Request) -> Response:
        found = await readiness(self._house)
        if self.draining:
            found["process"] = "is being stopped"
        ready = not any(found.values())
        entries = {name: {"ok": not why, **({"why": why} if why else {})} for name, why in found.items()}
        return JSONResponse({"ready": ready, "dependencies": entries}, 200 if ready else 503)

    async def _metrics(self, _: Request) -> Response:
        await count(self._house)
        return Response(generate_latest(metrics.REGISTRY), media_type=CONTENT_TYPE_LATEST)


async def readiness(house: House) -> dict[str, str]:
    """One entry per dependency: empty when it works, else why not."""
    desk = house.desk
    found = {"redis": "", "slack": desk.notes.get("slack", "")}
    found["socket_mode"] = desk.notes.get("socket_mode", "")
    found["records"] = desk.notes.get("records", "")
    try:
        async with asyncio.timeout(READY_SECONDS):
            watched = await desk.store.get(Chore, "watch")
            found["slack"] = found["slack"] or (watched.value.note if watched else "")
    except (Unreachable, TimeoutError) as error:
        found["redis"] = str(error) or f"no answer within {READY_SECONDS} s"
    if not found["redis"] and house.store.lost_data():
        found["redis"] = "Redis has lost data; actions are stopped until the records are healed"
    for name, why in found.items():
        metrics.DEPENDENCY.labels(name).set(0 if why else 1)
    return found


async def count(house: House) -> None:
    """Bring the gauges up to date; a store that does not answer leaves them as they were."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            metrics.OPEN.set(len(await house.desk.store.members("open")))
            metrics.WAITING.set(await _longest_wait(house.desk))
            watched = await house.desk.store.get(Chore, "watch")
            since = watched.value.since if watched else None
            metrics.UNDELIVERED.set(0.0 if since is None else max(0.0, house.desk.now() - since))
            await _forecasts(house.desk)
    except (Unreachable, TimeoutError) as error:
        log.warning("gauges not updated", why=str(error) or "time-out")


async def _forecasts(desk: Desk) -> None:
    """How the pools' forecasts and warnings did, from the records: every process and a recount by hand say the same."""
    held = await desk.store.get_many(Pool, list(desk.settings.file.pool))
    for name, pool in held.items():
        good, scored = held_share(pool.value.scores)
        metrics.FORECASTS.labels(name).set(scored)
        metrics.FORECASTS_HELD.labels(name).set(good)
        metrics.FORECAST_WIDENING.labels(name).set(calibration(pool.value.scores).widen)
        if (factor := error_factor(pool.value.scores)) is not None:
            metrics.FORECAST_ERROR.labels(name).set(factor)
        early = pool.value.early
        for outcome, number in (("hit", early.hits), ("false", early.false), ("missed", early.missed)):
            metrics.WARNINGS.labels(name, outcome).set(number)


async def _longest_wait(desk: Desk) -> float:
    """Age of the oldest incident that has no thread yet; seconds, 0 when none waits."""
    file = desk.settings.file
    channels = {file.slack.channel, file.slack.fallback_channel, *(route.channel for route in file.route)}
    ids = {member for channel in channels for member in await desk.store.members(f"waiting:{channel}")}
    held = await desk.store.get_many(Incident, sorted(ids))
    return max((desk.now() - one.value.opened_at for one in held.values()), default=0.0)


def _with_body(request: Request, body: bytes) -> Request:
    """The request again, for Bolt's adapter, which wants to read the body itself."""
    return Request(request.scope, receive=_replayed(body))


def _replayed(body: bytes) -> Callable[[], Awaitable[dict[str, object]]]:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
