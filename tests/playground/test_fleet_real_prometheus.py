"""The playground's evaluator against the real Prometheus: the same samples, the same queries, the same answers."""

import asyncio
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.adapters.prometheus.presets import queries
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.history import History
from bot.playground.fleet.scenarios import STOCKOUT
from bot.playground.serving import serving
from tests.playground.fleet_world import Receiver
from tests.real_servers import prometheus

POOL = "linux.g5.4xlarge.nvidia.gpu"
OTHERS = [
    "ci_provider_up",
    "min(ci_provider_up)",
    "sum by (pool) (ci_jobs_queued)",
    "sum(ci_runners) by (pool, state)",
    'ci_runners{pool=~"linux.*", state!="busy", state!~"off.*|fail.*"}',
    "count(ci_runners)",
    "increase(ci_jobs_arrived_total[2h])",
    "sum by (pool) (increase(ci_jobs_arrived_total[10h])) - sum by (pool) (increase(ci_jobs_arrived_total[2h]))",
    "topk(1, ci_runner_creates_total) by (pool)",
    "topk(2, ci_job_running_seconds)",
    "ci_job_wait_seconds",
    "ci_nothing_of_that_name",
    'sum(ci_jobs_queued{pool="no such pool"})',
    '{__name__=~"ci_jobs_queued|ci_provider_up"}',
]
QUERIES = [*queries("ci", POOL).values(), *OTHERS]
SCRAPE = """
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: fleet
    honor_labels: true
    static_configs: [{{targets: ["{target}"]}}]
    metric_relabel_configs:
      - {{regex: instance, action: labeldrop}}
      - {{source_labels: [job], regex: fleet, target_label: job, replacement: ""}}
"""
Answer = dict[str, Any]


def comparable(answer: Answer, times: bool) -> list[Any]:
    """Return an answer with its rows sorted and its numbers rounded to what floating point may differ in."""
    data = answer["data"]
    assert isinstance(data, dict)
    rows = []
    for row in data["result"]:
        points = row["values"] if "values" in row else [row["value"]]
        rows.append((sorted(row["metric"].items()), [(at if times else 0, rounded(value)) for at, value in points]))
    return sorted(rows)


def rounded(text: str) -> str:
    return f"{float(text):.10g}"


def backfill(folder: Path, history: History) -> None:
    """Write the recorded samples into a database of the real Prometheus; jobs come and go and are left out."""
    lines: list[str] = []
    found = sorted(history.find(None, lambda _: True), key=lambda row: row[0])
    family = ""
    for name, labels, series in found:
        if name == "ci_job_wait_seconds":
            continue
        if name != family:
            family = name
            lines.append(f"# TYPE {name} unknown")
        shown = ",".join(f'{label}="{value}"' for label, value in labels)
        lines += [f"{name}{{{shown}}} {value} {at}" for at, value in zip(series.times, series.values, strict=True)]
    source = folder / "samples.txt"
    source.write_text("\n".join([*lines, "# EOF", ""]), encoding="utf-8")
    command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", str(source), str(folder / "data")]
    subprocess.run(command, check=True, timeout=60)


def trouble() -> FleetStandIn:
    """Return a stand-in whose time is the real one but stands still, so that Prometheus accepts its samples."""
    now = float(int(time.time()))
    return FleetStandIn(STOCKOUT, Surroundings(clock=lambda: now, post=Receiver().post))


async def answer_of(http: httpx.AsyncClient, path: str, **parameters: Any) -> Answer:
    """Return the JSON document of an answer."""
    answer = await http.get(f"/api/v1/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    found: Answer = answer.json()
    return found


OF_JOBS = ("ci_job_wait_seconds", "ci_job_runs_seconds", "ci_job_waits", "ci_job_kinds")
"""Series of single jobs, which come and go: Prometheus ends them with a stale marker, the evaluator without."""


@pytest.mark.needs("prometheus")
async def test_the_same_samples_and_queries_give_the_same_answers(tmp_path: Path) -> None:
    """Every construct that the evaluator knows, rates and their extrapolation included, at several times and spans."""
    fleet = trouble()
    await fleet.step(30)
    backfill(tmp_path, fleet.history)
    end = fleet.now()
    with prometheus(tmp_path, "global: {}") as address:
        transport = httpx.ASGITransport(fleet.app)
        async with (
            httpx.AsyncClient(base_url=address) as real,
            httpx.AsyncClient(transport=transport, base_url="http://fleet.test") as ours,
        ):
            for query in [q for q in QUERIES if not any(single in q for single in OF_JOBS)]:
                for at in (end, end - 37.5 * 60, end - 251 * 60, end - 86_400):
                    answers = [await answer_of(http, "query", query=query, time=at) for http in (real, ours)]
                    assert comparable(answers[0], True) == comparable(answers[1], True), (query, at)
                span = {"query": query, "start": end - 6000, "end": end, "step": 420}
                answers = [await answer_of(http, "query_range", **span) for http in (real, ours)]
                assert comparable(answers[0], True) == comparable(answers[1], True), query


@pytest.mark.needs("prometheus")
async def test_the_real_prometheus_reads_the_exposition_as_the_evaluator_does(tmp_path: Path) -> None:
    """What Prometheus scrapes from /metrics is what the evaluator answers, labels too (topk names any of equals)."""
    fleet = trouble()
    async with serving(fleet.app) as fleet_url:
        with prometheus(tmp_path, SCRAPE.format(target=fleet_url.removeprefix("http://"))) as address:
            async with httpx.AsyncClient(base_url=address) as real, httpx.AsyncClient(base_url=fleet_url) as ours:
                await until_scraped(real)
                for query in [q for q in QUERIES if "[" not in q]:
                    answers = [comparable(await answer_of(http, "query", query=query), False) for http in (real, ours)]
                    if "topk(10" in query:
                        answers = [[points for _, points in rows] for rows in answers]
                    assert answers[0] == answers[1], query


async def until_scraped(http: httpx.AsyncClient) -> None:
    """Wait until the first scrape has been stored, 20 seconds at most."""
    for _ in range(200):
        if (await answer_of(http, "query", query="ci_provider_up"))["data"]["result"]:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("Prometheus stored no scrape of the fleet")
