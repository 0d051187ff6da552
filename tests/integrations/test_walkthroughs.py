"""The diffs of docs/how-to/extend.md are real: applied to a copy of the project, each passes its tests."""

import re
import shutil
import subprocess
import sys
from os.path import commonprefix
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

DIFFS = sorted((ROOT / "docs/examples/extend").glob("*.diff"))
TESTS = (
    "tests/integrations/test_woodpecker.py",
    "tests/integrations/test_file.py",
    "tests/incidents/actions/test_peak.py",
    "tests/incidents/actions/test_followup.py",
    "tests/test_registry.py",
    "tests/handlers/tools/test_pools.py",
    "tests/diagnosis/test_rules.py",
    "tests/diagnosis/test_draining.py",
    "tests/views/words/test_causes.py",
    "tests/adapters/test_source.py",
    "tests/adapters/scalers/test_contract.py",
    "tests/integrations/test_pages.py",
)
"""Their own, and what holds for every registered source, scaler, cause and action."""
MOST_FILES = {"effect.diff": 8, "figure.diff": 6}


def apply(diff: str, project: Path) -> None:
    """Apply a diff by its contents, not by line numbers, so that others may register things beside it."""
    for name, hunks in re.findall(r"^\+\+\+ b/(\S+)\n((?:[@ +-].*\n)+)", diff, re.M):
        file = project / name
        text = file.read_text("utf-8") if file.exists() else ""
        for hunk in re.split(r"^@@.*\n", hunks, flags=re.M)[1:]:
            text = patched(text, hunk.splitlines(keepends=True))
            assert text, f"{name} has changed: do this step by hand in a branch, and write `git diff -U1` into the diff"
        file.write_text(text, "utf-8")


def patched(text: str, hunk: list[str]) -> str:
    """The text after one hunk; empty when neither its lines nor a line beside its addition are there."""
    old, new = ("".join(line[1:] for line in hunk if line[0] in signs) for signs in (" -", " +"))
    if old in text:
        return text.replace(old, new, 1)
    added = "".join(line[1:] for line in hunk if line[0] == "+")
    if removed := "".join(line[1:] for line in hunk if line[0] == "-"):
        before = commonprefix([removed, added])  # noqa: RUF071 - letter by letter is meant
        word = before.split()[-1]
        inserted = added[len(before) : len(before) + len(added) - len(removed)]
        line = next((line for line in text.splitlines() if line.startswith(removed[:20]) and f"{word} " in line), "")
        return text.replace(line, line.replace(f"{word} ", f"{word} {inserted}", 1), 1) if line else ""
    for beside, order in ((hunk[0], "{0}{1}"), (hunk[-1], "{1}{0}")):
        if beside.strip() and beside[1:] in text:
            return text.replace(beside[1:], order.format(beside[1:], added), 1)
    return ""


def test_each_walkthrough_leads_to_code_that_passes_its_tests(tmp_path: Path) -> None:
    """All of them in one copy."""
    for folder in ("bot", "handlers", "tests", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "images"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for diff in DIFFS:
        apply(diff.read_text("utf-8"), tmp_path)
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    ran = subprocess.run(pytest, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]


@pytest.mark.parametrize(("name", "most"), MOST_FILES.items())
def test_a_walk_stays_short(name: str, most: int) -> None:
    """Who adds an action with a dialog and an effect, or a figure, finds every place by reading one diff."""
    diff = (ROOT / "docs/examples/extend" / name).read_text("utf-8")
    assert len(re.findall(r"^\+\+\+ b/", diff, re.M)) <= most


def test_the_page_names_every_file_of_the_diffs() -> None:
    """Whoever reads the page alone misses none."""
    page = (ROOT / "docs/how-to/extend.md").read_text("utf-8")
    files = re.findall(r"^\+\+\+ b/(\S+)$", "".join(diff.read_text("utf-8") for diff in DIFFS), re.M)
    linked = {"docs/explanation/diagnosis.md"}
    assert {name for name in files if f"`{name}`" not in page} == linked
