"""The Prometheus source: a real server that scrapes a small exporter, and every way in which it can fail."""

import asyncio
import socket
import time
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.metrics.prometheus import Prometheus, build, newest_of
from bot.adapters.metrics.prometheus_pool import PrometheusPool
from bot.adapters.metrics.prometheus_presets import RANDOM, queries
from bot.config import ConfigError
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.scenarios import STOCKOUT
from bot.playground.serving import serving
from bot.ports import Failure, Unreachable
from tests.adapters.back_end import URL, Asked, BackEnd, parts_with, patient_pool
from tests.builders import gaps
from tests.real_prometheus import real_prometheus

POOL = "linux.2xlarge"
EXPOSITION = """
ci_jobs_queued{pool="linux.2xlarge"} 14
ci_job_oldest_wait_seconds{pool="linux.2xlarge"} 6840
ci_runners{pool="linux.2xlarge",state="busy"} 38
ci_runners{pool="linux.2xlarge",state="idle"} 0
ci_runners{pool="linux.2xlarge",state="offline"} 2
ci_runners{pool="linux.2xlarge",state="booting"} 1
ci_runners_limit{pool="linux.2xlarge"} 40
ci_jobs_arrivals_per_minute{pool="linux.2xlarge"} 1.5
ci_jobs_starts_per_minute{pool="linux.2xlarge"} 0.5
ci_job_duration_seconds{pool="linux.2xlarge",quantile="0.5"} NaN
ci_job_wait_seconds{pool="linux.2xlarge",repository="acme/app",workflow="pull",job="build",url="https://x.test/1"} 6840
ci_job_wait_seconds{pool="linux.2xlarge",repository="acme/app",workflow="pull",job="lint",url="javascript:1"} 60
"""
BY_HAND: dict[str, Any] = {
    "queued": f'sum(ci_jobs_queued{{pool="{POOL}"}})',
    "busy": f'ci_runners{{pool="{POOL}"}}',
    "idle": "sum(ci_runners{",
    "limit": "ci_runners[5m]",
    "offline": "ci_nothing",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with real_prometheus(tmp_path_factory.mktemp("prometheus"), lambda _: EXPOSITION) as real:
        real.until("ci_job_wait_seconds", bool)
        yield real.url


def source(
    url: str, wire: HttpPool, at: float, table: Mapping[str, object] | None = None, **figures: object
) -> Prometheus:
    raw = {"kind": "prometheus", "url": url, **(table or {})}
    return build("main", "[metrics.main]", raw, {POOL: figures}, parts_with(wire, {"TOKEN": "secret-token"}, at))


async def look(
    url: str, at: float | None = None, table: Mapping[str, object] | None = None, **figures: object
) -> Snapshot:
    async with patient_pool() as wire:
        return await source(url, wire, at or time.time(), table, **figures).snapshot(POOL)


@pytest.mark.needs("prometheus")
async def test_a_preset_reads_a_whole_pool(server: str) -> None:
    """Every figure of the generic exporter; what does not exist is unknown with its reason, never zero."""
    before = time.time()
    found = await look(server, preset="ci")
    assert (found.queued, found.oldest_wait_seconds, found.limit) == (14, 6840.0, 40)
    assert (found.busy, found.idle, found.offline, found.booting) == (38, 0, 2, 1)
    assert (found.arrivals_per_minute, found.starts_per_minute) == (1.5, 0.5)
    assert found.completions_per_minute is None
    assert found.duration_p50_seconds is None
    assert found.create_failures is None
    assert before <= found.at <= time.time()
    assert found.creates is None
    assert found.provider_up is None
    nothing = {
        *("completions_per_minute", "create_failures", "creates", "failed", "provider_up", "registered"),
        "running_longest_seconds",
    }
    assert set(gaps(found)) == {
        "duration_p50_seconds: the query gave NaN, which is no figure",
        "usual_duration_seconds: the query gave NaN, which is no figure",
        *(f"{name}: the query returned nothing" for name in nothing),
    }


@pytest.mark.needs("prometheus")
async def test_waiting_jobs_are_named_longest_first(server: str) -> None:
    """The exporter's own job label is renamed by Prometheus, and only web addresses become links."""
    found = await look(server, preset="ci")
    assert found.waiting == (
        Job("pull / build", 6840.0, "acme/app", "https://x.test/1"),
        Job("pull / lint", 60.0, "acme/app", ""),
    )


@pytest.mark.needs("prometheus")
async def test_a_query_by_hand_goes_before_the_preset_and_a_bad_one_says_why(server: str) -> None:
    """One wrong query costs one figure; the sentence has the remedy or Prometheus's own words."""
    found = await look(server, preset="ci", **BY_HAND)
    assert found.queued == 14
    why = dict(line.split(": ", 1) for line in gaps(found))
    assert why["busy"] == "the query returned 4 series; wrap it in sum() or max()"
    assert "parse error" in why["idle"]
    assert "matrix" in why["limit"]
    assert why["offline"] == "the query returned nothing"
    assert (found.busy, found.idle, found.limit, found.offline) == (None, None, None, None)


@pytest.mark.needs("prometheus")
async def test_figures_that_are_no_longer_scraped_carry_their_own_time(server: str) -> None:
    """Prometheus goes on answering for five minutes after the last scrape; such a figure is no fresh look."""
    later = time.time() + 100
    stale = await look(server, later, {"max_age": "30s"}, queued=BY_HAND["queued"])
    assert stale.queued == 14
    assert stale.at <= time.time() < later
    fresh = await look(server, later, {"max_age": "2m"}, queued=BY_HAND["queued"])
    assert fresh.at == later


@pytest.mark.needs("prometheus")
async def test_the_past_comes_oldest_first(server: str) -> None:
    """The range API gives queue, wait, busy and idle; a figure without a past is named."""
    now = time.time()
    async with patient_pool() as wire:
        figures: dict[str, Any] = {"preset": "ci", "idle": "ci_nothing", "busy": "ci_runners"}
        past = await source(server, wire, now, **figures).history(POOL, now - 3600, now, 1.0)
    assert past
    assert [look.at for look in past] == sorted(look.at for look in past)
    assert {(look.queued, look.oldest_wait_seconds, look.busy, look.idle) for look in past} == {
        (14, 6840.0, None, None)
    }
    assert past[0].missing == (Gap("busy", "the query returned 4 series", "wrap it in sum() or max()"),)


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


async def test_what_is_usual_is_not_asked_at_every_look() -> None:
    """The long past hardly changes: two looks within a minute ask for it once."""
    back = BackEnd(answer=lambda _: vector("1"))
    prom = source(URL, back.wire(), 1_700_000_123.0, preset="ci")
    first = await prom.snapshot(POOL)
    asked = len(back.asked)
    second = await prom.snapshot(POOL)
    assert len(back.asked) - asked == asked - 3
    assert first.usual_duration_seconds == second.usual_duration_seconds == 1.0


def vector(*values: str, **labels: str) -> tuple[int, object]:
    rows = [{"metric": labels, "value": [1_700_000_000.0, value]} for value in values]
    return 200, {"status": "success", "data": {"resultType": "vector", "result": rows}}


async def test_nobody_answers_at_all() -> None:
    """With every query unanswered there is no snapshot, not one full of unknowns."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(Unreachable, match="cannot be reached") as caught:
        await look(f"http://127.0.0.1:{port}", preset="ci")
    assert caught.value.system == "Prometheus (main)"
    assert caught.value.failure is Failure.UNCONNECTED


async def test_one_query_that_times_out_costs_one_figure() -> None:

    def answer(asked: Asked) -> tuple[int, object]:
        slow = asked.query["query"] == "slow"
        return (503, {"status": "error", "errorType": "timeout", "error": "query timed out"}) if slow else vector("3")

    back = BackEnd(answer=answer)
    found = await source(URL, back.wire(), 1.0, queued="a + b", busy="slow").snapshot(POOL)
    assert (found.queued, found.busy) == (3, None)
    assert gaps(found) == ("busy: failed (HTTP 503): query timed out",)


async def test_wrong_credentials_are_an_error_of_the_source() -> None:
    """401 for every query: the operator must mend the token, so no snapshot hides it."""
    back = BackEnd().says(401, {"message": "invalid token"})
    with pytest.raises(Unreachable) as caught:
        await source(URL, back.wire(), 1.0, preset="ci").snapshot(POOL)
    assert caught.value.failure is Failure.CREDENTIALS


async def test_token_tenant_and_headers_go_with_every_query_at_one_instant() -> None:
    back = BackEnd(answer=lambda _: vector("1"))
    table = {"token_env": "TOKEN", "org_id": "team-a", "headers": {"X-Extra": "1"}}
    await source(URL, back.wire(), 1_700_000_123.0, table, preset="ci").snapshot(POOL)
    for asked in back.asked:
        assert asked.headers["authorization"] == "Bearer secret-token"
        assert (asked.headers["x-scope-orgid"], asked.headers["x-extra"]) == ("team-a", "1")
        assert asked.query["time"] == "1700000123.000"
    assert len(back.asked) == len(PrometheusPool(preset="ci").queries(POOL)) + 1


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
        (
            queries("arc", "x")["queued"],
            (f"gha_assigned_jobs{{{ARC}}}", f"gha_capacity_queued_jobs{{{ARC}}}"),
        ),
    ],
)
def test_only_a_plain_series_tells_its_age(query: str, series: tuple[str, ...]) -> None:
    """timestamp() of anything else is the time of the question."""
    assert newest_of(query) == series


def test_all_problems_of_table_and_pools_come_together() -> None:
    with pytest.raises(ConfigError) as caught:
        source(URL, BackEnd().wire(), 1.0, {"token_env": "NOPE"}, qeued="x")
    assert len(caught.value.problems) == 2


def busy_back_end(broken: str = "") -> tuple[BackEnd, list[str]]:
    """One that has a point of everything; a query with `broken` in it fails."""
    asked: list[str] = []

    def answer(one: Asked) -> tuple[int, object]:
        asked.append(one.query["query"])
        if broken and broken in one.query["query"]:
            return 503, {"error": "overloaded"}
        rows = [{"metric": {}, "values": [[1_700_000_000, "3"]]}]
        return 200, {"status": "success", "data": {"resultType": "matrix", "result": rows}}

    return BackEnd(answer=answer), asked


async def test_a_day_of_the_past_is_whole_or_not_had() -> None:
    """It is asked for once: what did not come this time would be missing for ever. Half an hour may lack a figure."""
    back, asked = busy_back_end(broken="ci_runners_limit")
    prom = source(URL, back.wire(), 1_700_000_123.0, preset="ci")
    (short,) = await prom.history(POOL, 1_699_998_200.0, 1_700_000_000.0, 30.0)
    assert (short.queued, short.limit) == (3, None)
    assert len(asked) == 11
    with pytest.raises(Unreachable, match="overloaded"):
        await prom.history(POOL, 1_699_913_300.0, 1_700_000_000.0, 300.0)


async def test_the_past_leaves_slots_for_the_looks() -> None:
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
