"""The rules, the dashboard and the routes of docs/examples, checked with the tools of Prometheus and Alertmanager."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import httpx
import pytest
from prometheus_client import generate_latest
from pydantic import BaseModel, ConfigDict, Field

from bot.core.routing import named_pools
from bot.sources.alertmanager import parse
from handlers.http.metrics import REGISTRY
from tests.architecture.tree import ROOT
from tests.builders import rules as rules_of
from tests.integrations.monitoring_figures import lively_metrics
from tests.processes import program
from tests.real_prometheus import RealPrometheus, real_prometheus

EXAMPLES = ROOT / "docs" / "examples"
RULES = EXAMPLES / "prometheus" / "rules.yml"
DASHBOARD = EXAMPLES / "grafana" / "dashboard.json"
ROUTES = EXAMPLES / "alertmanager" / "alertmanager.yml"
WAIT = """
ci_jobs_queued{pool="linux"} 60
ci_job_oldest_wait_seconds{pool="linux"} 2400
ci_runners{pool="linux",state="busy"} 38
ci_runners{pool="linux",state="idle"} 2
ci_runners_limit{pool="linux"} 40
gha_controller_running_listeners{name="gpu",namespace="arc"} 1
"""


class Model(BaseModel):
    """Nothing that the page of Grafana on its classic dashboard model does not name."""

    model_config = ConfigDict(extra="forbid")


class Reference(Model):
    """Which data source."""

    type: Literal["prometheus"]
    uid: Literal["${datasource}"]


class GridPos(Model):
    """24 columns wide; a unit of height is 30 px."""

    h: int = Field(ge=1)
    w: int = Field(ge=1, le=24)
    x: int = Field(ge=0, le=23)
    y: int = Field(ge=0)


class Target(Model):
    """One query of a panel."""

    refId: str = Field(pattern="^[A-Z]$")  # noqa: N815 - Grafana's own name
    datasource: Reference
    expr: str = Field(min_length=1)
    legendFormat: str  # noqa: N815 - Grafana's own name
    instant: bool
    range: bool
    format: Literal["table"] | None = None


class Panel(Model):
    """One panel, or a row's title."""

    id: int
    type: Literal["row", "timeseries", "stat", "table"]
    title: str = Field(min_length=1)
    gridPos: GridPos  # noqa: N815 - Grafana's own name
    description: str = ""
    datasource: Reference | None = None
    fieldConfig: dict[str, object] = Field(default_factory=dict)  # noqa: N815 - Grafana's own name
    options: dict[str, object] = Field(default_factory=dict)
    targets: list[Target] = Field(default_factory=list)
    collapsed: bool | None = None
    panels: list[object] = Field(default_factory=list)


class Variable(BaseModel):
    """A variable; its fields depend on its type."""

    name: str
    type: Literal["datasource", "query"]
    query: str | dict[str, str]


class Dashboard(Model):
    """The classic model, which every Grafana imports."""

    id: None
    uid: str = Field(min_length=8, max_length=40)
    title: str
    description: str
    tags: list[str]
    timezone: str
    editable: bool
    graphTooltip: Literal[0, 1, 2]  # noqa: N815 - Grafana's own name
    panels: list[Panel]
    time: dict[Literal["from", "to"], str]
    timepicker: dict[str, object]
    templating: dict[Literal["list"], list[Variable]]
    annotations: dict[Literal["list"], list[object]]
    refresh: str
    schemaVersion: int = Field(ge=36)  # noqa: N815 - Grafana's own name
    version: int
    links: list[object]


def dashboard() -> Dashboard:
    """The dashboard, read by its model."""
    return Dashboard.model_validate_json(DASHBOARD.read_text("utf-8"))


def asked(expression: str) -> str:
    """An expression as Grafana sends it with every pool chosen."""
    return expression.replace("$pool", ".*").replace("$__rate_interval", "1m")


@pytest.mark.needs("prometheus")
def test_the_rules_are_taken_by_prometheus() -> None:
    assert "SUCCESS: 25 rules found" in program("promtool", "check", "rules", RULES).out


@pytest.mark.needs("prometheus")
def test_every_alert_fires_when_it_should_and_not_before() -> None:
    """`promtool test rules`, and no alert without a test."""
    assert "SUCCESS" in program("promtool", "test", "rules", RULES.with_name("rules_test.yml")).out
    alerts = re.findall(r"- alert: (\w+)", RULES.read_text("utf-8"))
    tests = RULES.with_name("rules_test.yml").read_text("utf-8")
    for alert in alerts:
        assert re.search(rf"- alertname: {alert}\n *eval_time: \w+\n *exp_alerts:\n *- exp_labels", tests), alert
        assert f"alertname: {alert}, eval_time: " in tests, alert


