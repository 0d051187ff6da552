"""HealthEndpoints, readiness and metrics of a process."""

import asyncio
import contextlib
import shutil

import structlog
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.context.context import Context
from bot.core.external import FOREIGN
from bot.core.forecast.scoring import error_factor, held_share, not_scored, waiting
from bot.core.incident.incident import Incident
from bot.core.pool.backfill import LEFT, DaysLeft, days_left
from bot.core.pool.outlook import LeftOut
from bot.core.pool.pool import Pool
from bot.core.record import Chore
from bot.ports import Unreachable
from bot.views.words.operators import foreign_connections, history_left
from handlers.http import metrics
from handlers.version import VERSION
from handlers.wiring import RECORD_SCHEMA, Runtime

READY_SECONDS = 2.0
"""Time limit of a look: a process that is busy with a storm is not unready, a Redis that does not answer is."""
LEAST_BYTES = 256 * 1024**2
"""Free space on the disk of the embedded Redis below which a warning is due."""

NEEDED = {"redis", "process"}
"""Without these an alert cannot be stored: 503.

Anything else is only degraded: no other process is better off, and a load balancer that removed all of them would
refuse alerts.
"""

NOTED = {"watch": "slack", "pools": "metrics"}
"""Chore → the dependency that its note is about."""

log = structlog.get_logger()


class HealthEndpoints:
    """Serves `/healthz`, `/readyz` and `/metrics`."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    def application(self) -> ASGIApp:
        """The ASGI application. A trailing slash is served, never redirected: a webhook sender may not follow.

        No middleware: uvicorn logs an exception and answers 500 by itself.
        """
        app = Router(self.routes(), redirect_slashes=False)

        async def without_trailing_slash(scope: Scope, receive: Receive, send: Send) -> None:
            path = scope.get("path", "/")
            await app({**scope, "path": path.rstrip("/")} if path.endswith("/") else scope, receive, send)

        return without_trailing_slash

    def routes(self) -> list[Route]:
        """The routes of every process; the first is one that every port has."""
        return [Route("/healthz", self._healthz), Route("/readyz", self._readyz), Route("/metrics", self._metrics)]

    async def _healthz(self, _: Request) -> Response:
        return PlainTextResponse("alive")

    async def _readyz(self, _: Request) -> Response:
        found = await readiness(self.runtime)
        if self.runtime.draining:
            found["process"] = "is being stopped"
        wrong = {name for name, why in found.items() if why}
        ready = not wrong & NEEDED
        entries = {name: {"ok": not why, **({"why": why} if why else {})} for name, why in found.items()}
        answer = {"ready": ready, "degraded": bool(wrong), "version": VERSION, "record_schema": RECORD_SCHEMA}
        answer["dependencies"] = entries
        if (left := await _history(self.runtime.context)) is not None:
            answer["history"] = history_left(left)
        return JSONResponse(answer, 200 if ready else 503)

    async def _metrics(self, _: Request) -> Response:
        await readiness(self.runtime)
        await count(self.runtime)
        return Response(generate_latest(metrics.REGISTRY), media_type=CONTENT_TYPE_LATEST)


async def _history(context: Context) -> DaysLeft | None:
    """The history that is still to be filled in; None also while Redis does not answer."""
    with contextlib.suppress(Unreachable, TimeoutError):
        async with asyncio.timeout(READY_SECONDS):
            return days_left(*await context.store.find_many(LEFT))
    return None


async def readiness(runtime: Runtime) -> dict[str, str]:
    """One entry per dependency: empty if it works, else the reason."""
    context, health, embedded = runtime.context, runtime.context.health, runtime.embedded
    found = {"redis": "", "slack": health.slack, "socket_mode": health.socket_mode, "records": health.records}
    found |= {
        "metrics": "; ".join(health.sources.values()),
        "pagers": "; ".join(filter(None, health.pagers.values())),
        "storage": "",
        "installation": "",
    }
    if embedded and embedded.durable and (free := shutil.disk_usage(embedded.data).free) < LEAST_BYTES:
        found["storage"] = (
            f"only {free // 1024**2} MiB are free at TAILBACK_DATA; make room, or alerts cannot be stored soon"
        )
    try:
        async with asyncio.timeout(READY_SECONDS):
            notes = {name: one.value.note for name, one in (await context.store.get_many(Chore, list(NOTED))).items()}
            found |= {part: found[part] or notes.get(name, "") for name, part in NOTED.items()}
            found["storage"] = await runtime.store.storable() or found["storage"]
            found["installation"] = foreign_connections(await context.store.find(FOREIGN))
    except (Unreachable, TimeoutError) as error:
        found["redis"] = str(error) or f"no answer within {READY_SECONDS:g} s"
    if runtime.store.lost_data():
        found["records"] = "Redis has lost data; actions are stopped until the records are recovered"
    found["audit"], found["clock"] = runtime.store.audit_problem(), runtime.store.clock.problem
    for name, why in found.items():
        metrics.DEPENDENCY.labels(name).set(0 if why else 1)
    return found


async def count(runtime: Runtime) -> None:
    """Update the gauges; when the store does not answer, they keep their values."""
    context, now, file = runtime.context, runtime.context.now(), runtime.context.settings.file
    metrics.CLOCK_STEPS.set(runtime.store.clock.steps)
    for kind, times in context.health.simplified.items():
        metrics.SIMPLIFIED.labels(kind).set(times)
    try:
        async with asyncio.timeout(READY_SECONDS):
            metrics.OPEN.set(len(await context.store.members("open")))
            channels = {file.slack.channel, file.slack.fallback_channel, *(route.channel for route in file.route)}
            ids = {one for channel in channels for one in await context.store.members(f"waiting:{channel}")}
            waiting_ones = (await context.store.get_many(Incident, sorted(ids))).values()
            metrics.WAITING.set(max((now - one.value.opened_at for one in waiting_ones), default=0.0))
            watched = await context.store.get(Chore, "watch")
            since = watched.value.since if watched else None
            metrics.UNDELIVERED.set(0.0 if since is None else max(0.0, now - since))
            await _forecasts(context)
    except (Unreachable, TimeoutError) as error:
        log.warning("gauges not updated", why=str(error) or "time-out", repeats=True)


async def _forecasts(context: Context) -> None:
    """Scores of forecasts and warnings, read from the records so that every process reports the same."""
    held = await context.store.get_many(Pool, list(context.settings.file.pool), newest=True)
    for name, pool in held.items():
        good, scored = held_share(pool.value.scores)
        metrics.FORECASTS.labels(name).set(scored)
        metrics.FORECASTS_HELD.labels(name).set(good)
        missing = not_scored((*pool.value.scores, *waiting(pool.value)))
        for why in LeftOut:
            metrics.FORECASTS_LEFT_OUT.labels(name, why.value).set(missing[why])
        metrics.FORECAST_WIDENING.labels(name).set(pool.value.calibration.widen if pool.value.calibration else 1.0)
        if (factor := error_factor(pool.value.scores)) is not None:
            metrics.FORECAST_ERROR.labels(name).set(factor)
        early = pool.value.early
        for outcome, number in (("hit", early.hits), ("false", early.false), ("missed", early.missed)):
            metrics.WARNINGS.labels(name, outcome).set(number)
