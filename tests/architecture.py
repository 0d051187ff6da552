"""Reads the tree of the project for test_house: its modules, what each imports, and where."""

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Import:
    """One imported name: `from a.b import c` is module `a.b`, name `c`; `import a.b` has no name."""

    module: str
    name: str
    line: int
    local: bool
    """Inside a function or a class, not at the top of the module."""

    @property
    def top(self) -> str:
        """The top-level package."""
        return self.module.split(".", 1)[0]


@dataclass(frozen=True)
class Module:
    """One Python file: its path from the root, its dotted name, and its syntax tree."""

    path: str
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        """The dotted name, such as `bot.core.incident.plan`."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text, self.path)

    @cached_property
    def imports(self) -> list[Import]:
        """Everything that is imported anywhere in the file."""
        top = set(map(id, self.tree.body))
        return [
            imported
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for imported in self._names(node, local=id(node) not in top)
        ]

    def at(self, node: ast.stmt | ast.expr | ast.excepthandler | Import | int, what: str) -> str:
        """One finding, in the form that editors can jump to."""
        line = node if isinstance(node, int) else node.line if isinstance(node, Import) else node.lineno
        return f"{self.path}:{line}: {what}"

    def _names(self, node: ast.Import | ast.ImportFrom, *, local: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, "", node.lineno, local) for alias in node.names)
            return
        base = node.module or ""
        if node.level:
            package = self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]
            parts = package.split(".")
            base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
        yield from (Import(base, alias.name, node.lineno, local) for alias in node.names)


def modules(root: Path, *places: str) -> list[Module]:
    """The Python files under these folders of the root; a folder that is not there yet has none."""
    files = sorted(path for place in places for path in (root / place).rglob("*.py"))
    return [Module(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in files]


def targets(imported: Import, known: set[str]) -> str:
    """The module that an import really names: `from bot.core import plan` is `bot.core.plan` if that is a module."""
    whole = f"{imported.module}.{imported.name}" if imported.name else imported.module
    return whole if whole in known else imported.module


def is_standard(imported: Import) -> bool:
    """Whether it belongs to the standard library."""
    return imported.top in sys.stdlib_module_names


def under(name: str, places: Iterable[str]) -> bool:
    """Whether a dotted name is one of these modules or lies inside one of these packages."""
    return any(name == place or name.startswith(f"{place}.") for place in places)


def room(name: str) -> str:
    """The room a module is in: `bot.core`, `bot.context`, `bot.adapters`, `handlers`."""
    return "handlers" if under(name, ["handlers"]) else ".".join(name.split(".")[:2])
