"""The rules of completeness: what a contributor may forget beside the code, named with its place."""

import ast
from collections.abc import Iterator

from tests.architecture.layout import BEHAVIORS, REGISTERED, REGISTRIES, SHARED_TESTS
from tests.architecture.tree import Module, Project, last_name, under
from tests.architecture.words import text_of


def registered_modules_have_tests(project: Project) -> Iterator[str]:
    """Every action, cause, source and integration that is registered has a test of its own.

    That is a file `test_NAME.py` in the folder of tests that mirrors the module's, or one of that name that imports
    the module, or rows in a table of SHARED_TESTS. A mere mention of the name is no test.
    """
    tests = [test for test in project.modules("tests") if test.stem.startswith("test_") and "def test_" in test.text]
    for registry, module in registered(project):
        if not any(is_test_of(test, module) for test in tests):
            place = f"{module.folder.replace('bot.', 'tests.').replace('.', '/')}/test_{module.stem}.py"
            yield module.at(1, f"is in {registry.path} and has no test of its own; write {place}")


def registered(project: Project) -> Iterator[tuple[Module, Module]]:
    """(registry, module that it names), once for each module."""
    named: set[str] = set()
    by_name = {module.name: module for module in project.modules()}
    for registry in project.modules(*REGISTRIES):
        lists = (
            [folder for folder in REGISTERED if under(folder, [registry.folder])] if registry.folder != "bot" else []
        )
        folders = [*BEHAVIORS, *lists]
        imported = {project.target(imported) for imported in registry.imports}
        words = {f"{folder}.{text_of(word)}" for folder in lists for word in registry.nodes(ast.Constant)}
        for missing in sorted((imported | words) - named):
            if missing in by_name and under(missing, folders):
                named.add(missing)
                yield registry, by_name[missing]


def is_test_of(test: Module, module: Module) -> bool:
    """Whether a test file is this module's own, or shared and has rows for it."""
    if test.stem == f"test_{module.stem}":
        return test.folder.removeprefix("tests.") == module.folder.removeprefix("bot.") or imports(test, module)
    package, table = SHARED_TESTS.get(test.path, ("", ""))
    return bool(package) and under(module.folder, [package]) and module.stem in rows_of(test, table)


def rows_of(test: Module, table: str) -> set[str]:
    """The strings in the rows of a table at the top of a test file."""
    rows: set[str] = set()
    for node in test.tree.body:
        targets = (
            [node.target] if isinstance(node, ast.AnnAssign) else node.targets if isinstance(node, ast.Assign) else []
        )
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and table in map(last_name, targets):
            rows.update(text_of(part) for part in ast.walk(node.value))
    return rows


def imports(test: Module, module: Module) -> bool:
    """Whether a test imports a module or something from it."""
    return any(
        under(module.name, [f"{imported.module}.{imported.name}", imported.module])
        and module.name in (imported.module, f"{imported.module}.{imported.name}")
        for imported in test.head_imports
    )


def shared_tests_exist(project: Project) -> Iterator[str]:
    """A file that SHARED_TESTS lists is there."""
    paths = {test.path for test in project.modules("tests")}
    for path in SHARED_TESTS if paths else ():
        if path not in paths:
            yield f"tests/architecture/layout.py:1: there is no {path}; take it out of SHARED_TESTS"
