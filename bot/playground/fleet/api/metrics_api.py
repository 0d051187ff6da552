"""The metrics server's HTTP interface: the exposition, and Prometheus' query API over the recorded history."""

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.playground.fleet.api.joint_query import joined
from bot.playground.fleet.api.promql import BadQuery, instant, over_range
from bot.playground.fleet.history import History
from bot.playground.fleet.metrics import CONTENT_TYPE, Labels, exposition, samples
from bot.playground.fleet.simulation import SimulatedFleet

Clock = Callable[[], float]


def metrics_routes(fleet: SimulatedFleet, history: History, now: Clock) -> list[Route]:
    """Return the routes of the metrics server; `now` gives seconds since 1970."""

    async def show(_: Request) -> Response:
        return Response(exposition(samples(fleet)), media_type=CONTENT_TYPE)

    async def query(request: Request) -> Response:
        return await _guarded(request, lambda parameters: _instant(history, parameters, now))

    async def query_range(request: Request) -> Response:
        return await _guarded(request, lambda parameters: _range(history, parameters))

    both = ["GET", "POST"]
    queries = [Route("/api/v1/query", query, methods=both), Route("/api/v1/query_range", query_range, methods=both)]
    return [Route("/metrics", show), *queries]


async def _guarded(request: Request, answer: Callable[[Mapping[str, str]], Response]) -> Response:
    form = parse_qs((await request.body()).decode()) if request.method == "POST" else {}
    try:
        return answer({**request.query_params, **{name: values[0] for name, values in form.items()}})
    except BadQuery as problem:
        return JSONResponse({"status": "error", "errorType": "bad_data", "error": str(problem)}, status_code=400)


def _instant(history: History, parameters: Mapping[str, str], now: Clock) -> Response:
    at = _number(parameters, "time") if "time" in parameters else now()

    def one(query: str) -> list[tuple[Labels, float]]:
        return [(element.labels, element.value) for element in instant(history, query, at)]

    found = joined(parameters.get("query", ""), one)
    rows = [{"metric": dict(labels), "value": [_shown_time(at), shown(value)]} for labels, value in found]
    return _success({"resultType": "vector", "result": rows})


def _range(history: History, parameters: Mapping[str, str]) -> Response:
    start, end, step = (_number(parameters, name) for name in ("start", "end", "step"))
    rows = [
        {"metric": dict(labels), "values": [[_shown_time(at), shown(value)] for at, value in points]}
        for labels, points in joined(
            parameters.get("query", ""), lambda one: over_range(history, one, start, end, step)
        )
    ]
    return _success({"resultType": "matrix", "result": rows})


def _number(parameters: Mapping[str, str], name: str) -> float:
    try:
        found = float(parameters.get(name, ""))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise BadQuery(f'invalid parameter "{name}": write seconds as a number')
    return found


def shown(value: float) -> str:
    """Return a sample's value as Prometheus writes it: shortest digits, never an exponent."""
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown_time(at: float) -> float | int:
    return int(at) if at == int(at) else round(at, 3)


def _success(data: dict[str, object]) -> Response:
    return Response(json.dumps({"status": "success", "data": data}), media_type="application/json")
