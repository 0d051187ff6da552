"""The Prometheus source: how often it asks, what one failing query costs, and what tells the age of a figure."""

import asyncio
from collections.abc import Mapping

import httpx
import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.metrics.prometheus import Prometheus, build
from bot.adapters.prometheus.pool import PrometheusPool
from bot.adapters.prometheus.presets import RANDOM, queries
from bot.adapters.prometheus.series import beside, newest_of
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.scenarios import STOCKOUT
from bot.playground.serving import serving
from bot.ports import Unreachable
from tests.adapters.back_end import URL, BackEnd, SentRequest, parts_with, patient_pool
from tests.builders import gaps

POOL = "linux.2xlarge"


def source(
    url: str, wire: HttpPool, at: float, table: Mapping[str, object] | None = None, pools: int = 1, **figures: object
) -> Prometheus:
    """A source of so many pools with the same figures; the first is POOL."""
    raw, names = {"kind": "prometheus", "url": url, **(table or {})}, [POOL, *(f"other-{n}" for n in range(pools - 1))]
    parts = parts_with(wire, {"TOKEN": "secret-token"}, at)
    return build("main", "[metrics.main]", raw, dict.fromkeys(names, figures), parts)


async def test_the_simulated_fleet_answers_every_figure_of_the_preset() -> None:
    """The demo's fleet and the preset `ci` speak the same names."""

    async def nowhere(*_: object) -> tuple[int, str]:
        return 200, ""

    at = 1_700_000_000.0
    fleet = FleetStandIn(STOCKOUT, Surroundings(clock=lambda: at, post=nowhere))  # type: ignore[arg-type]  # sends nothing here
    await fleet.step(30)
    pool = next(iter(fleet.fleet.pools))
    async with serving(fleet.app) as url, patient_pool() as wire:
        raw = {"kind": "prometheus", "url": url}
        figures = {"preset": "ci", "window": "15m", "past": "10h", "lately": "2h"}
        prom = build("fleet", "[metrics.fleet]", raw, {pool: figures}, parts_with(wire, at=fleet.now()))
        found = await prom.snapshot(pool)
    assert found.queued is not None
    assert found.busy is not None
    assert not [
        line for line in gaps(found) if line.partition(":")[0] not in {"create_failures", "duration_p50_seconds"}
    ]
    assert found.provider_up is True
    assert found.creates is not None
    assert found.usual_arrivals_per_minute is not None
    assert {source.name for source in found.usual_by_source} >= {source.name for source in found.arrivals_by_source}
    assert "example/torch / pull" in {source.name for source in found.usual_by_source}


async def test_what_is_usual_is_not_asked_at_every_sample() -> None:
    """The long past hardly changes: two samples within a minute ask for it once."""
    back = BackEnd(answer=lambda _: vector("1"))
    prom = source(URL, back.wire(), 1_700_000_123.0, preset="ci")
    first = await prom.snapshot(POOL)
    before = len(back.requests)
    second = await prom.snapshot(POOL)
    assert len(back.requests) - before == before - 3
    assert first.usual_duration_seconds == second.usual_duration_seconds == 1.0


def vector(*values: str, **labels: str) -> tuple[int, object]:
    rows = [{"metric": labels, "value": [1_700_000_000.0, value]} for value in values]
    return 200, {"status": "success", "data": {"resultType": "vector", "result": rows}}


async def test_one_query_that_times_out_costs_one_figure() -> None:
    def answer(request: SentRequest) -> tuple[int, object]:
        slow = request.query["query"] == "slow"
        return (503, {"status": "error", "errorType": "timeout", "error": "query timed out"}) if slow else vector("3")

    back = BackEnd(answer=answer)
    found = await source(URL, back.wire(), 1.0, queued="a + b", busy="slow").snapshot(POOL)
    assert (found.queued, found.busy) == (3, None)
    assert gaps(found) == ("busy: failed (HTTP 503): query timed out",)


