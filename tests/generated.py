"""Texts that the code gives and a file repeats: tests compare them, and `./tailback golden` writes the files anew.

As a plugin (`-p tests.generated`) it runs only tests that call one of `CALLS`, lets them write, and says what changed.
"""

import difflib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
STORIES = ROOT / "docs" / "messages.md"
CALLS = frozenset({"same_as_file", "assert_golden"})
"""By these names the launcher finds the files with such tests, and this plugin the tests."""
MOST_LINES = 8
"""Of one file, that are shown."""

_writes: list[bool] = []
_changed: list[str] = []


def same_as_file(path: Path, text: str) -> None:
    """The file says the same; with the plugin it is made to."""
    before = path.read_text("utf-8") if path.exists() else ""
    if _writes and text != before:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        _changed.append(difference(path.relative_to(ROOT).as_posix(), before, text))
        before = text
    assert text == before, f"{path.name} says something else: `./tailback golden` writes it; then read it"


def difference(name: str, before: str, after: str) -> str:
    """The name of a file, how many lines of it changed, and the first of them."""
    lines = [
        line
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    more = [f"… and {len(lines) - MOST_LINES} more: git diff {name}"] if len(lines) > MOST_LINES else []
    return "\n  ".join([f"{name}: {len(lines)} lines", *lines[:MOST_LINES], *more])


def pytest_configure() -> None:
    """From now on files are written."""
    _writes.append(True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that write nothing."""
    writing = [item for item in items if isinstance(item, pytest.Function) and CALLS & names(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in writing])
    items[:] = writing


def names(item: pytest.Function) -> set[str]:
    """The names that a test uses."""
    return set(item.function.__code__.co_names)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Tell the process that prints the summary what was written."""
    try:
        return (yield)
    finally:
        item.user_properties += [("changed", one) for one in _changed]
        _changed.clear()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Each file that changed."""
    reports = [one for each in terminalreporter.stats.values() for one in each if isinstance(one, pytest.TestReport)]
    lines = sorted({str(text) for one in reports for name, text in one.user_properties if name == "changed"})
    terminalreporter.line("\n".join(lines) or "Every generated text is as it was.")
    rows = [line for line in STORIES.read_text("utf-8").splitlines() if line.startswith("|")]
    terminalreporter.line("\n".join([f"The stories ({STORIES.relative_to(ROOT)}):", *rows]))
