"""Prometheus, and what speaks its query API, as a source of queue figures: each figure is one PromQL query."""

import asyncio
import base64
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from bot.adapters.http import Answer, BaseUrl, Http, bearer
from bot.adapters.metrics.prometheus_answers import Points, Sample, Unknown, one, points, samples, waiting
from bot.adapters.metrics.prometheus_presets import Preset, queries
from bot.adapters.parts import Parts, Problems, read
from bot.config import ConfigError, Seconds, Table
from bot.core.pool import Job, Snapshot
from bot.ports import Failure, Unreachable

WHOLE = frozenset({"queued", "busy", "idle", "offline", "limit", "booting", "create_failures"})
FRACTIONAL = frozenset(
    {
        "oldest_wait_seconds",
        "arrivals_per_minute",
        "starts_per_minute",
        "completions_per_minute",
        "duration_p50_seconds",
    }
)
PAST = ("queued", "oldest_wait_seconds", "busy", "idle")
MOST_POINTS = 10_000
"""Prometheus refuses more than 11,000 points of one series."""
SELECTOR = r"""[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[^{}"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*\})?"""
PLAIN = re.compile(
    rf"\s*(?:(?:sum|max|min|avg|count)\s*(?:(?:by|without)\s*\([^()]*\)\s*)?\(\s*({SELECTOR})\s*\)|({SELECTOR}))\s*"
)


Found = tuple[Sample, ...] | Unknown | Unreachable
"""What one instant query came to."""


def _no_secret(headers: dict[str, str]) -> dict[str, str]:
    if any(name.lower() in {"authorization", "cookie"} for name in headers):
        raise ValueError("credentials are not written here; name their variable in token_env or basic_env")
    return headers


class PrometheusTable(Table):
    """`[metrics.NAME]` with `kind = "prometheus"`."""

    kind: str
    url: BaseUrl
    token_env: str = ""
    basic_env: str = ""
    """Names the variable that holds `user:password`."""
    org_id: str = ""
    """Tenant of Mimir, Cortex or Thanos, sent as X-Scope-OrgID."""
    headers: Annotated[dict[str, str], AfterValidator(_no_secret)] = Field(default_factory=dict)
    max_age: Seconds = 120.0
    """A queue figure scraped longer ago than this carries its own, old time; Prometheus itself hides up to 5 min."""


class PrometheusPool(Table):
    """The keys of `[pool."NAME"]` that belong to Prometheus: a preset, or each figure by hand, or both."""

    preset: Preset | None = None
    known_as: str = ""
    """What the exporter calls this pool; its own name when empty."""
    where: str = ""
    """Further label matchers for the preset, for example `cluster="east"`."""
    queued: str = ""
    oldest_wait_seconds: str = ""
    busy: str = ""
    idle: str = ""
    offline: str = ""
    limit: str = ""
    booting: str = ""
    arrivals_per_minute: str = ""
    starts_per_minute: str = ""
    completions_per_minute: str = ""
    duration_p50_seconds: str = ""
    create_failures: str = ""
    waiting: str = ""

    def queries(self, pool: str) -> dict[str, str]:
        """The query of every figure that can be asked for; one written by hand goes before the preset's."""
        figures = (*WHOLE, *FRACTIONAL, "waiting")
        by_hand = {name: text for name in figures if (text := str(getattr(self, name)).strip())}
        known = queries(self.preset, self.known_as or pool, self.where) if self.preset else {}
        return known | by_hand


class Prometheus:
    """The port `Metrics`. All figures of a snapshot are asked for at once and for the same instant, ours."""

    def __init__(
        self, http: Http, pools: Mapping[str, Mapping[str, str]], now: Callable[[], float], max_age_seconds: float
    ) -> None:
        """`pools`: pool → figure → query. `now` gives epoch seconds."""
        self._http, self._pools, self._now, self._max_age = http, pools, now, max_age_seconds

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; a query that gives no figure leaves it unknown, with the reason in `missing`.

        `at` is the instant of the queries. When `queued` is a plain series, or one aggregation of one, and its newest
        sample is older than `max_age`, `at` is the sample's time: old figures never count as a fresh look. For other
        expressions that cannot be seen, and up to five minutes of lookback stay hidden. Raises Unreachable when no
        query was answered.
        """
        asked, now = self._of(pool), self._now()
        selector = newest_of(asked.get("queued", ""))
        questions = {**asked, **({"": f"max(timestamp({selector}))"} if selector else {})}
        answers = await asyncio.gather(*(self._instant(query, now) for query in questions.values()))
        found = dict(zip(questions, answers, strict=True))
        newest = _figure(found.pop("", Unknown("")))
        self._some([*found.values()])
        old = newest is not None and now - newest > self._max_age
        return _snapshot(pool, newest if old and newest is not None else now, found)

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """Queue, oldest wait, busy and idle over time, oldest first; empty when there is no past to be had."""
        asked = {name: query for name, query in self._of(pool).items() if name in PAST}
        step = max(step_seconds, (until - since) / MOST_POINTS, 1.0)
        answers = await asyncio.gather(*(self._range(query, since, until, step) for query in asked.values()))
        if asked:
            self._some(answers)
        found = dict(zip(asked, answers, strict=True))
        missing = tuple(
            f"{name}: {got.why if isinstance(got, Unknown) else got.what}"
            for name, got in found.items()
            if isinstance(got, Unknown | Unreachable)
        )
        series = {name: got for name, got in found.items() if not isinstance(got, Unknown | Unreachable)}
        times = sorted({at for values in series.values() for at in values})
        return tuple(_past(pool, at, series, missing) for at in times)

    def _of(self, pool: str) -> Mapping[str, str]:
        if pool not in self._pools:
            raise self._http.problem(f"no figures are configured for the pool {pool}", Failure.SHAPE)
        return self._pools[pool]

    def _some(self, answers: Sequence[object]) -> None:
        """Raise the first problem when there is nothing else."""
        problems = [answer for answer in answers if isinstance(answer, Unreachable)]
        if problems and len(problems) == len(answers):
            raise problems[0]

    async def _instant(self, query: str, at: float) -> Found:
        asked = await self._ask("/api/v1/query", {"query": query, "time": f"{at:.3f}"})
        return asked if isinstance(asked, Unreachable) else samples(asked)

    async def _range(self, query: str, since: float, until: float, step: float) -> Points | Unknown | Unreachable:
        span = {"start": f"{since:.3f}", "end": f"{until:.3f}", "step": f"{step:.3f}"}
        asked = await self._ask("/api/v1/query_range", {"query": query, **span})
        return asked if isinstance(asked, Unreachable) else points(asked)

    async def _ask(self, path: str, params: Mapping[str, str]) -> Answer | Unreachable:
        try:
            return await self._http.get(path, params)
        except Unreachable as problem:
            return problem


def newest_of(query: str) -> str | None:
    """The series behind a query whose samples' age can be asked for; None when it is a longer expression."""
    found = PLAIN.fullmatch(query)
    return (found[1] or found[2]) if found else None


