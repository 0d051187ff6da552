"""The numbers of the judgements: each is listed with its origin, so that nobody has to guess where it comes from."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.architecture.tree import Module, Project, last_name

JUDGING = (
    "bot.diagnosis",
    "bot.core.forecast",
    "bot.core.inferring",
    "bot.core.pool",
    "bot.core.machines.room",
    "bot.core.incident.held_cause",
)
"""Where causes and forecasts are found, and where parts of that have moved."""
PLAIN = frozenset({0, 1, 2, 0.5, 60, 3600})
"""None, one, two, a half, and the seconds of a minute and an hour need no origin."""
UNITS = {24: "hours of a day", 168: "hours of a week", 86_400: "seconds of a day", 604_800: "seconds of a week"}
MOST = 280
"""So many numbers at most."""
ORIGIN = re.compile(r"(?:Origin|origin): (.+?)(?:\n\s*\n|\Z)", re.S)


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the code."""

    path: str
    line: int
    value: float
    origin: str
    """Empty if nothing says it."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.value:g}  {self.origin or 'NO ORIGIN'}"


def numbers(project: Project) -> Iterator[Number]:
    """Each number, with the origin in the docstring below its constant or field, in its function's, or in a comment."""
    for module in project.modules(*JUDGING):
        lines, places = module.text.splitlines(), _places(module)
        for node, docs in _told(module.tree):
            if not isinstance(node, ast.Constant):
                continue
            value = node.value
            if not isinstance(value, int | float) or isinstance(value, bool) or value in PLAIN:
                continue
            origin = ORIGIN.search(lines[node.lineno - 1].partition("  # ")[2]) or ORIGIN.search(docs)
            place = "a place in a row" if id(node) in places else UNITS.get(int(value), "")
            yield Number(module.path, node.lineno, value, " ".join(origin[1].split()) if origin else place)


def _places(module: Module) -> set[int]:
    """Numbers that only count the parts of a row: indices, and how often a text is split."""
    splits = [one for call in module.nodes(ast.Call) if last_name(call.func) == "split" for one in call.args]
    return {
        id(one) for node in (*module.nodes(ast.Subscript), *splits) for one in ast.walk(getattr(node, "slice", node))
    }


def _told(body: ast.AST, around: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Every node, with the docstring of its constant or field, else that of its function or class."""
    inner = ast.get_docstring(body) or "" if isinstance(body, ast.FunctionDef | ast.ClassDef) else ""
    children = list(ast.iter_child_nodes(body))
    for child, after in zip(children, [*children[1:], None], strict=False):
        below = _text(after) if isinstance(child, ast.Assign | ast.AnnAssign) else ""
        yield child, below or inner or around
        yield from _told(child, below or inner or around)


def _text(node: ast.AST | None) -> str:
    """The string that stands alone."""
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def report(project: Project) -> tuple[list[str], int]:
    """(lines, exit status): 1 if a number has no origin, or there are too many."""
    found = list(numbers(project))
    without = sum(not one.origin for one in found)
    lines = [*map(str, found), f"{len(found)} numbers, {MOST} at most; {without} without an origin"]
    return lines, int(without > 0 or len(found) > MOST)
