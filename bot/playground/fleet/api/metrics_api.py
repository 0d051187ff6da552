"""The metrics server's HTTP interface: the exposition, and Prometheus' query API over the recorded history."""

import json
import math
from collections.abc import Callable
from decimal import Decimal
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from bot.playground.fleet.api.promql import Element, instant, over_range
from bot.playground.fleet.api.promql_syntax import BadQuery, duration_seconds
from bot.playground.fleet.api.wire import read_time
from bot.playground.fleet.history import History
from bot.playground.fleet.metrics import CONTENT_TYPE, exposition, samples
from bot.playground.fleet.simulation import SimulatedFleet

Clock = Callable[[], float]


def metrics_routes(fleet: SimulatedFleet, history: History, now: Clock) -> list[Route]:
    """Return the routes of the metrics server; `now` gives seconds since 1970."""

    async def show(_: Request) -> Response:
        return Response(exposition(samples(fleet)), media_type=CONTENT_TYPE)

    async def query(request: Request) -> Response:
        return await _guarded(request, lambda asked: _instant(history, asked, now))

    async def query_range(request: Request) -> Response:
        return await _guarded(request, lambda asked: _range(history, asked))

    async def ready(_: Request) -> Response:
        return PlainTextResponse("The playground's metrics server is Ready.\n")

    async def build(_: Request) -> Response:
        return _success({"version": "playground", "revision": "", "branch": "", "buildDate": "", "goVersion": ""})

    return [
        Route("/metrics", show),
        Route("/api/v1/query", query, methods=["GET", "POST"]),
        Route("/api/v1/query_range", query_range, methods=["GET", "POST"]),
        Route("/api/v1/status/buildinfo", build),
        Route("/-/ready", ready),
        Route("/-/healthy", ready),
    ]


async def _guarded(request: Request, answer: Callable[[dict[str, str]], Response]) -> Response:
    asked = dict(request.query_params)
    if request.method == "POST":
        asked |= dict(parse_qsl((await request.body()).decode("utf-8", "replace"), keep_blank_values=True))
    try:
        return answer(asked)
    except BadQuery as problem:
        return JSONResponse({"status": "error", "errorType": "bad_data", "error": str(problem)}, status_code=400)


def _instant(history: History, asked: dict[str, str], now: Clock) -> Response:
    at = _time(asked, "time") if "time" in asked else now()
    found = _named("query", lambda: instant(history, asked.get("query", ""), at))
    if isinstance(found, float):
        return _success({"resultType": "scalar", "result": [_shown_time(at), shown(found)]})
    rows = [{"metric": dict(e.labels), "value": [_shown_time(at), shown(e.value)]} for e in found]
    return _success({"resultType": "vector", "result": rows})


def _range(history: History, asked: dict[str, str]) -> Response:
    start, end, step = _time(asked, "start"), _time(asked, "end"), _step(asked.get("step", ""))
    found = over_range(history, asked.get("query", ""), start, end, step)
    rows = [
        {"metric": dict(labels), "values": [[_shown_time(at), shown(value)] for at, value in points]}
        for labels, points in found
    ]
    return _success({"resultType": "matrix", "result": rows})


def _named(parameter: str, evaluate: Callable[[], float | list[Element]]) -> float | list[Element]:
    try:
        return evaluate()
    except BadQuery as problem:
        raise BadQuery(f'invalid parameter "{parameter}": {problem}') from None


def _time(asked: dict[str, str], name: str) -> float:
    text = asked.get(name, "")
    for read in (float, read_time):
        try:
            at = read(text)
        except ValueError:
            continue
        if math.isfinite(at):
            return at
    raise BadQuery(f'invalid parameter "{name}": cannot parse "{text}" to a valid timestamp')


def _step(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        try:
            return duration_seconds(text)
        except BadQuery:
            seconds = math.nan
    if not math.isfinite(seconds):
        raise BadQuery(f'invalid parameter "step": cannot parse "{text}" to a valid duration')
    return seconds


def shown(value: float) -> str:
    """Return a sample's value as Prometheus writes it: shortest digits, never an exponent."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown_time(at: float) -> float | int:
    return int(at) if at == int(at) else round(at, 3)


def _success(data: dict[str, object]) -> Response:
    return Response(json.dumps({"status": "success", "data": data}), media_type="application/json")
