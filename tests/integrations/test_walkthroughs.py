"""The diffs of docs/how-to/extend.md are real: applied to a copy of the project, each passes its tests."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.architecture.tree import ROOT

DIFFS = sorted((ROOT / "docs/examples/extend").glob("*.diff"))
TESTS = (
    "tests/integrations/test_woodpecker.py",
    "tests/integrations/test_file.py",
    "tests/incidents/actions/test_peak.py",
    "tests/diagnosis/test_rules.py",
    "tests/adapters/scalers/test_contract.py",
    "tests/integrations/test_pages.py",
)
"""Their own, and what holds for every registered source, scaler and cause."""


def test_each_walkthrough_leads_to_code_that_passes_its_tests(tmp_path: Path) -> None:
    """When a diff does not apply any more: do that step by hand in a branch, and write `git diff -U1` into its file."""
    for folder in ("bot", "handlers", "tests", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "images"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    subprocess.run(["git", "apply", "-C1", *DIFFS], cwd=tmp_path, check=True)
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    ran = subprocess.run(pytest, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]


def test_the_page_names_every_file_of_the_diffs() -> None:
    """Whoever reads the page alone misses none."""
    page = (ROOT / "docs/how-to/extend.md").read_text("utf-8")
    files = re.findall(r"^\+\+\+ b/(\S+)$", "".join(diff.read_text("utf-8") for diff in DIFFS), re.M)
    linked = {"docs/explanation/diagnosis.md"}
    assert {name for name in files if f"`{name}`" not in page} == linked
