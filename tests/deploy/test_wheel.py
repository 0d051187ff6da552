"""An installation from the wheel: everything is in it, and it works without the project beside it."""

import re
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest

from handlers.tools.examples import EXAMPLES
from handlers.version import VERSION
from tests.architecture.tree import ROOT
from tests.processes import program


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    program(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """`tailback` in a new environment as pipx makes one: the wheel is installed, what it depends on is lent by ours."""
    place = wheel.parent / "environment"
    program(sys.executable, "-m", "venv", "--without-pip", place)
    pip = (sys.executable, "-m", "pip", "--python", place / "bin/python")
    program(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return place / "bin/tailback"


def output_of(installed: Path, *words: str) -> str:
    """What the installed command prints, run in an empty folder with an empty environment."""
    folder = installed.parent / "empty"
    folder.mkdir(exist_ok=True)
    ran = program(installed, *words, cwd=folder, env={"PATH": "/usr/bin:/bin"})
    assert ran.err == ""
    return ran.out


def test_an_installed_wheel_needs_nothing_of_the_checkout(installed: Path) -> None:
    """Version, scenarios and every example come from the wheel itself."""
    assert output_of(installed, "--version") == f"tailback {VERSION}\n"
    assert "surge" in output_of(installed, "demo", "--list")
    (shipped,) = installed.parents[1].glob("lib/python*/site-packages/handlers/shipped")
    assert {path.name for path in shipped.iterdir()} == set(EXAMPLES)
    for name, (source, _) in EXAMPLES.items():
        assert (shipped / name).read_bytes() == (ROOT / source).read_bytes(), name
    assert output_of(installed, "example", "env") == (ROOT / ".env.example").read_text("utf-8")


def test_the_wheel_names_what_the_page_installs(wheel: Path) -> None:
    """`pipx install 'FILE[embedded,aws]'`: the file's name and the extras are real."""
    text = (ROOT / "docs/how-to/pipx.md").read_text("utf-8")
    assert set(re.findall(r"dist/(tailback-[^\s\[']+\.whl)", text)) == {wheel.name}
    wanted = {extra for words in re.findall(r"\[([a-z,]+)\](?!\()", text) for extra in words.split(",")}
    shutil.unpack_archive(wheel, wheel.parent / "out", "zip")
    (metadata,) = (wheel.parent / "out").glob("*.dist-info/METADATA")
    extras = set(re.findall(r"^Provides-Extra: (\S+)$", metadata.read_text("utf-8"), re.M))
    assert {"embedded", "aws"} == wanted <= extras
