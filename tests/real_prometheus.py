"""A real Prometheus or VictoriaMetrics that scrapes a small exporter of ours, and has its past from the start."""

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from starlette.responses import PlainTextResponse

from tests.answering import answering_aside
from tests.patience import PATIENCE_SECONDS, until
from tests.real_servers import prometheus, victoria_metrics

Exposition = Callable[[float], str]
"""Epoch seconds → what the exporter shows then, in Prometheus's text format without comments."""
STEP_SECONDS = 15
RULES = """\
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
"""
SCRAPE = """\
scrape_configs:
- job_name: ci
  scrape_interval: 1s
  static_configs:
  - targets: ['127.0.0.1:{port}']
"""


@dataclass
class Exporter:
    """What is scraped; `shows` may be replaced while it runs."""

    shows: Exposition
    port: int = 0
    honored: bool = False


@dataclass(frozen=True, slots=True)
class RealPrometheus:
    """A running one."""

    url: str
    exporter: Exporter

    def values(self, query: str) -> list[float]:
        with httpx.Client(trust_env=False) as http:
            answer = http.get(f"{self.url}/api/v1/query", params={"query": query})
            assert answer.status_code == 200, answer.text
            found = answer.json()["data"]["result"]
        return [float(row["value"][1]) for row in found]

    def until(self, query: str, holds: Callable[[list[float]], bool]) -> None:
        until(lambda: holds(self.values(query)), lambda: f"{query}, which gives {self.values(query)}")


@contextmanager
def real_prometheus(
    folder: Path, shows: Exposition, past_seconds: float = 0.0, rules: str = "", *, honored: bool = False
) -> Iterator[RealPrometheus]:
    """It scrapes every second; what was shown in the past is in its database from the start. `rules`: a file's text.

    `honored`: the exporter shows many machines, so that its own `instance` and `job` stay.
    """
    exporter = Exporter(shows, honored=honored)
    folder.mkdir(exist_ok=True)
    (folder / "rules.yml").write_text(rules, "utf-8")
    with answering_aside(lambda _: PlainTextResponse(f"{exporter.shows(time.time())}\n")) as exporter.port:
        if past_seconds:
            _backfill(folder, exporter, past_seconds)
        scrape = SCRAPE.replace("- job_name: ci", f"- job_name: ci\n  honor_labels: {str(honored).lower()}")
        with prometheus(folder, RULES + scrape.format(port=exporter.port)) as url:
            real = RealPrometheus(url, exporter)
            real.until("up", lambda found: found == [1.0])
            yield real


@contextmanager
def real_victoria_metrics(folder: Path, shows: Exposition, past_seconds: float) -> Iterator[RealPrometheus]:
    """The same with a VictoriaMetrics, which answers Prometheus's queries."""
    exporter = Exporter(shows)
    with (
        answering_aside(lambda _: PlainTextResponse(f"{exporter.shows(time.time())}\n")) as exporter.port,
        victoria_metrics(folder, SCRAPE.format(port=exporter.port)) as url,
        httpx.Client(trust_env=False) as http,
    ):
        rows = (f"{row}000" for found in _past(exporter, past_seconds).values() for row in found)
        sent = http.post(f"{url}/api/v1/import/prometheus", content="\n".join(rows))
        assert sent.status_code == 204, sent.text
        real = RealPrometheus(url, exporter)
        real.until("up", lambda found: found == [1.0])
        yield real


def _past(exporter: Exporter, past_seconds: float) -> dict[str, list[str]]:
    """Metric → its rows until a moment ago, in seconds, under the labels that scraping gives."""
    now = int(time.time())
    times = range(now - int(past_seconds), now - 4, STEP_SECONDS)
    scraped = f'instance="127.0.0.1:{exporter.port}",job="ci"'
    rows: dict[str, list[str]] = {}
    for at in times:
        for line in exporter.shows(float(at)).split("\n"):
            if not line.strip():
                continue
            series, _, value = line.strip().rpartition(" ")
            own = series if exporter.honored else re.sub(r'([{,])job="', r'\1exported_job="', series)
            name, _, labels = own.partition("{")
            shown = own if exporter.honored else f"{name}{{{scraped},{labels}" if labels else f"{name}{{{scraped}}}"
            rows.setdefault(name, []).append(f"{shown} {value} {at}")
    return rows


def _backfill(folder: Path, exporter: Exporter, past_seconds: float) -> None:
    """Blocks with what was shown until a moment ago."""
    rows = _past(exporter, past_seconds)
    lines = list[str]()
    for name, found in sorted(rows.items()):  # series by series, each in the order of its times
        lines += [f"# TYPE {name} unknown", *sorted(found, key=lambda row: row.rsplit(" ", 2)[0])]
    (folder / "past.txt").write_text("\n".join([*lines, "# EOF", ""]), encoding="utf-8")
    command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", f"{folder}/past.txt", f"{folder}/data"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert result.returncode == 0, result.stderr
