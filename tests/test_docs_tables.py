"""The tables in docs/architecture.md and docs/design/posting.md match the code they describe."""

import importlib
import re
import tomllib
from collections.abc import Iterable

from bot.adapters.prometheus.presets import PRESETS
from bot.adapters.registry import METRICS
from bot.adapters.signals.configured import SETS
from bot.core.pool.merge import FIGURES
from bot.core.signals.signal import SignalKind
from bot.diagnosis.rank import possible
from bot.diagnosis.registry import RULES
from bot.posting.failures import TABLE, MessageKind
from bot.views.words.causes import cause_name
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


def gives() -> dict[str, frozenset[str]]:
    """Row: the figures, or kinds of signals, of a pool with this source or set alone; the queue is known to another."""
    found = {}
    for row, (table, keys) in samples().items():
        kind = row.partition(",")[0]
        found[row] = METRICS[kind].can_give("", {**table, "kind": kind}, keys)
    signals = {name: made(example) for name, (_, made, example) in SETS.items()}
    return found | {
        f"signals of {name}": frozenset(one.signal.kind.value for one in of) for name, of in signals.items()
    }


def coded(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def sources_table() -> str:
    """The table of sources and sets, their figures, and the causes that can be found with them."""
    lines = ["| source | figures | causes |", "|---|---|---|"]
    always = set(possible({"queued"}))
    for row, figures in gives().items():
        causes = possible(figures | {"queued"})
        own = [one for one in causes if one not in always] if row.startswith("signals") else causes
        named = [name for name in (*FIGURES, *SignalKind) if name in figures]
        lines.append(f"| {row} | {coded(named)} | {len(own)}: {coded(own)} |")
    return "\n".join(lines)


def causes_table() -> str:
    """The table of causes: the figures without which each is not named, and where these come from."""
    lines = ["| answer | needs | and one of | from |", "|---|---|---|---|"]
    given = gives()
    for cause in dict.fromkeys(rule.cause for rule in RULES):
        rules = [rule for rule in RULES if rule.cause == cause]
        needs = " or ".join(dict.fromkeys(coded(one.needs) for one in rules if one.needs)) or "nothing but the queue"
        if any(one.always for one in rules):
            needs = "nothing"
        further = " or ".join(dict.fromkeys(coded(one.one_of) for one in rules if one.one_of))
        alone = [row for row, figures in given.items() if cause in possible(figures | {"queued"})]
        where = "every source" if len(alone) == len(given) else "; ".join(alone) or OWN
        lines.append(f"| {cause_name(cause)} (`{cause}`) | {needs} | {further} | {where} |")
    return "\n".join(lines)


OWN = "a [signal of your own](signals.md#your-own-signals)"
PAGE = """\
# Which figures do I need for which answer

After reading this page you know which figures a pool needs so that Tailback can name a cause, and where they come from.
Both tables are computed from the code. [Metrics](metrics.md) explains the figures, [signals](signals.md) those of
machines and services, and [diagnosis](../explanation/diagnosis.md) the causes. `tailback check` says the same of your
own pools.

## By answer

Every cause needs the length of the queue, `queued`. Without the figures of its row it is never named. With more figures
it is said with more confidence.

{causes}

## By source

The causes are those of a pool that has this source alone. A source without `queued` is taken beside one that knows the
length of the queue. For a set of signals, only the causes stand here that it adds.

{sources}
"""


def test_the_page_of_figures_and_answers_is_the_one_that_the_code_gives() -> None:
    text = PAGE.format(causes=causes_table(), sources=sources_table())
    same_as_file(ROOT / "docs/reference/answers.md", text)


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
