"""Public doors only: nothing of a library is replaced, hidden, derived from or set that its makers did not offer.

Private attributes of others are ruff's (SLF001).
"""

import ast
import re
import tomllib
from collections.abc import Iterator

from tests.architecture.tree import PRODUCT, Import, Module, Project, last_name

HIDDEN = frozenset({("sys", "modules"), ("sys", "meta_path"), ("sys", "path_hooks"), ("gc", "disable")})
DERIVED = frozenset({"BaseModel", "Convertor[str]", "Response"})
"""Classes of libraries that are made to be derived from."""
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("handlers.run", "Server"): "uvicorn.Server.capture_signals: no option leaves the signals to the process",
    ("bot.playground.serving", "_EmbeddedServer"): "the same",
    ("bot.playground.serving", "_Cutting"): "ASGI has no word for cutting a connection, as a broken network does",
    ("bot.adapters.slack.client", "client.proxy"): "without it the SDK takes the proxy of the environment",
    ("handlers.slack_app.socket_mode", "handler.client.proxy"): "the same",
    ("handlers.slack_app.socket_mode", "handler.client.aiohttp_client_session"): (
        "the SDK has no parameter for the certificates and the proxy's login of [slack]"
    ),
}
"""(module, class or target): why it may. The server's path inside the wheel is data: `redis/server/engine.py`."""
_CAP = re.compile(r'^\s*"(?P<name>[\w-]+)[^"]*<(?P<major>\d+)\.(?P<minor>\d+)[^"]*"(?P<reason>.*)$', re.M)


def public_doors(project: Project) -> Iterator[str]:
    """Libraries are used by what they document."""
    used = set[tuple[str, str]]()
    for module in project.modules():
        libraries = {imported.name or imported.top: imported for imported in module.imports if is_library(imported)}
        yield from hidden_parts(module)
        yield from private_imports(module)
        for place, node, what in (*subclasses(module, libraries), *settings(module, libraries)):
            if (module.name, place) in EXCEPTIONS:
                used.add((module.name, place))
            else:
                yield module.at(node, f"{what} {place}; use what the library documents, or list it in EXCEPTIONS")
    if any(module.name == "handlers.run" for module in project.modules()):
        yield from (f"tests/architecture/doors.py:1: {one} is not used" for one in sorted(EXCEPTIONS.keys() - used))
    yield from minor_caps(project)


def is_library(imported: Import) -> bool:
    return not imported.is_standard and imported.top not in {*PRODUCT, "tests", ""}


def hidden_parts(module: Module) -> Iterator[str]:
    for node in module.nodes(ast.Attribute):
        if isinstance(node.value, ast.Name) and (node.value.id, node.attr) in HIDDEN:
            yield module.at(node, f"uses {node.value.id}.{node.attr}; import what is used where it is used")


def private_imports(module: Module) -> Iterator[str]:
    lines = module.text.splitlines()
    for imported in module.imports:
        parts = [*imported.module.split("."), imported.name]
        if is_library(imported) and any(part.startswith("_") for part in parts):
            yield module.at(imported, f"imports the private {'.'.join(filter(None, parts))}")
        if is_library(imported) and "attr-defined" in lines[imported.line - 1]:
            yield module.at(imported, f"imports {imported.name}, which {imported.module} does not export")


def subclasses(module: Module, libraries: dict[str, Import]) -> Iterator[tuple[str, ast.AST, str]]:
    for node in module.nodes(ast.ClassDef):
        for base in node.bases:
            if root(base) in libraries and not {last_name(base), ast.unparse(base)} & DERIVED:
                yield node.name, node, f"derives from {ast.unparse(base)}:"


def settings(module: Module, libraries: dict[str, Import]) -> Iterator[tuple[str, ast.AST, str]]:
    """Attributes that are set on what a library made: a call of its names, or a parameter of its types."""
    for function in (*module.nodes(ast.FunctionDef), *module.nodes(ast.AsyncFunctionDef)):
        theirs = {
            one.arg for one in ast.walk(function) if isinstance(one, ast.arg) and root(one.annotation) in libraries
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and root(node.value.func) in libraries:
                theirs |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        for node in ast.walk(function):
            for target in flat(node.targets) if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Attribute) and root(target) in theirs:
                    yield ast.unparse(target), node, "sets"


def flat(targets: list[ast.expr]) -> Iterator[ast.expr]:
    for target in targets:
        yield from target.elts if isinstance(target, ast.Tuple) else (target,)


def root(node: ast.expr | None) -> str:
    """The name with which an attribute, such as `a.b.c`, begins."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def minor_caps(project: Project) -> Iterator[str]:
    """A dependency is bounded by its major version, or by a minor one with the reason beside it."""
    text = (project.root / "pyproject.toml").read_text("utf-8") if (project.root / "pyproject.toml").exists() else ""
    tomllib.loads(text)
    for found in _CAP.finditer(text):
        if int(found["major"]) > 0 or "#" not in found["reason"]:
            line = text.count("\n", 0, found.start()) + 2
            yield f"pyproject.toml:{line}: {found['name']} is held at a minor version; bound it by its major version"