async def test_token_tenant_and_headers_go_with_every_query_at_one_instant() -> None:
    back = BackEnd(answer=lambda _: vector("1"))
    table = {"token_env": "TOKEN", "org_id": "team-a", "headers": {"X-Extra": "1"}}
    await source(URL, back.wire(), 1_700_000_123.0, table, preset="ci").snapshot(POOL)
    for request in back.requests:
        assert request.headers["authorization"] == "Bearer secret-token"
        assert (request.headers["x-scope-orgid"], request.headers["x-extra"]) == ("team-a", "1")
        assert request.query["time"] == "1700000123.000"
    assert len(back.requests) == len(PrometheusPool(preset="ci").queries(POOL)) + len(beside("x"))


ARC = f'name=~"x{RANDOM}"'


@pytest.mark.parametrize(
    ("query", "series"),
    [
        ('sum(ci_jobs_queued{pool="a"})', ('ci_jobs_queued{pool="a"}',)),
        ("ci_jobs_queued", ("ci_jobs_queued",)),
        ('max by (pool) (x:y{a="}{",b=~"c|d"})', ('x:y{a="}{",b=~"c|d"}',)),
        ("sum(a) + sum(b)", ()),
        ("sum(rate(a[5m]))", ()),
        ("clamp_min(a, 0)", ()),
        ('clamp_min(sum(a{x="("}) - sum(b), 0)', ('a{x="("}',)),
        ("", ()),
        (queries("arc", "x")["queued"], (f"gha_assigned_jobs{{{ARC}}}", f"gha_capacity_queued_jobs{{{ARC}}}")),
    ],
)
def test_only_a_plain_series_tells_its_age(query: str, series: tuple[str, ...]) -> None:
    """timestamp() of anything else is the time of the question."""
    assert newest_of(query) == series


def busy_back_end(broken: str = "") -> tuple[BackEnd, list[str]]:
    """One that has a point of everything; a query with `broken` in it fails."""
    queries: list[str] = []

    def answer(one: SentRequest) -> tuple[int, object]:
        queries.append(one.query["query"])
        if broken and broken in one.query["query"]:
            return 503, {"error": "overloaded"}
        rows = [{"metric": {}, "values": [[1_700_000_000, "3"]]}]
        return 200, {"status": "success", "data": {"resultType": "matrix", "result": rows}}

    return BackEnd(answer=answer), queries


async def test_a_day_of_the_past_is_whole_or_not_had() -> None:
    """It is asked for once: what did not come this time would be missing for ever. Half an hour may lack a figure."""
    back, queries = busy_back_end(broken="ci_runners_limit")
    prom = source(URL, back.wire(), 1_700_000_123.0, preset="ci")
    (short,) = await prom.history(POOL, 1_699_998_200.0, 1_700_000_000.0, 30.0)
    assert (short.queued, short.limit) == (3, None)
    assert len(queries) == 11
    with pytest.raises(Unreachable, match="overloaded"):
        await prom.history(POOL, 1_699_913_300.0, 1_700_000_000.0, 300.0)


async def test_a_day_that_a_storage_node_did_not_answer_for_is_not_had() -> None:
    body = {"status": "success", "isPartial": True, "data": {"resultType": "matrix", "result": []}}
    prom = source(URL, BackEnd().says(200, body).wire(), 1_700_000_123.0, preset="ci")
    with pytest.raises(Unreachable, match="incomplete: some of VictoriaMetrics' storage nodes"):
        await prom.history(POOL, 1_699_913_300.0, 1_700_000_000.0, 300.0)


async def test_the_past_leaves_slots_for_the_samples() -> None:
    """At most three queries about it are under way at the same time, for all pools together."""
    under_way, most = 0, 0

    async def slow(_: httpx.Request) -> httpx.Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        under_way -= 1
        return httpx.Response(200, json={"status": "success", "data": {"resultType": "matrix", "result": []}})

    async with HttpPool(httpx.MockTransport(slow)) as wire:
        prom = source(URL, wire, 1_700_000_123.0, preset="ci")
        assert await prom.history(POOL, 1_699_913_300.0, 1_700_000_000.0, 300.0) == ()
        hour = prom.history(POOL, 1_699_998_200.0, 1_700_000_000.0, 30.0)
        await asyncio.gather(hour, prom.history(POOL, 1_699_913_300.0, 1_700_000_000.0, 300.0))
    assert most == 3
