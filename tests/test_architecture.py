"""The house rules of the project, each as one test that names file, line and remedy."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.architecture import ROOT, Import, Module, is_standard, modules, room, targets, under

PURE = ["bot.core", "bot.sources", "bot.diagnosis", "bot.views"]
GROUND = ["bot.core"]
FIRST = [*PURE, "bot.ports", "bot.settings", "bot.config"]
BEHAVIORS = [
    f"bot.{name}"
    for name in (
        *("context", "posting", "requests", "incidents", "scaling", "silencing", "diagnosing"),
        *("measuring", "warnings", "reporting", "maintenance", "registry"),
    )
]
FLOORS = {
    "bot.core": GROUND,
    "bot.ports": GROUND,
    "bot.settings": GROUND,
    "bot.config": [*GROUND, "bot.settings"],
    "bot.sources": GROUND,
    "bot.diagnosis": GROUND,
    "bot.views": GROUND,
    "bot.adapters": FIRST,
    **{name: [*FIRST, *BEHAVIORS] for name in BEHAVIORS},
    "bot.playground": FIRST,
    "handlers": [*FIRST, "bot.adapters", *BEHAVIORS, "bot.playground"],
}
"""Room: what it may import besides itself. Arrows go down; stories and actions share a floor."""

WALLS = {
    "httpx": ["bot.adapters"],
    "redis": ["bot.adapters"],
    "boto3": ["bot.adapters"],
    "botocore": ["bot.adapters"],
    "cryptography": ["bot.adapters"],
    "jwt": ["bot.adapters"],
    "PIL": ["bot.adapters"],
    "slack_bolt": ["handlers", "bot.playground"],
    "apscheduler": ["handlers", "bot.playground"],
    "starlette": ["handlers", "bot.playground"],
}
SLACK_CLIENTS = [f"slack_sdk.{part}" for part in ("web", "webhook", "http_retry", "socket_mode", "scim", "audit_logs")]
CLOCKS = {
    "time": {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "gmtime", "localtime"},
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
    "os": {"environ", "environb", "getenv", "getenvb"},
}
READERS = ["handlers.wiring", "bot.config"]
DOORS = ["handlers", "bot.playground"]
PLAY = ["handlers.cli", "handlers.tools.demo", "handlers.tools.replay", "handlers.tools.player"]
"""The doors that may open the playground; the processes of an installation are not among them."""
REGISTRIES = [
    "bot/sources",
    "bot/diagnosis",
    *("bot/scaling", "bot/silencing"),
    *("bot/adapters/metrics", "bot/adapters/scalers", "bot/adapters/alertmanagers"),
]
LONGEST_FILE = 299
LONGEST_FUNCTION = 39

Rule = Callable[[Path], Iterator[str]]


def pure_rooms(root: Path) -> Iterator[str]:
    """Rule 1: core imports the standard library and core; sources, diagnosis and views import core and themselves."""
    for module in modules(root, "bot"):
        if not under(module.name, PURE):
            continue
        own = room(module.name)
        for imported in module.imports:
            if not is_standard(imported) and not under(imported.module, ["bot.core", own]):
                remedy = f"{own} is pure: hand the value in, or move the code up a floor"
                yield module.at(imported, f"imports {imported.module}; {remedy}")


def libraries_behind_walls(root: Path) -> Iterator[str]:
    """Rule 2: each library of the outside has its rooms; slack_sdk's clients belong to the adapters."""
    for module in modules(root, "bot", "handlers"):
        for imported in module.imports:
            allowed = WALLS.get(imported.top)
            if under(imported.module, SLACK_CLIENTS) or (imported.top == "slack_sdk" and "Client" in imported.name):
                allowed = ["bot.adapters"]
            if allowed is not None and not under(module.name, allowed):
                yield module.at(imported, f"imports {imported.module}; only {' and '.join(allowed)} may: use a port")


def stories_see_no_adapter(root: Path) -> Iterator[str]:
    """Rule 3: stories and actions see the desk and the pure rooms, never an adapter."""
    for module in modules(root, *(name.replace(".", "/") for name in BEHAVIORS if name != "bot.registry")):
        for imported in module.imports:
            if under(target(imported), ["bot.adapters", "bot.playground"]):
                yield module.at(imported, f"imports {target(imported)}; ask the desk for it")


def doors_and_wiring(root: Path) -> Iterator[str]:
    """Rule 4: bot never imports handlers; adapters are named only by handlers/wiring*.py and by each other."""
    for module in modules(root, "bot", "handlers"):
        for imported in module.imports:
            if under(module.name, ["bot"]) and under(imported.module, ["handlers"]):
                yield module.at(imported, f"imports {imported.module}; the door calls us, we never call the door")
            if under(target(imported), ["bot.adapters"]) and not under(
                module.name, ["handlers.wiring", "handlers.wiring_tools", "bot.adapters"]
            ):
                yield module.at(
                    imported, f"imports {target(imported)}; let handlers/wiring.py choose it and hand it in"
                )


