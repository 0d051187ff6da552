"""The rules of a single file: what it may read and catch, how long it may be, and names that are used once."""

import ast
from collections.abc import Iterator

from tests.architecture.layout import CATCH_ALL, CLOCK_READERS, LISTS, LONGEST_FILE, LONGEST_FUNCTION, MOST_MODULES
from tests.architecture.tree import Module, Project, is_docstring, last_name, length, under

CLOCKS = {
    "time": {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "gmtime", "localtime"},
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
    "os": {"environ", "environb", "getenv", "getenvb"},
}


def clock_and_environment(project: Project) -> Iterator[str]:
    """The clock and the environment are read in two modules only; everybody else receives them."""
    remedy = f"take it as a parameter; only {' and '.join(CLOCK_READERS)} read it"
    for module in project.modules():
        if under(module.name, CLOCK_READERS):
            continue
        for node in module.nodes(ast.Attribute):
            if node.attr in CLOCKS.get(last_name(node.value), ()):
                yield module.at(node, f"reads {last_name(node.value)}.{node.attr}; {remedy}")
        for imported in module.imports:
            if imported.name in CLOCKS.get(imported.module, ()) and imported.module in ("time", "os"):
                yield module.at(imported, f"imports {imported.module}.{imported.name}; {remedy}")


def broad_excepts(project: Project) -> Iterator[str]:
    """Every exception is caught only at the edge of a process; elsewhere the code names what it expects."""
    for module in project.modules("bot"):
        if under(module.name, CATCH_ALL):
            continue
        for node in module.nodes(ast.ExceptHandler):
            if is_broad(node.type):
                yield module.at(node, "catches everything; name the exceptions that you expect, or let them pass")


def is_broad(caught: ast.expr | None) -> bool:
    """Whether an except clause catches everything."""
    parts = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(part is None or last_name(part) in ("Exception", "BaseException") for part in parts)


def opening_sentences(project: Project) -> Iterator[str]:
    """Every module opens with one sentence that says what it is for."""
    for module in project.modules("bot", "handlers", "tests"):
        opening = (ast.get_docstring(module.head) or "").split("\n\n")[0]
        if not opening:
            yield module.at(1, "has no docstring; say in one sentence what it is for")
        elif not opening.rstrip().endswith((".", ":", "!")):
            yield module.at(1, "opens with something else than a whole sentence; end it with a full stop")


def empty_packages(project: Project) -> Iterator[str]:
    """A package's __init__.py holds its sentence and no code, so that importing a module runs no other."""
    for module in project.modules("bot", "handlers", "tests"):
        if module.stem != "__init__":
            continue
        code = [node for node in module.tree.body if not is_docstring(node)]
        if code:
            yield module.at(code[0], "has code in __init__.py; give it a module of its own")


def short_files(project: Project) -> Iterator[str]:
    """A file has under 300 lines; a longer one does more than one thing."""
    for module in project.modules():
        lines = module.text.count("\n")
        if lines > LONGEST_FILE:
            yield module.at(lines, f"has {lines} lines, and {LONGEST_FILE} are the most; split it by behavior")


def short_functions(project: Project) -> Iterator[str]:
    """A function has under 40 lines from def to end, its docstring not counted."""
    for module in project.modules():
        for node in module.functions:
            if length(node) > LONGEST_FUNCTION:
                yield module.at(node, f"{node.name} has {length(node)} lines, and {LONGEST_FUNCTION} are the most")


def small_folders(project: Project) -> Iterator[str]:
    """A folder holds at most a dozen modules, so that it can be read as a list; lists of like things may be longer."""
    folders: dict[str, list[Module]] = {}
    for module in project.modules():
        if module.stem != "__init__":
            folders.setdefault(module.folder, []).append(module)
    for folder, modules in folders.items():
        if len(modules) > MOST_MODULES and folder not in LISTS:
            path = modules[0].path.rpartition("/")[0]
            yield f"{path}/__init__.py:1: has {len(modules)} modules, and {MOST_MODULES} are the most; split by topic"


def class_names_once(project: Project) -> Iterator[str]:
    """A class name stands for one class in the whole product, so that it can be searched for."""
    known: dict[str, str] = {}
    for module in project.modules():
        for node in module.nodes(ast.ClassDef):
            first = known.setdefault(node.name, f"{module.path}:{node.lineno}")
            if first != f"{module.path}:{node.lineno}":
                yield module.at(node, f"class {node.name} is also in {first}; give one of them a name of its own")


def top_level_packages(project: Project) -> Iterator[str]:
    """The packages at the top are bot, handlers and tests, and no other."""
    for path in sorted(project.root.glob("*/__init__.py")):
        if path.parent.name not in ("bot", "handlers", "tests") and not path.parent.name.startswith("."):
            yield f"{path.parent.name}/__init__.py:1: is a fourth package; find it a place in bot/ or handlers/"
