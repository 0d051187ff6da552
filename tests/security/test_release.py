"""C20: a release can be traced to its tag, and anybody can build the same bytes."""

import hashlib
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from tests.architecture.tree import ROOT

RELEASE = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
SOURCES = ("bot", "handlers", "pyproject.toml", "README.md", "LICENSE")


def copied(folder: Path) -> Path:
    """The tree that a wheel is made of, in a new place with new times."""
    folder.mkdir()
    for name in SOURCES:
        subprocess.run(["cp", "-r", str(ROOT / name), str(folder / name)], check=True)
    for path in folder.rglob("*.py"):
        os.utime(path, (1, 1))
    return folder


def built(folder: Path) -> Path:
    """The wheel of a tree."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def test_a_wheel_is_the_same_bytes_wherever_it_is_built(tmp_path: Path) -> None:
    """Two places, two times, one hash; and nothing but the product lies in it."""
    first, second = (built(copied(tmp_path / name)) for name in ("here", "there"))
    assert hashlib.sha256(first.read_bytes()).digest() == hashlib.sha256(second.read_bytes()).digest()
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(first).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bot", "handlers"}


def test_a_release_is_scanned_built_listed_and_attested_in_this_order() -> None:
    """Nothing is published before it was looked at and signed; rights are given to this one job."""
    steps = ["pip-audit", "-m build", "cyclonedx-py", "attest-build-provenance", "gh release create"]
    places = [RELEASE.index(step) for step in steps]
    assert places == sorted(places)
    head, _, job = RELEASE.partition("jobs:")
    assert "contents: read" in head
    assert "write" not in head
    assert {"contents: write", "id-token: write", "attestations: write"} <= {line.strip() for line in job.splitlines()}


def test_a_tag_of_another_version_than_the_code_says_is_stopped() -> None:
    """The pipeline's own line, run by a shell as the pipeline does."""
    line = next(line.partition("run: ")[2] for line in RELEASE.splitlines() if "grep -qx" in line)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

    def status(tag: str) -> int:
        given = {**os.environ, "GITHUB_REF_NAME": tag}
        return subprocess.run(["bash", "-c", line], cwd=ROOT, env=given, check=False).returncode

    assert status(f"v{version}") == 0
    assert status("v99.0.0") != 0
