"""The project's Python files, each parsed once: what a file imports, defines and says."""

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("bot", "handlers")
HEAD_ENDS = ("def ", "async def ", "class ", "@")

Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef


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
        return self.module.split(".", 1)[0]

    @property
    def is_standard(self) -> bool:
        return self.top in sys.stdlib_module_names


@dataclass(frozen=True)
class Module:
    """One Python file: its path from the root, its dotted name, and its syntax tree."""

    path: str
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        """The dotted name, such as `bot.core.plan`."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def stem(self) -> str:
        """The last part of the name; `__init__` for a package."""
        return Path(self.path).stem

    @property
    def folder(self) -> str:
        """The package that holds the file, such as `bot.core`."""
        return Path(self.path).parent.as_posix().replace("/", ".")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def head(self) -> ast.Module:
        """The syntax tree down to the first function or class: docstring and imports, in a fraction of the time."""
        lines = self.text.splitlines(keepends=True)
        end = next((number for number, line in enumerate(lines) if line.startswith(HEAD_ENDS)), len(lines))
        try:
            return ast.parse("".join(lines[:end]), self.path)
        except SyntaxError:  # the line that looked like a function stood in a string
            return self.tree

    @cached_property
    def _nodes(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = {}
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            found.setdefault(type(node), []).append(node)
            waiting.extend(ast.iter_child_nodes(node))
        return found

    def nodes(self, *kinds: type[Node]) -> list[Node]:
        found = [node for kind in kinds for node in self._nodes.get(kind, ()) if isinstance(node, kind)]
        return sorted(found, key=lambda node: getattr(node, "lineno", 0))

    @cached_property
    def functions(self) -> Sequence[Function]:
        return [*self.nodes(ast.FunctionDef), *self.nodes(ast.AsyncFunctionDef)]

    @cached_property
    def imports(self) -> list[Import]:
        top = set(map(id, self.tree.body))
        nodes: list[ast.Import | ast.ImportFrom] = [*self.nodes(ast.Import), *self.nodes(ast.ImportFrom)]
        return [imported for node in nodes for imported in self._names(node, local=id(node) not in top)]

    @cached_property
    def head_imports(self) -> list[Import]:
        """The imports at the top of the file; cheaper than `imports`."""
        nodes = [node for node in self.head.body if isinstance(node, ast.Import | ast.ImportFrom)]
        return [imported for node in nodes for imported in self._names(node, local=False)]

    def at(self, where: ast.AST | Import | int, what: str) -> str:
        line = where if isinstance(where, int) else where.line if isinstance(where, Import) else line_of(where)
        return f"{self.path}:{line}: {what}"

    def _names(self, node: ast.Import | ast.ImportFrom, *, local: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, "", node.lineno, local) for alias in node.names)
            return
        base = node.module or ""
        if node.level:
            package = self.name if self.stem == "__init__" else self.folder
            parts = package.split(".")
            base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
        yield from (Import(base, alias.name, node.lineno, local) for alias in node.names)


@dataclass(frozen=True)
class Project:
    """All Python files of the product and of its tests."""

    root: Path

    def modules(self, *packages: str) -> list[Module]:
        """The files of these packages, all of the product without any; a package that is not there has none."""
        chosen = packages or PRODUCT
        return [module for module in self._modules if under(module.name, chosen)]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(module.name for module in self.modules())

    def target(self, imported: Import) -> str:
        """The module that an import names: `from bot.core import plan` is `bot.core.plan` when that is a module."""
        whole = f"{imported.module}.{imported.name}" if imported.name else imported.module
        return whole if whole in self.names or imported.module in PRODUCT else imported.module

    @cached_property
    def _modules(self) -> list[Module]:
        files = sorted(path for place in (*PRODUCT, "tests") for path in (self.root / place).rglob("*.py"))
        return [Module(path.relative_to(self.root).as_posix(), path.read_text(encoding="utf-8")) for path in files]


@cache
def project(root: Path = ROOT) -> Project:
    """The project at this root, read and parsed once however many rules look at it."""
    return Project(root)


def under(name: str, places: Iterable[str]) -> bool:
    """Whether a dotted name is one of these modules or lies inside one of these packages."""
    return any(name == place or name.startswith(f"{place}.") for place in places)


def line_of(node: ast.AST) -> int:
    line = getattr(node, "lineno", 1)
    return line if isinstance(line, int) else 1


def last_name(node: ast.AST) -> str:
    """`datetime` of `datetime` and of `datetime.datetime`."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_docstring(node: ast.AST) -> bool:
    """Whether a statement is nothing but a string: the description of a module, function, class or attribute."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def length(node: Function) -> int:
    first = node.body[0]
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_docstring(first) else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring
