"""The rule that keeps untrusted text out of markup, read from the code itself (C5)."""

import ast
from pathlib import Path

import pytest

VIEWS = Path(__file__).parents[2] / "bot" / "views"
FILES = sorted(path for path in VIEWS.rglob("*.py") if path.name not in {"mrkdwn.py", "__init__.py"})


def calls(path: Path, name: str) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [node for node in nodes if isinstance(node.func, ast.Name) and node.func.id == name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_template_is_a_literal(path: Path) -> None:
    for name in ("say", "joined"):
        for call in calls(path, name):
            assert isinstance(call.args[0], ast.Constant), f"{path.name}:{call.lineno} builds a template"
            assert all(not isinstance(part, ast.JoinedStr) for part in call.args), f"{path.name}:{call.lineno}"


@pytest.mark.parametrize("path", [path for path in FILES if path.name != "blocks.py"], ids=lambda path: path.name)
def test_nobody_declares_text_safe_outside_its_one_module(path: Path) -> None:
    assert calls(path, "Marked") == []


@pytest.mark.parametrize("path", [path for path in FILES if path.name != "blocks.py"], ids=lambda path: path.name)
def test_no_text_object_is_made_by_hand(path: Path) -> None:
    assert '"mrkdwn"' not in path.read_text(encoding="utf-8")
    assert '"plain_text"' not in path.read_text(encoding="utf-8")