def clock_and_environment(root: Path) -> Iterator[str]:
    """Rule 5: the clock and the environment are read only in handlers/wiring.py and bot/config.py."""
    for module in modules(root, "bot", "handlers"):
        if under(module.name, READERS):
            continue
        remedy = "take it as a parameter; only handlers/wiring.py and bot/config.py read it"
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and node.attr in CLOCKS.get(last_name(node.value), ()):
                yield module.at(node, f"reads {last_name(node.value)}.{node.attr}; {remedy}")
        for imported in module.imports:
            if imported.name in CLOCKS.get(imported.module, ()) and imported.module in ("time", "os"):
                yield module.at(imported, f"imports {imported.module}.{imported.name}; {remedy}")


def imports_at_the_top(root: Path) -> Iterator[str]:
    """Rule 6: no import inside a function, and no TYPE_CHECKING; both hide circles."""
    for module in modules(root, "bot", "handlers"):
        for imported in module.imports:
            if imported.local:
                yield module.at(imported, f"imports {imported.module} below the top; import it at the top")
            if imported.name == "TYPE_CHECKING":
                yield module.at(imported, "uses TYPE_CHECKING; move the type to a lower floor")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and node.attr == "TYPE_CHECKING":
                yield module.at(node, "uses TYPE_CHECKING; move the type to a lower floor")


def broad_excepts(root: Path) -> Iterator[str]:
    """Rule 7: whatever may come is caught only at the doors; elsewhere name what you expect."""
    for module in modules(root, "bot"):
        if under(module.name, DOORS):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and is_broad(node.type):
                yield module.at(
                    node, "catches everything; name the exceptions that you expect, or let it reach the door"
                )


def opening_sentences(root: Path) -> Iterator[str]:
    """Rule 8: every module opens with one sentence that says what it is for."""
    for module in modules(root, "bot", "handlers", "tests"):
        opening = (ast.get_docstring(module.tree) or "").split("\n\n")[0]
        if not opening:
            yield module.at(1, "has no docstring; say in one sentence what it is for")
        elif not opening.rstrip().endswith((".", ":", "!")):
            yield module.at(1, "opens with something else than a whole sentence; end it with a full stop")


def empty_package_fronts(root: Path) -> Iterator[str]:
    """A package's __init__.py holds its sentence and no code, so that importing a room wakes nothing."""
    for module in modules(root, "bot", "handlers", "tests"):
        code = [node for node in module.tree.body if not is_docstring(node)]
        if module.path.endswith("__init__.py") and code:
            yield module.at(code[0], "has code in __init__.py; give it a module of its own")


def floors(root: Path) -> Iterator[str]:
    """Arrows only go down: core, then ports, config and the pure rooms, then desk and adapters, stories, handlers."""
    for module in modules(root, "bot", "handlers"):
        own = room(module.name)
        if own not in FLOORS:
            if own != "bot":
                yield module.at(1, f"is in no known room ({own}); see the floors in tests/test_architecture.py")
            continue
        for imported in module.imports:
            if imported.top in ("bot", "handlers") and not under(target(imported), [own, *FLOORS[own]]):
                yield module.at(imported, f"{own} imports {target(imported)}, which is not below it; turn the arrow")


def playground_is_apart(root: Path) -> Iterator[str]:
    """The playground is reached only from the command line, the demo and the replay: production never uses it."""
    for module in modules(root, "bot", "handlers"):
        if under(module.name, ["bot.playground", *PLAY]):
            continue
        for imported in module.imports:
            if under(target(imported), ["bot.playground"]):
                yield module.at(imported, f"imports {target(imported)}; only the doors of PLAY may")


def no_circles(root: Path) -> Iterator[str]:
    """No file imports itself through others."""
    tree = modules(root, "bot", "handlers")
    known = {module.name for module in tree}
    arrows = {module.name: {targets(i, known) for i in module.imports} & known - {module.name} for module in tree}
    idle = known
    while idle:
        used = {name for below in arrows.values() for name in below}
        idle = {name for name, below in arrows.items() if name not in used or not below & arrows.keys()}
        arrows = {name: below - idle for name, below in arrows.items() if name not in idle}
    for module in tree:
        if module.name in arrows:
            others = ", ".join(sorted(arrows[module.name]))
            yield module.at(1, f"is in a circle by {others}; move what both need to a lower file")


