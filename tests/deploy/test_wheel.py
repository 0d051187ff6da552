"""An installation from the wheel: everything is in it, and it works without the project beside it."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from handlers.tools.examples import EXAMPLES
from handlers.version import VERSION
from tests.architecture.tree import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def program(wheel: Path) -> Path:
    """`tailback` in a new environment as pipx makes one: the wheel is installed, what it depends on is lent by ours."""
    place = wheel.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin/python"
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
    ]
    subprocess.run(command, check=True, capture_output=True)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return place / "bin/tailback"


def said(program: Path, *words: str) -> str:
    """What the installed command prints, run in an empty folder with an empty environment."""
    folder = program.parent / "empty"
    folder.mkdir(exist_ok=True)
    ran = subprocess.run(
        [program, *words], cwd=folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def test_an_installed_wheel_needs_nothing_of_the_checkout(program: Path) -> None:
    """Version, scenarios and every example come from the wheel itself."""
    assert said(program, "--version") == f"tailback {VERSION}\n"
    assert "surge" in said(program, "demo", "--list")
    (shipped,) = program.parents[1].glob("lib/python*/site-packages/handlers/shipped")
    assert {path.name for path in shipped.iterdir()} == set(EXAMPLES)
    for name, (source, _) in EXAMPLES.items():
        assert (shipped / name).read_bytes() == (ROOT / source).read_bytes(), name
    assert said(program, "example", "env") == (ROOT / ".env.example").read_text("utf-8")


def test_the_wheel_names_what_the_page_installs(wheel: Path) -> None:
    """`pipx install 'FILE[embedded,aws]'`: the file's name and the extras are real."""
    text = (ROOT / "docs/how-to/pipx.md").read_text("utf-8")
    assert set(re.findall(r"dist/(tailback-[^\s\[']+\.whl)", text)) == {wheel.name}
    wanted = {extra for words in re.findall(r"\[([a-z,]+)\](?!\()", text) for extra in words.split(",")}
    shutil.unpack_archive(wheel, wheel.parent / "out", "zip")
    (metadata,) = (wheel.parent / "out").glob("*.dist-info/METADATA")
    extras = set(re.findall(r"^Provides-Extra: (\S+)$", metadata.read_text("utf-8"), re.M))
    assert {"embedded", "aws"} == wanted <= extras
