"""Back ends behind real HTTP whose figures a test sets by hand: queue metrics, a scaler, and a keeper of silences."""

import asyncio
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
from bot.playground.serving import ABORT
from tests.invariants import Effect

QUERY = re.compile(r'ci_([a-z_]+)\{pool="([^"]+)"\}')
TOKEN = "farm-token"


@dataclass(slots=True)
class Pool:
    """A pool as it is now; None: the metric has no sample."""

    queued: int | None = 0
    oldest_wait_seconds: float | None = 0.0
    busy: int | None = 10
    idle: int | None = 0
    offline: int | None = 0
    limit: int | None = 20
    current: int = 10
    """What its scaler says is set."""
    ceiling: int = 40


def _open() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


@dataclass(slots=True)
class Farm:
    """Pools by name. `sets` are the targets that reached the scaler and were new to it: (pool, target, key)."""

    pools: dict[str, Pool] = field(default_factory=dict)
    sets: list[tuple[str, int, str]] = field(default_factory=list)
    log: list[Effect] = field(default_factory=list)
    """The same with what was before, for tests/invariants.py."""
    silences: dict[Flavour, Silences] = field(default_factory=lambda: {f: Silences(time.time) for f in Flavour})
    blind: bool = False
    """Whether the metric source cuts every connection."""
    queries: int = 0
    """Queries that were answered."""
    cut: int = 0
    """Queries that were not."""
    hold: asyncio.Event = field(default_factory=_open)
    """While it is clear, the scaler takes targets and does not answer."""

    def queue(self, pool: str, queued: int | None, minutes: float | None) -> None:
        """So many jobs wait now, the oldest for so many minutes; None: nobody knows."""
        found = self.pools.setdefault(pool, Pool())
        found.queued, found.oldest_wait_seconds = queued, None if minutes is None else minutes * 60

    def drain(self) -> None:
        for name in self.pools:
            self.queue(name, 0, 0)

    def kept(self, flavour: Flavour = Flavour.ALERTMANAGER) -> list[dict[str, object]]:
        """The silences as the API shows them, active first."""
        return [silence.as_json(time.time()) for silence in self.silences[flavour].listed()]

    def app(self) -> Starlette:
        """The application: `/api/v1/query`, `/pools/NAME`, and the Alertmanager API of both flavours."""
        apis = [AlertmanagerApi(f, kept, None, time.time, lambda: "", TOKEN) for f, kept in self.silences.items()]
        return Starlette(
            routes=[
                Route("/api/v1/query", self._query),
                Route("/api/v1/query_range", self._query),
                Route("/pools/{name}", self._read, methods=["GET"]),
                Route("/pools/{name}", self._write, methods=["PUT"]),
                *(route for api in apis for route in api.routes()),
            ]
        )

    async def _query(self, request: Request) -> Response:
        if self.blind:
            self.cut += 1
            request.scope["extensions"][ABORT]()
        self.queries += 1
        text = request.query_params["query"]
        found = QUERY.search(text)
        pool = self.pools.get(found[2]) if found else None
        value = getattr(pool, found[1]) if pool is not None and found else None
        if text.startswith("max(timestamp("):
            value = None if value is None else time.time()
        vector = request.url.path.endswith("query") and value is not None
        rows = [{"metric": {}, "value": [time.time(), str(value)]}] if vector else []
        kind = "vector" if request.url.path.endswith("query") else "matrix"
        return JSONResponse({"status": "success", "data": {"resultType": kind, "result": rows}})

    async def _read(self, request: Request) -> Response:
        pool = self.pools[request.path_params["name"]]
        return JSONResponse({"current": pool.current, "min": 0, "max": pool.ceiling})

    async def _write(self, request: Request) -> Response:
        name, key = request.path_params["name"], request.headers["idempotency-key"]
        desired = json.loads(await request.body())["desired"]
        if key not in {known for _, _, known in self.sets}:
            self.sets.append((name, desired, key))
            pool = self.pools[name]
            self.log.append(Effect(name, desired, key, pool.current, pool.ceiling, time.time()))
            pool.current = desired
        await self.hold.wait()
        return JSONResponse({"desired": desired})