def short_files(root: Path) -> Iterator[str]:
    """A file has under 300 lines; if it wants more, a room is missing."""
    for module in modules(root, "bot", "handlers"):
        lines = len(module.text.splitlines())
        if lines > LONGEST_FILE:
            yield module.at(lines, f"has {lines} lines, and {LONGEST_FILE} are the most; split it by behaviour")


def short_functions(root: Path) -> Iterator[str]:
    """A function has under 40 lines from def to end, its docstring not counted."""
    for module in modules(root, "bot", "handlers"):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and length(node) > LONGEST_FUNCTION:
                yield module.at(node, f"{node.name} has {length(node)} lines, and {LONGEST_FUNCTION} are the most")


def registered_modules_have_tests(root: Path) -> Iterator[str]:
    """Every module in a registry's folder has a test file of its name, or is named in a test."""
    tests = modules(root, "tests")
    files = {Path(test.path).stem for test in tests}
    named = {word for test in tests if Path(test.path).stem != "test_house" for word in words(test)}
    for module in modules(root, *REGISTRIES):
        stem = Path(module.path).stem
        if stem != "__init__" and f"test_{stem}" not in files and not {stem, module.name} & named:
            yield module.at(
                1, f"has no test; write {module.path.replace('bot/', 'tests/').replace(stem, f'test_{stem}')}"
            )


def variables_in_the_example(root: Path) -> Iterator[str]:
    """Every variable that bot/config.py reads stands in .env.example below a comment, and nothing else does."""
    example = root / ".env.example"
    lines = example.read_text(encoding="utf-8").splitlines() if example.exists() else []
    offered = {m[1]: n for n, line in enumerate(lines, 1) if (m := re.match(r"#?([A-Z][A-Z0-9_]*)=", line))}
    for name, line in offered.items():
        if not re.match(r"# .+\.$", lines[line - 2]):
            yield f".env.example:{line}: {name} has no comment line above it; say in one sentence what it is for"
    for module in modules(root, "bot"):
        if module.name == "bot.config":
            read = environment_fields(module)
            yield from (
                module.at(1, f"reads {name}, which is not in .env.example; add it") for name in read - {*offered}
            )
            yield from (
                f".env.example:{offered[name]}: {name} is read nowhere in bot/config.py; remove it"
                for name in ({*offered} - read if read else ())
            )


def top_level_packages(root: Path) -> Iterator[str]:
    """The packages at the top are bot, handlers and tests, and no other."""
    for path in sorted(root.glob("*/__init__.py")):
        if path.parent.name not in ("bot", "handlers", "tests") and not path.parent.name.startswith("."):
            yield f"{path.parent.name}/__init__.py:1: is a fourth package; find it a room in bot/ or handlers/"


def target(imported: Import) -> str:
    """The room or module that an import names, `from bot import adapters` too."""
    return f"{imported.module}.{imported.name}" if imported.module in ("bot", "bot.adapters") else imported.module


def last_name(node: ast.expr) -> str:
    """`datetime` of `datetime` and of `datetime.datetime`."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_broad(caught: ast.expr | None) -> bool:
    """Whether an except clause catches everything."""
    parts = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(part is None or last_name(part) in ("Exception", "BaseException") for part in parts)


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a string."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from def to end without the docstring."""
    first = node.body[0]
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_docstring(first) else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def words(module: Module) -> Iterator[str]:
    """What a test names: whole strings, imported modules and names."""
    for imported in module.imports:
        yield from (
            imported.module,
            imported.name,
            f"{imported.module}.{imported.name}",
            imported.module.split(".")[-1],
        )
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def environment_fields(config: Module) -> set[str]:
    """The variables of `class Environment`: its fields, in capitals."""
    classes = [node for node in ast.walk(config.tree) if isinstance(node, ast.ClassDef) and node.name == "Environment"]
    fields = [node.target for found in classes for node in found.body if isinstance(node, ast.AnnAssign)]
    return {field.id.upper() for field in fields if isinstance(field, ast.Name)}


