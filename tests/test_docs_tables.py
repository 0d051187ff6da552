"""The tables in docs/architecture.md and docs/design/posting.md match the code they describe."""

import importlib
import re

from bot.posting.failures import TABLE, MessageKind
from tests.architecture.layout import BEHAVIORS, BESIDE, HANDLERS, LAYERS
from tests.architecture.tree import ROOT
from tests.docs_pages import page

_CODE = re.compile(r"`([^`]+)`")
_ROW = re.compile(r"^\| (?P<first>[^|]+) \| (?P<second>[^|]+) \| (?P<third>[^|]+) \|(?: (?P<fourth>[^|]+) \|)?$", re.M)


def module_name(path: str) -> str:
    """`bot.ports` for `bot/ports.py`."""
    return path.removesuffix(".py").replace("/", ".")


def message_kinds() -> dict[str, MessageKind]:
    """By name, the kinds of messages that behaviors declare."""
    files = (file for name in BEHAVIORS for file in (ROOT / name.replace(".", "/")).rglob("*.py"))
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
