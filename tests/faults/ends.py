"""The back ends: an Alertmanager that knows what fires and keeps silences, queue figures, a scaler, a pager."""

import json
import re
import time
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.playground.fleet.alerting.rules import Flavour
from bot.playground.fleet.alerting.silences import Silences
from bot.playground.fleet.api.alertmanager_api import AlertmanagerApi
from tests.invariants import Effect

Json = dict[str, object]
QUERY = re.compile(r'ci_([a-z_]+)\{pool="([^"]+)"\}')
POOL = "linux.big"


@dataclass(slots=True)
class Ends:
    """All back ends in one application; what reached them is kept, and is what the checker believes."""

    firing: list[Json] = field(default_factory=list)
    """Groups as `/api/v2/alerts/groups` shows them."""
    listed: int = 0
    """How often they were shown."""
    silences: Silences = field(default_factory=lambda: Silences(time.time))
    silenced: list[str] = field(default_factory=list)
    """The comments of all silences that were ever created."""
    queued: int = 14
    current: int = 10
    sets: list[tuple[int, str]] = field(default_factory=list)
    """Every (target, idempotency key) that reached the scaler, repeats too."""
    log: list[Effect] = field(default_factory=list)
    """The same with what was before, for tests/invariants.py."""
    paged: list[Json] = field(default_factory=list)
    ahead_seconds: float = 0.0
    """By how much the time of the figures is ahead: for a gap in which nobody ran, and which nobody waited for."""
    complaint: str = ""
    """What every back end answers with HTTP 400 from now on; empty: they work."""

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/api/v1/query", self._query),
                Route("/api/v1/query_range", self._query),
                Route(f"/pools/{POOL}", self._read, methods=["GET"]),
                Route(f"/pools/{POOL}", self._set, methods=["PUT"]),
                Route("/api/v2/alerts", self._alerts),
                Route("/api/v2/alerts/groups", self._groups),
                Route("/api/v2/silences", self._silence, methods=["POST"]),
                Route("/pager", self._page, methods=["POST"]),
                *AlertmanagerApi(Flavour.ALERTMANAGER, self.silences, None, time.time, lambda: "").routes(),
            ]
        )

    def active(self) -> list[Json]:
        now = time.time()
        return [s.as_json(now) for s in self.silences.listed() if s.state(now) == "active"]

    def forget_silences(self) -> None:
        """Lose them all, as an Alertmanager does that is killed (docs/design/measurements.md#silences)."""
        self.silences._kept.clear()

    async def _query(self, request: Request) -> Response:
        if self.complaint:
            return JSONResponse({"status": "error", "errorType": "bad_data", "error": self.complaint}, 400)
        text = request.query_params["query"]
        found = QUERY.search(text)
        figures = {"queued": self.queued, "oldest_wait_seconds": 3600 if self.queued else 0, "busy": self.current}
        value: float | None = figures.get(found[1]) if found and request.url.path.endswith("query") else None
        if value is not None and text.startswith("max(timestamp("):
            value = time.time() + self.ahead_seconds
        kind = "vector" if request.url.path.endswith("query") else "matrix"
        rows = [{"metric": {}, "value": [time.time() + self.ahead_seconds, str(value)]}] if value is not None else []
        return JSONResponse({"status": "success", "data": {"resultType": kind, "result": rows}})

    async def _read(self, _: Request) -> Response:
        if self.complaint:
            return JSONResponse({"error": self.complaint}, 400)
        return JSONResponse({"current": self.current, "min": 0, "max": 40})

    async def _set(self, request: Request) -> Response:
        desired, key = json.loads(await request.body())["desired"], request.headers["idempotency-key"]
        self.sets.append((desired, key))
        self.log.append(Effect(POOL, desired, key, self.current, 40, time.time()))
        self.current = desired
        return JSONResponse({"desired": desired})

    async def _alerts(self, _: Request) -> Response:
        return JSONResponse([alert for group in self.firing for alert in group["alerts"]])  # type: ignore[attr-defined]  # a list, by `firing_group`

    async def _groups(self, _: Request) -> Response:
        self.listed += 1
        return JSONResponse(self.firing)

    async def _silence(self, request: Request) -> Response:
        document = json.loads(await request.body())
        if self.complaint:
            return JSONResponse(self.complaint, 400)
        made = self.silences.post(document)
        self.silenced.append(document["comment"])
        return JSONResponse({"silenceID": made})

    async def _page(self, request: Request) -> Response:
        self.paged.append(json.loads(await request.body()))
        return JSONResponse({})