@pytest.mark.needs("amtool")
def test_the_routes_are_taken_by_alertmanager() -> None:
    """`amtool check-config`; queue alerts reach Tailback, alerts on Tailback reach people."""
    assert "SUCCESS" in program("amtool", "check-config", ROUTES).out
    text = RULES.read_text("utf-8")
    for block in re.findall(r"- alert: .*?(?=\n      - |\n\n|\Z)", text, re.DOTALL):
        name = re.findall(r"- alert: (\w+)", block)[0]
        team = re.findall(r"team: (\w+)", block)[0]
        given = [f"--config.file={ROUTES}", f"alertname={name}", f"team={team}"]
        chosen = program("amtool", "config", "routes", "test", *given).out.strip()
        assert chosen == ("people" if team == "tailback" else "tailback"), name


@pytest.mark.parametrize("file", [ROUTES, EXAMPLES.parents[1] / "deploy" / "compose" / "alertmanager.yml"])
def test_the_shipped_routes_follow_the_page_of_alertmanager(file: Path) -> None:
    """Groups beyond the size limit get 413, which Alertmanager does not repeat; it retries for one group interval."""
    text, page = file.read_text("utf-8"), (EXAMPLES.parent / "integrations" / "alertmanager.md").read_text("utf-8")
    for setting in ("group_interval: 1m", "max_alerts: 100"):
        assert setting in text
        assert setting in page


def test_an_alert_of_the_rules_names_its_pool() -> None:
    """The label `pool` says which one, without a word of configuration."""
    labels = {"alertname": "RunnerQueueLong", "pool": "linux", "exporter": "ci", "team": "ci", "priority": "P2"}
    found = parse(json.dumps({"status": "firing", "alerts": [{"status": "firing", "labels": labels}]}).encode())
    assert named_pools(found.alerts, [rules_of("linux", {})]).named == ("linux",)


def test_every_metric_of_tailback_that_is_asked_for_exists() -> None:
    """A renamed metric would leave a panel empty and an alert silent."""
    names = {sample.name for family in REGISTRY.collect() for sample in family.samples}
    names |= {f"{family.name}_total" if family.type == "counter" else family.name for family in REGISTRY.collect()}
    text = RULES.read_text("utf-8") + DASHBOARD.read_text("utf-8")
    assert set(re.findall(r"\btailback_[a-z_]+\b", text)) - names == set()


def test_the_dashboard_is_of_the_documented_model() -> None:
    """Every field is known; ids are unique, panels do not overlap, and every variable that is used is there."""
    found = dashboard()
    assert max(Counter(panel.id for panel in found.panels).values()) == 1
    cells = Counter(
        (x, y)
        for panel in found.panels
        for x in range(panel.gridPos.x, panel.gridPos.x + panel.gridPos.w)
        for y in range(panel.gridPos.y, panel.gridPos.y + panel.gridPos.h)
    )
    assert max(cells.values()) == 1
    assert max(x for x, _ in cells) == 23
    used = set(re.findall(r"\$\{?(\w+)", DASHBOARD.read_text("utf-8")))
    assert used - {variable.name for variable in found.templating["list"]} == {"__rate_interval", "__all"}
    assert [
        panel.title for panel in found.panels if panel.type != "row" and not (panel.targets and panel.description)
    ] == []


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPrometheus]:
    """One that has the rules, and scrapes an exporter and Tailback's own metrics."""

    def shown(_: float) -> str:
        own = generate_latest(lively_metrics(time.time())).decode()
        return WAIT + "\n".join(line for line in own.splitlines() if not line.startswith("#"))

    text = RULES.read_text("utf-8").replace("interval: 30s", "interval: 1s")
    with real_prometheus(tmp_path_factory.mktemp("prometheus"), shown, rules=text) as real:
        real.until("pool:queued_jobs:sum", lambda found: found == [60.0])
        real.until("count_over_time(up[1m])", lambda found: found[0] >= 4)
        yield real


def expressions() -> list[tuple[str, str]]:
    """(panel, expression) of the dashboard."""
    return [(panel.title, target.expr) for panel in dashboard().panels for target in panel.targets]


@pytest.mark.needs("prometheus")
@pytest.mark.parametrize(("panel", "expression"), expressions())
def test_every_panel_shows_something(prometheus: RealPrometheus, panel: str, expression: str) -> None:
    """A real Prometheus understands each expression and has an answer, also over time."""
    prometheus.until(asked(expression), bool)
    now = time.time()
    with httpx.Client(trust_env=False) as http:
        params = {"query": asked(expression), "start": f"{now - 60}", "end": f"{now}", "step": "5"}
        answer = http.get(f"{prometheus.url}/api/v1/query_range", params=params).json()
    assert answer["status"] == "success", answer
    assert answer["data"]["result"], panel


@pytest.mark.needs("prometheus")
def test_the_pools_of_the_variable_are_found(prometheus: RealPrometheus) -> None:
    """`label_values(metric, label)` is what Grafana makes of the series API."""
    (query,) = [one.query for one in dashboard().templating["list"] if one.type == "query"]
    assert isinstance(query, dict)
    metric, label = re.fullmatch(r"label_values\((\S+), (\w+)\)", query["query"]).groups()  # type: ignore[union-attr]
    with httpx.Client(trust_env=False) as http:
        answer = http.get(f"{prometheus.url}/api/v1/label/{label}/values", params={"match[]": metric}).json()
    assert answer["data"] == ["linux"]