def build(
    name: str, place: str, raw: Mapping[str, object], pools: Mapping[str, Mapping[str, object]], parts: Parts
) -> Prometheus:
    """The source from its table and the keys of its pools; raises ConfigError with every problem of all of them."""
    problems, asked = Problems(), dict[str, Mapping[str, str]]()
    table, headers = None, dict[str, str]()
    with problems:
        table = read(PrometheusTable, place, raw)
        headers = _headers(table, place, parts)
    for pool, keys in pools.items():
        with problems:
            asked[pool] = _queries(pool, keys)
    problems.settle()
    if table is None:
        raise ConfigError([f"{place}: cannot be read"])
    http = parts.wire.http(f"Prometheus ({name})", table.url, headers=headers)
    return Prometheus(http, asked, parts.now, table.max_age)


def _headers(table: PrometheusTable, place: str, parts: Parts) -> dict[str, str]:
    if table.token_env and table.basic_env:
        raise ConfigError([f"{place}: token_env and basic_env exclude each other; keep one"])
    headers = {**table.headers, **bearer(parts.token(place, "token_env", table.token_env))}
    if basic := parts.token(place, "basic_env", table.basic_env):
        headers["Authorization"] = f"Basic {base64.b64encode(basic.encode()).decode()}"
    return {**headers, "X-Scope-OrgID": table.org_id} if table.org_id else headers


def _queries(pool: str, keys: Mapping[str, object]) -> dict[str, str]:
    place = f'[pool."{pool}"]'
    found = read(PrometheusPool, place, keys).queries(pool)
    if not found:
        raise ConfigError([f'{place}: has no figures; add preset = "ci" (or arc, gitlab, buildkite), or queued = ...'])
    return found


def _snapshot(pool: str, at: float, found: Mapping[str, Found]) -> Snapshot:
    def whole(name: str) -> int | None:
        value = _figure(found.get(name, Unknown("")))
        return None if value is None else round(value)

    def exact(name: str) -> float | None:
        return _figure(found.get(name, Unknown("")))

    jobs = _jobs(found.get("waiting", Unknown("")))
    return Snapshot(
        pool,
        at,
        queued=whole("queued"),
        oldest_wait_seconds=exact("oldest_wait_seconds"),
        busy=whole("busy"),
        idle=whole("idle"),
        offline=whole("offline"),
        limit=whole("limit"),
        booting=whole("booting"),
        arrivals_per_minute=exact("arrivals_per_minute"),
        starts_per_minute=exact("starts_per_minute"),
        completions_per_minute=exact("completions_per_minute"),
        duration_p50_seconds=exact("duration_p50_seconds"),
        create_failures=whole("create_failures"),
        waiting=jobs if not isinstance(jobs, Unknown) else (),
        missing=tuple(f"{name}: {why}" for name, got in found.items() if (why := _missing(name, got))),
    )


def _figure(found: Found) -> float | None:
    value = found if isinstance(found, Unreachable) else one(found)
    return value if isinstance(value, float) else None


def _jobs(found: Found) -> tuple[Job, ...] | Unknown:
    return Unknown(found.what) if isinstance(found, Unreachable) else waiting(found)


def _missing(name: str, found: Found) -> str:
    """Why a figure that was asked for is unknown; empty when it is known."""
    if isinstance(found, Unreachable):
        return found.what
    value = waiting(found) if name == "waiting" else one(found)
    return value.why if isinstance(value, Unknown) else ""


def _past(pool: str, at: float, series: Mapping[str, Points], missing: tuple[str, ...]) -> Snapshot:
    def whole(name: str) -> int | None:
        value = series.get(name, {}).get(at)
        return None if value is None else round(value)

    wait = series.get("oldest_wait_seconds", {}).get(at)
    return Snapshot(
        pool,
        at,
        queued=whole("queued"),
        oldest_wait_seconds=wait,
        busy=whole("busy"),
        idle=whole("idle"),
        missing=missing,
    )