RULES: list[Rule] = [
    *(pure_rooms, libraries_behind_walls, stories_see_no_adapter, doors_and_wiring, clock_and_environment),
    *(imports_at_the_top, broad_excepts, opening_sentences, empty_package_fronts, floors, playground_is_apart),
    *(no_circles, short_files, short_functions, registered_modules_have_tests, variables_in_the_example),
    top_level_packages,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_its_rule(rule: Rule) -> None:
    """Each rule's own sentence says what holds and why."""
    problems = list(rule(ROOT))
    assert not problems, f"{rule.__doc__}\n" + "\n".join(problems)


PLANTED = [
    (pure_rooms, "bot/core/x.py", "import httpx", "bot/core/x.py:2: imports httpx; bot.core is pure"),
    (pure_rooms, "bot/views/x.py", "from bot.context.context import Desk", "views/x.py:2: imports bot.context.context"),
    (libraries_behind_walls, "bot/scaling/x.py", "import redis.asyncio", "only bot.adapters may"),
    (libraries_behind_walls, "handlers/x.py", "from slack_sdk import WebClient", "imports slack_sdk"),
    (
        libraries_behind_walls,
        "bot/adapters/x.py",
        "from starlette.routing import Route",
        "only handlers and bot.playgr",
    ),
    (stories_see_no_adapter, "bot/silencing/x.py", "from bot import adapters", "imports bot.adapters; ask the desk"),
    (doors_and_wiring, "bot/scaling/x.py", "from handlers.http.web import app", "the door calls us"),
    (
        doors_and_wiring,
        "handlers/http/web.py",
        "from bot.adapters.http.client import Http",
        "let handlers/wiring.py choose it",
    ),
    (clock_and_environment, "bot/core/x.py", "import datetime as d\nd.datetime.now()", "x.py:3: reads datetime.now"),
    (clock_and_environment, "handlers/x.py", "import os\nos.environ", "reads os.environ"),
    (clock_and_environment, "bot/adapters/x.py", "from time import monotonic", "imports time.monotonic"),
    (imports_at_the_top, "bot/core/x.py", "def f():\n    import json", "x.py:3: imports json below the top"),
    (imports_at_the_top, "bot/core/x.py", "from typing import TYPE_CHECKING", "uses TYPE_CHECKING"),
    (broad_excepts, "bot/core/x.py", "try:\n    f()\nexcept (OSError, Exception):\n    g()", "x.py:4: catches every"),
    (broad_excepts, "bot/core/x.py", "try:\n    f()\nexcept:\n    g()", "x.py:4: catches everything"),
    (empty_package_fronts, "bot/core/__init__.py", "A = 1", "has code in __init__.py"),
    (
        floors,
        "bot/context/context.py",
        "from bot.adapters import x",
        "bot.context imports bot.adapters.x, which is not below it",
    ),
    (floors, "bot/adapters/x.py", "from bot.context.context import Desk", "bot.adapters imports bot.context"),
    (floors, "bot/ports.py", "from ..bot.config import Settings", "imports bot.config, which is not below"),
    (floors, "bot/utils/x.py", "A = 1", "is in no known room (bot.utils)"),
    (playground_is_apart, "handlers/http/web.py", "from bot.playground import page", "only the doors of PLAY may"),
    (no_circles, "bot/core/x.py", "from bot.core import y", "bot/core/x.py:1: is in a circle by bot.core.y"),
    (short_files, "bot/core/x.py", "A = 1\n" * 300, "has 302 lines"),
    (short_functions, "bot/core/x.py", "def f():\n" + "    g()\n" * 39, "x.py:2: f has 40 lines"),
    (registered_modules_have_tests, "bot/sources/x.py", "A = 1", "has no test; write tests/sources/test_x.py"),
    (variables_in_the_example, "bot/config.py", "class Environment:\n    log_level: str", "reads LOG_LEVEL"),
    (variables_in_the_example, ".env.example", "LOG_LEVEL=INFO", ".env.example:2: LOG_LEVEL has no comment line"),
    (top_level_packages, "lib/__init__.py", "", "lib/__init__.py:1: is a fourth package"),
]
"""Rule, file, what is planted in it below its docstring, and what the rule must say."""


@pytest.mark.parametrize(
    ("rule", "path", "source", "said"), PLANTED, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_breach_is_found(rule: Rule, path: str, source: str, said: str, tmp_path: Path) -> None:
    """A rule that was never seen to fail proves nothing."""
    plant(tmp_path, "bot/core/y.py", "from bot.core import x")
    plant(tmp_path, path, source)
    found = [problem for problem in rule(tmp_path) if said in problem]
    assert len(found) == 1, list(rule(tmp_path))


def test_a_module_without_an_opening_sentence_is_found(tmp_path: Path) -> None:
    """A heading is no sentence, and nothing is less."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "a.py").write_text("A = 1\n")
    (tmp_path / "bot" / "b.py").write_text('"""Utilities"""\n')
    assert [problem.split(";")[0] for problem in opening_sentences(tmp_path)] == [
        "bot/a.py:1: has no docstring",
        "bot/b.py:1: opens with something else than a whole sentence",
    ]


def test_an_empty_tree_keeps_every_rule(tmp_path: Path) -> None:
    """The rules hold from the first commit on, when most rooms are not there yet."""
    assert [problem for rule in RULES for problem in rule(tmp_path)] == []


def plant(root: Path, path: str, source: str) -> None:
    """Writes a file whose first line is a fine docstring."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(f'"""Says what it is for."""\n{source}\n')
