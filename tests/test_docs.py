"""The pages say what the code does: every setting, variable, verb, metric and story stands there, and nothing else."""

import re
import tomllib
from importlib import import_module
from inspect import get_annotations
from pathlib import Path

import pytest

from bot.adapters import integrations
from bot.adapters.alertmanagers.api_v2 import ApiV2Table
from bot.adapters.aws import AwsRegion
from bot.adapters.build_context import LoginTable, ReachTable
from bot.adapters.github.settings import GitHubCredentials
from bot.adapters.metrics.cloudwatch import Metric
from bot.adapters.prometheus.pool import FRACTIONAL, TALLIES, WHOLE, PrometheusKeys
from bot.adapters.prometheus.presets import PRESETS, queries
from bot.adapters.registry import ALERTMANAGERS, METRICS, SCALERS
from bot.adapters.scalers.cluster import ClusterTable
from bot.adapters.scalers.policy import PolicyTable
from bot.adapters.source import SourceTable
from bot.api_settings import ApiTable, ApiTokenTable
from bot.config import Environment, File, Settings, read_file
from bot.core.finding import Scaling
from bot.diagnosis.registry import RULES
from bot.playground.fleet.scenarios import SCENARIOS
from bot.pool_settings import PoolTable, SignalTable
from bot.registry import ACTIONS
from bot.settings import (
    ActionsTable,
    EarlyTable,
    HttpTable,
    IssuesTable,
    OutsideTable,
    PagerTable,
    PermissionsTable,
    ReportTable,
    RouteTable,
    SenderTable,
    SlackTable,
    SnsTable,
    Table,
    TimingTable,
)
from bot.sources.registry import SOURCES
from handlers.api.openapi import PREFIX
from handlers.doctor.check_settings import of_settings
from handlers.doctor.findings import Level
from handlers.http.metrics import REGISTRY
from handlers.mcp.reads import PATH
from handlers.slack_app.manifest import SCOPES
from tests.architecture.tree import ROOT
from tests.docs_pages import first_code, page, pages, rows
from tests.integrations.test_pages import overview

CONFIGURATION = "docs/reference/settings.md"
TABLES: dict[str, type[Table]] = {
    "`[slack]`": SlackTable,
    "`[[route]]`": RouteTable,
    "`[[sender]]`": SenderTable,
    "`[early]`": EarlyTable,
    "`[outside_slack]`": OutsideTable,
    "`[pager.NAME]`": PagerTable,
    "`[issues]`": IssuesTable,
    "`[actions]`": ActionsTable,
    "`[timing]`": TimingTable,
    "`[report]`": ReportTable,
    "`[permissions]`": PermissionsTable,
    "`[http]`": HttpTable,
    "`[sns]`": SnsTable,
    "`[api]`": ApiTable,
    "A client of the API": ApiTokenTable,
    "How a back end is reached": ReachTable,
    "`[alertmanager.NAME]`": ApiV2Table,
    "`[metrics.NAME]`": SourceTable,
    '`[pool."NAME"]`': PoolTable,
    '`[pool."NAME".scaler]`': PolicyTable,
    "`[signal.NAME]`": SignalTable,
}
"""Heading of docs/reference/settings.md: the table whose settings stand below it."""


def tables_of_kinds() -> dict[tuple[str, str], type[Table]]:
    """Page of an integration and heading: the table whose settings stand below it, besides those of every kind."""
    paths = {kind: f"docs/integrations/{name}.md" for kind, name in overview().items()}
    found: dict[tuple[str, str], type[Table]] = {}
    for kind, source in METRICS.items():
        found |= {(paths[kind], "Settings"): source.table, (paths[kind], "Keys of the pool"): source.pool}
    for package, kinds in {"scalers": SCALERS, "alertmanagers": ALERTMANAGERS}.items():
        for kind in kinds:
            module = import_module(f"bot.adapters.{package}.{kind}")
            classes = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Table)]
            (found[paths[kind], "Settings"],) = (one for one in classes if one.__module__ == module.__name__)
    return found


SECTIONS: dict[tuple[str, str], type[Table]] = {
    **{(CONFIGURATION, title): table for title, table in TABLES.items()},
    **tables_of_kinds(),
    ("docs/integrations/cloudwatch.md", "A metric in `custom`"): Metric,
}


def made_up(text: str) -> dict[str, str]:
    """A value for every variable that a configuration names; one that fits an address, a token and a login."""
    return dict.fromkeys(re.findall(r'\w+_env = "(\w+)"', text), "http://127.0.0.1:1/")


