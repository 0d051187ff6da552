"""The tables in docs/architecture.md and docs/design/posting.md match the code they describe."""

import importlib
import re
import tomllib

from bot.adapters.prometheus.presets import PRESETS
from bot.adapters.registry import METRICS
from bot.core.pool.merge import FIGURES
from bot.diagnosis.rank import possible
from bot.posting.failures import TABLE, MessageKind
from tests.architecture.layout import BEHAVIORS, BESIDE, HANDLERS, LAYERS
from tests.architecture.tree import ROOT
from tests.docs_pages import page
from tests.generated import same_as_file
from tests.integrations.test_pages import overview

_CODE = re.compile(r"`([^`]+)`")
_ROW = re.compile(r"^\| (?P<first>[^|]+) \| (?P<second>[^|]+) \| (?P<third>[^|]+) \|(?: (?P<fourth>[^|]+) \|)?$", re.M)


SAMPLES: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "github": ({"organizations": ["o"], "token_env": "T", "status_url": "https://s.test"}, {"limit": 1}),
    "github_webhooks": ({}, {"limit": 1}),
    "hud": ({}, {}),
    "buildkite": ({"token_env": "T", "api_token_env": "T"}, {}),
    "gitlab": ({"token_env": "T", "projects": ["g/p"]}, {"slots": 1}),
    "jenkins": ({"url": "http://j.test"}, {}),
    "cloudwatch, preset github_aws_runners": ({"region": "r"}, {"preset": "github_aws_runners", "prefix": "p"}),
    "cloudwatch, preset pytorch": ({"region": "r"}, {"preset": "pytorch", "prefix": "p", "organization": "o"}),
    "ec2_auto_scaling": ({"region": "r"}, {"group": "g"}),
    "kubernetes_events": ({"namespace": "n"}, {}),
    **{f"prometheus, preset {one}": ({"url": "http://p.test"}, {"preset": one}) for one in PRESETS},
}
"""Row of the table of sources: the source's table and a pool's keys, with everything optional that adds figures.

A kind that is missing here has the configuration of its page.
"""


def samples() -> dict[str, tuple[dict[str, object], dict[str, object]]]:
    found = dict(SAMPLES)
    for kind in METRICS.keys() - {row.partition(",")[0] for row in SAMPLES}:
        text = "".join(page(f"docs/integrations/{overview()[kind]}.md").code("toml"))
        read = tomllib.loads(text)
        (table,), (keys, *_) = read["metrics"].values(), read["pool"].values()
        own = METRICS[kind].pool.model_fields
        found[kind] = (table, {key: value for key, value in keys.items() if key in own})
    return found


def sources_table() -> str:
    """The table of sources, their figures, and the causes that can be found with them."""
    lines = ["| source | figures | causes |", "|---|---|---|"]
    for row, (table, keys) in samples().items():
        kind = row.partition(",")[0]
        figures = METRICS[kind].can_give("", {**table, "kind": kind}, keys)
        causes = possible(figures | {"queued"})
        named = [f"`{name}`" for name in FIGURES if name in figures]
        lines.append(f"| {row} | {', '.join(named)} | {len(causes)}: {', '.join(f'`{one}`' for one in causes)} |")
    return "\n".join(lines)


def test_the_table_of_sources_is_the_one_that_the_code_gives() -> None:
    path = ROOT / "docs/reference/metrics.md"
    before, mark, rest = path.read_text("utf-8").partition("<!-- sources -->\n\n")
    after = rest[rest.index("## ") :]
    same_as_file(path, f"{before}{mark}{sources_table()}\n\n{after}")


def module_name(path: str) -> str:
    """`bot.ports` for `bot/ports.py`."""
    return path.removesuffix(".py").replace("/", ".")


def message_kinds() -> dict[str, MessageKind]:
    packages = (*BEHAVIORS, "bot.notifications")
    files = (file for name in packages for file in (ROOT / name.replace(".", "/")).rglob("*.py"))
    modules = [
        importlib.import_module(module_name(str(file.relative_to(ROOT)))) for file in files if "__" not in file.name
    ]
    return {
        value.name: value for module in modules for value in vars(module).values() if isinstance(value, MessageKind)
    }


def test_the_table_of_layers_is_the_one_that_the_architecture_test_enforces() -> None:
    rows = _ROW.finditer(page("docs/architecture.md").section("Packages and layers"))
    documented = {(row["first"], module_name(name)) for row in rows for name in _CODE.findall(row["second"])}
    enforced = {(str(number), name) for number, layer in enumerate([*LAYERS, (HANDLERS,)], 1) for name in layer}
    assert documented == enforced | {("beside", name) for name in BESIDE}


def test_the_table_of_failures_has_every_failure() -> None:
    rows = _ROW.finditer(page("docs/design/posting.md").section("The table"))
    assert [row["first"] for row in rows if "`" in row["first"]] == [f"`{failure.name}`" for failure in TABLE]


def test_every_kind_of_message_that_departs_from_the_table_is_listed_with_its_reason() -> None:
    rows = [row for row in _ROW.finditer(page("docs/design/posting.md").section("Exceptions")) if "`" in row["first"]]
    documented = {
        (row["first"].strip("`"), failure, row["fourth"]) for row in rows for failure in _CODE.findall(row["second"])
    }
    declared = {
        (kind.name, failure.name, rule.reason)
        for kind in message_kinds().values()
        for rules in (kind.posts, kind.edits)
        for failure, rule in rules.items()
    }
    assert documented == declared
