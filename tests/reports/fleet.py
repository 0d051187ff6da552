"""A pool behind its real sources and their stand-ins, and the thread of its incident, on a clock in hand."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.adapters.build_context import BuildContext
from bot.adapters.http.client import HttpPool
from bot.adapters.jobs.find import FindJobs
from bot.adapters.jobs.finder import JobFinder
from bot.adapters.metrics.several import Several
from bot.adapters.prometheus.presets import Preset, queries
from bot.adapters.registry import METRICS, SCALERS
from bot.context.context import PoolScaler
from bot.core.incident.incident import State
from bot.core.jobs.answer import JobsAnswer
from bot.core.message import Message
from bot.core.pool.pool import Snapshot
from bot.jobs.find import find_jobs
from bot.ports import Metrics
from tests.adapters.back_end import parts_with
from tests.adapters.github.standin import LABEL, ORG, REPO, GitHubStandIn
from tests.adapters.github.standin import TOKEN as GITHUB_TOKEN
from tests.answering import METHODS
from tests.builders import POOL
from tests.ci_systems import CiSystem, Reply
from tests.fakes import FakeMetrics
from tests.fakes_jobs import FakeJobs
from tests.patience import PATIENCE_SECONDS
from tests.world import World, spoken

Endpoint = Callable[[Request], Awaitable[Response]]
TOKEN = "a-token"
SECRETS = {"T": TOKEN, "K8S": "cluster-token", "LOGIN": "bot:a-token", "GITHUB_TOKEN": GITHUB_TOKEN}


class Hosts(httpx.AsyncBaseTransport):
    """Connections in memory: each host is one stand-in."""

    def __init__(self) -> None:
        self._hosts: dict[str, httpx.ASGITransport] = {}

    def add(self, host: str, endpoint: Endpoint) -> str:
        app = Starlette(routes=[Route("/{path:path}", endpoint, methods=METHODS)])
        self._hosts[f"{host}.test"] = httpx.ASGITransport(app=app)
        return f"http://{host}.test"

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._hosts[request.url.host].handle_async_request(request)


class Fleet:
    """The pool with the sources that were added, in their order."""

    def __init__(self, **pool: Any) -> None:
        """`pool` are settings of it in tailback.toml, such as `boot_time`."""
        self.world = World(pool={POOL: {"match": {"runner_label": POOL}, "scaler": {"kind": "http"}, **pool}})
        self.clock, self.hosts = self.world.clock, Hosts()
        self.jobs = FakeJobs(self.clock)
        self.sources: dict[str, Metrics] = {}
        self.follows: list[Callable[[float], None]] = []
        """What keeps the clocks of stand-ins right."""

    def add(self, kind: str, endpoint: Endpoint, keys: Mapping[str, Any] | None = None, **table: Any) -> Metrics:
        """One more source; `table` and `keys` as in tailback.toml."""
        return self.add_at(kind, keys, url=self.hosts.add(kind.replace("_", "-"), endpoint), **table)

    def webhooks(self, **keys: Any) -> None:
        """GitHub's webhooks alone; `jobs` has what they told."""
        self.add_at("github_webhooks", keys)

    def add_at(self, kind: str, keys: Mapping[str, Any] | None = None, **table: Any) -> Metrics:
        """The same for a stand-in with an address of its own."""
        raw = {"kind": kind, **table}
        parts = replace(parts_with(HttpPool(self.hosts), SECRETS), now=self.clock.now, jobs=self.jobs)
        source = METRICS[kind](kind, f"[metrics.{kind}]", raw, {POOL: keys or {}}, parts)
        self._has(kind, source)
        return source

    def knows(self, kind: str, **figures: Any) -> FakeMetrics:
        """A source whose stand-in is at another place (tests/adapters/metrics): these are its figures."""
        source = FakeMetrics(self.clock)
        source.show(POOL, figures)
        self._has(kind, source)
        return source

    def _has(self, kind: str, source: Metrics) -> None:
        self.sources[kind] = source
        whole = Several(self.sources, PATIENCE_SECONDS) if len(self.sources) > 1 else source
        self.world.context.metrics = {**self.world.context.metrics, POOL: whole}

    def github(self, *, repositories: tuple[str, ...] = (REPO,), **keys: Any) -> GitHubStandIn:
        """GitHub with this pool's label."""
        system = GitHubStandIn(self.clock.now())
        self.follows.append(lambda now: setattr(system, "now", now))
        names = {"organizations": [ORG], "repositories": list(repositories), "token_env": "GITHUB_TOKEN"}
        self.add("github", system._answer, {"label": LABEL, **keys}, **names)
        return system

    def system(self, kind: str, paths: Mapping[str, object], keys: Mapping[str, Any], **table: Any) -> CiSystem:
        """A CI system that answers each path with a body; `says` changes one."""
        system = CiSystem({path: Reply(body) for path, body in paths.items()})
        self.add(kind, system._endpoint, keys, **table)
        return system

    def prometheus(self, preset: Preset = "ci", known_as: str = POOL, **figures: float | None) -> "Prom":
        system = Prom(queries(preset, known_as), self.clock.now, {**figures})
        self.add("prometheus", system.endpoint, {"preset": preset, "known_as": known_as})
        return system

    def scaled_by(self, table: Mapping[str, Any], parts: BuildContext) -> None:
        """The pool's scaler; `table` as in tailback.toml."""
        scaler, policy = SCALERS[table["kind"]](POOL, "[scaler]", {"max": 50, **table}, parts)
        self.world.context.pool_scalers = {POOL: PoolScaler(scaler, policy)}

    async def scaled(self, target: int) -> str:
        """Somebody asks for a size; all that the thread and its plan say after a quarter of an hour."""
        before = len(self.world.thread)
        await self.world.wants(target)
        await self.world.work()
        await self.passes(15)
        return shown(*self.world.thread[before:])

    async def asks_of(self, url: str) -> JobsAnswer:
        """What is known of the jobs of an address."""
        finders = {name: one if isinstance(one, JobFinder) else None for name, one in self.sources.items()}
        self.world.context.jobs = FindJobs(self.jobs, finders, self.clock.now)
        return await find_jobs(self.world.context, url)

    async def fires(self) -> None:
        """The alert, and what follows at once."""
        await self.world.fires()
        await self.world.work()

    async def passes(self, minutes: float, each: Callable[[], None] | None = None) -> None:
        """Time passes, a poll at a time; `each`: what happens in the fleet meanwhile."""
        for _ in range(round(2 * minutes)):
            self.clock.advance(30)
            for follow in self.follows:
                follow(self.clock.now())
            if each:
                each()
            await self.world.work()

    async def resolves(self, minutes: float = 5) -> None:
        """The alert ends, and some minutes pass."""
        await self.world.fires(spoken(firing=False))
        await self.passes(minutes)

    @property
    def state(self) -> State:
        return self.world.incident.state

    @property
    def now(self) -> Snapshot:
        found = self.world.pool_record().latest
        assert found is not None
        return found

    async def diagnosis(self) -> str:
        """What Diagnose says in the thread."""
        before = len(self.world.thread)
        await self.world.says("diagnose")
        await self.world.work()
        return shown(*self.world.thread[before:])

    @property
    def says(self) -> str:
        """The first message, as Slack has it."""
        return shown(self.world.parent.message)


def shown(*messages: Message) -> str:
    """All words of messages."""
    return json.dumps([[one.text, [*one.blocks]] for one in messages], ensure_ascii=False, default=str)


class Prom:
    """What a Prometheus answers to the queries of a preset, by figure; None: no series."""

    def __init__(self, known: Mapping[str, str], now: Callable[[], float], figures: dict[str, float | None]) -> None:
        self.known, self.now, self.figures = {query: name for name, query in known.items()}, now, figures
        self.more: dict[str, Any] = {}
        """Further parts of each answer."""
        self.status = 200
        self.scraped: float | None = None
        """When the newest sample was scraped (epoch seconds); None: now."""

    async def endpoint(self, request: Request) -> Response:
        query = request.query_params["query"]
        value = self.figures.get(self.known.get(query, ""))
        if "timestamp(" in query:
            value = self.scraped
        if request.url.path.endswith("query_range"):
            return JSONResponse({"status": "success", "data": {"resultType": "matrix", "result": []}, **self.more})
        rows = [] if value is None else [{"metric": {}, "value": [self.now(), str(value)]}]
        body = {"status": "success", "data": {"resultType": "vector", "result": rows}, **self.more}
        return JSONResponse(body, self.status)