def settings_of(table: type[Table]) -> dict[str, object]:
    """The settings that the section of a table must name, each with its default; those without one are required."""
    common = {part for one in TABLES.values() if one is not table and issubclass(table, one) for part in one.__mro__}
    own = {name for part in table.__mro__ if part not in common for name in get_annotations(part)}
    return {
        name: ... if field.is_required() else field.get_default(call_default_factory=True)
        for name, field in table.model_fields.items()
        if name in own
    }


def tables_below(table: type[Table]) -> set[type[Table]]:
    return {found for below in table.__subclasses__() for found in {below, *tables_below(below)}}


@pytest.mark.parametrize(("path", "title"), SECTIONS)
def test_each_setting_stands_in_its_section_and_no_other_does(path: str, title: str) -> None:
    """A setting without a line is not known to anybody; a line without a setting sends people astray."""
    assert set(rows(page(path).section(title))) == set(settings_of(SECTIONS[path, title]))


@pytest.mark.parametrize(("path", "title"), SECTIONS)
def test_each_documented_default_is_the_real_one(path: str, title: str) -> None:
    """The default column is read like a setting and compared with what the table has; 'required' means so."""
    table = SECTIONS[path, title]
    for name, cells in rows(page(path).section(title)).items():
        default = settings_of(table)[name]
        if (default is ...) != cells[-1].startswith("required"):
            assert name == "channel", f"{title} {name}: says {cells[-1]!r}"
        if len(cells) == 3 and (written := first_code(cells[-1])):
            value = tomllib.loads(f"x = {written}")["x"]
            assert read_as(table, name, value) == default, f"{title} {name}: says {written}"


def read_as(table: type[Table], name: str, value: object) -> object:
    """The value of one setting as the table reads it, beside made-up ones that it requires."""
    given = {"kind": "x", "url": "http://127.0.0.1:1", "url_env": "X", "token_env": "X", "channel": "C0X", "max": 1}
    given |= {"group": "x", "region": "x", "queue_url": "http://127.0.0.1:1", "tags": {"x": "y"}, "namespace": "x"}
    given |= {"metrics": "x", "kind": "service", "counts": "value", "query": "x", "above": 1.0}
    given |= {"name": "x", "read": ["/x"], "set": ["/x", "{target}"]}
    given |= {"repository": "x/x", "file": "x", "pattern": "(x)", "projects": ["x"], "organizations": ["x"]}
    if value == table.model_fields[name].get_default(call_default_factory=True):
        return value
    together = {"token_env", "namespace", "organizations", "above"}
    needed = {key: given[key] for key, field in table.model_fields.items() if field.is_required() or key in together}
    return getattr(table.model_validate({**needed, name: value}), name)


def test_every_table_has_its_section() -> None:
    products = {table for table in tables_below(Table) if table.__module__.startswith("bot.")}
    assert products - {File, Environment, ClusterTable, GitHubCredentials, AwsRegion, LoginTable, PrometheusKeys} == {
        *SECTIONS.values()
    }
    text = page(CONFIGURATION).text
    assert [name for name in File.model_fields if not re.search(rf"^## `\[+{name}\b", text, re.M)] == []


def test_each_variable_is_documented_with_its_default_and_stands_in_the_example() -> None:
    """The environment as bot/config.py reads it, the page, and .env.example name the same variables."""
    documented = rows(page(CONFIGURATION).section("Environment"))
    fields = {name.upper(): field for name, field in Environment.model_fields.items()}
    assert set(documented) == set(fields)
    example = (ROOT / ".env.example").read_text("utf-8")
    assert set(re.findall(r"^#?([A-Z][A-Z0-9_]*)=", example, re.M)) == set(fields)
    assert set(re.findall(r"^# .+\.\n#?([A-Z][A-Z0-9_]*)=", example, re.M)) == set(fields), "each below its comment"
    for name, cells in documented.items():
        default = fields[name].get_default(call_default_factory=True)
        written = first_code(cells[-1])
        if isinstance(default, str | int) and default != "":
            assert written == str(default), name
        if isinstance(default, Path):
            assert Path(written) == default, name


def test_the_table_of_verbs_has_each_verb_and_no_other() -> None:
    """Its usage is written as `help` writes it, which the endpoint itself answers; all else is an action."""
    verbs = rows(page("docs/reference/commands.md").section("`/queue` in a channel, `@tailback` in a thread"))
    assert set(verbs) - {"help"} == {action.usage for action in ACTIONS.values() if action.verb}


