"""The fleet's HTTP routes of the scaler, and plain text pages for people."""

import json
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot.playground.fleet.api.scaler import SimulatedScaler
from bot.playground.fleet.figures import PoolFigures

LARGEST_BODY_BYTES = 10_000


def scaler_routes(scaler: SimulatedScaler) -> list[Route]:
    """Return `GET` and `PUT /pools/{name}`; errors are JSON with a sentence in `error`."""

    async def read(request: Request) -> Response:
        answer = scaler.get(request.path_params["name"])
        return JSONResponse(answer.document, status_code=answer.status)

    async def write(request: Request) -> Response:
        raw = await request.body()
        try:
            body: object = json.loads(raw[:LARGEST_BODY_BYTES])
        except ValueError:
            return JSONResponse({"error": 'the body is not JSON; send {"desired": n}'}, status_code=400)
        answer = scaler.put(request.path_params["name"], body, request.headers.get("idempotency-key", ""))
        return JSONResponse(answer.document, status_code=answer.status)

    return [Route("/pools/{name}", read, methods=["GET"]), Route("/pools/{name}", write, methods=["PUT"])]


def overview_routes(title: str, figures: Callable[[], tuple[PoolFigures, ...]]) -> list[Route]:
    """Return the page that links in alerts lead to: the pools as they are now, in plain text."""

    async def show(_: Request) -> Response:
        return PlainTextResponse("\n".join([title, "", *(_line(f) for f in figures()), ""]))

    paths = ("/", "/graph", "/alerting/grafana/{uid}/view", "/alerting/silence/new", "/runbook")
    return [Route(path, show) for path in paths]


def status_routes(up: Callable[[], bool]) -> list[Route]:
    """Return the status page of the simulated CI provider, for people."""

    async def show(_: Request) -> Response:
        sentence = "operational: jobs are assigned to runners" if up() else "outage: no job is assigned to a runner"
        return PlainTextResponse(f"The simulated CI provider now\n\n{sentence}\n")

    return [Route("/status", show)]


def _line(f: PoolFigures) -> str:
    return (
        f"{f.pool}: {f.queued} queued, oldest {f.oldest_wait_seconds / 60:.0f} simulated min; "
        f"{f.busy} busy, {f.idle} idle, {f.booting} booting, {f.offline} offline, {f.failed} failed; limit {f.limit}"
    )