def test_each_cause_is_explained_with_its_advice_on_scaling() -> None:
    """The ids are those of `--json`; one row may have several causes."""
    advice = {Scaling.HELPS: "help", Scaling.NO: "do not help", Scaling.HARMFUL: "harm", Scaling.UNKNOWN: "unclear"}
    table = rows(page("docs/explanation/diagnosis.md").section("Causes")).values()
    written = {(name, cells[-1]) for cells in table for name in re.findall(r"`(\w+)`", cells[0])}
    assert written == {(rule.cause, advice[rule.scaling]) for rule in RULES}


def test_each_exported_metric_is_explained_and_no_other() -> None:
    """Names as Prometheus sees them: a counter ends in _total."""
    families = [family for family in REGISTRY.collect() if not family.name.endswith("_created")]
    names = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    assert set(rows(page("docs/reference/metrics.md").section("What Tailback exports"))) == names


def test_each_figure_and_each_preset_is_explained() -> None:
    """The figures of a pool, and the presets with the label that names the pool and the figures they have."""
    metrics = page("docs/reference/metrics.md")
    table = metrics.section("What Tailback asks about a pool")
    assert {*WHOLE, *FRACTIONAL, *TALLIES, "provider_up", "waiting"} - set(re.findall(r"`(\w+)`", table)) == set()
    presets = rows(metrics.section("Presets"))
    assert set(presets) == set(PRESETS)
    for preset, (label, _) in PRESETS.items():
        assert first_code(presets[preset][2]) == label
        named = set(re.findall(r"`(\w+)`", presets[preset][3]))
        assert presets[preset][3] == "all" or set(queries(preset, "x")) <= named


def test_the_queries_on_the_page_are_those_of_the_preset() -> None:
    block = next(block for block in page("docs/reference/metrics.md").code("promql") if "topk" in block)
    assert set(block.splitlines()) == set(queries("ci", "linux.2xlarge").values())


def test_each_story_is_on_the_page_with_whether_scaling_helps() -> None:
    stories = rows(page("docs/try-it.md").section("Scenarios"))
    assert set(stories) == set(SCENARIOS)
    for name, scenario in SCENARIOS.items():
        assert (stories[name][2] == "yes") == scenario.helps, name


def test_the_slack_scopes_on_the_page_are_those_of_the_manifest() -> None:
    text = page("docs/explanation/security.md").section("Least privileges")
    named = set(re.findall(r"`([a-z_.]+:[a-z]+(?:\.[a-z]+)?|commands)`", text))
    refused = {"chat:write.public", "channels:join", "connections:write"}
    assert named - refused == {scope.name for scope in SCOPES}


def test_every_endpoint_is_on_the_page_and_no_other() -> None:
    code = "".join((ROOT / f"handlers/http/{name}.py").read_text("utf-8") for name in ("web", "health"))
    served = set(re.findall(r'Route\("(/[^"]+)"', code)) - {"/alerts/{source}"} | {
        f"/alerts/{name}" for name in SOURCES
    }
    written = rows(page("docs/reference/http.md").section("Endpoints"))
    assert {name.split()[1] for name in written} == served | {f"{PREFIX}/…", PATH}


def toml_blocks() -> list[tuple[str, str]]:
    """(where it stands, text) of every piece of configuration in the docs."""
    examples = [(path.name, path.read_text("utf-8")) for path in sorted((ROOT / "docs/examples").glob("*.toml"))]
    found = [(one.path, block) for one in pages() for block in one.code("toml")]
    return [*examples, *found]


@pytest.mark.parametrize(("where", "text"), toml_blocks(), ids=lambda value: value[:40])
def test_each_piece_of_configuration_is_valid(where: str, text: str) -> None:
    """It is read by the product's own model, and its back ends can be built."""
    settings = Settings(Environment(), File.model_validate(tomllib.loads(text)), made_up(text))
    assert integrations.build(settings, lambda: 0.0).metrics.keys() == {
        name for name, pool in settings.file.pool.items() if pool.metrics
    }, where


def test_the_complete_example_has_no_gaps() -> None:
    path = ROOT / "docs/examples/tailback.toml"
    found = of_settings(Settings(Environment(tailback_config=path), read_file(path), made_up(path.read_text("utf-8"))))
    assert [one.text for one in found if one.area == "configuration" and one.state is not Level.OK] == []
