"""The two commands of the README: what the launcher installs, what it refuses, and what it says."""

import ast
import importlib.machinery
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from tests.generated import difference
from tests.patience import PATIENCE_SECONDS, until

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.lock", "requirements-aws.lock", "requirements-dev.lock")
PIN = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)(?P<marker> ; [^\\]+)?(?: --hash=sha256:[0-9a-f]{64})+"
)


@pytest.fixture
def launcher() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("tailback_launcher", str(ROOT / "tailback"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def pins(lock: str) -> dict[str, str]:
    """Name and version of each entry of a lock; fails at an entry that is not a hashed pin."""
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    entries = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]
    found = {}
    for entry in filter(None, entries):
        match = PIN.fullmatch(entry)
        assert match, f"{lock}: {entry[:80]!r} is not `name==version` with SHA-256 hashes: run `./tailback lock`"
        found[normal(match["name"])] = match["version"]
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [
        *project["dependencies"],
        *(line for extra in extras for line in project["optional-dependencies"][extra]),
    ]
    return {normal(re.split(r"[^A-Za-z0-9._-]", line)[0]) for line in requirements}


@pytest.mark.parametrize(
    ("lock", "extras"),
    [
        ("requirements.lock", ("embedded",)),
        ("requirements-aws.lock", ("embedded", "aws")),
        ("requirements-dev.lock", ("embedded", "aws", "dev")),
    ],
)
def test_a_lock_covers_what_pyproject_declares_with_hashed_pins_alone(lock: str, extras: tuple[str, ...]) -> None:
    """A dependency added without `./tailback lock` would be missing on a fresh machine."""
    assert declared(*extras) - pins(lock).keys() == set(), f"{lock} lacks these: run `./tailback lock`"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_place(lock: str) -> None:
    """Where packages come from is the business of the machine that installs them."""
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "://" in line or "index" in line or line.startswith(("-", "."))] == []


def test_the_tests_run_with_the_very_versions_that_the_product_runs_with() -> None:
    """Each lock contains the one before, so that one environment can serve all commands."""
    for smaller, larger in pairwise(LOCKS):
        assert pins(smaller).items() <= pins(larger).items()


def test_an_old_python_is_refused_with_a_remedy(launcher: ModuleType) -> None:
    complaint = launcher.complaint((3, 9, 2))
    assert complaint.startswith("Tailback needs Python 3.11 or newer, and this is Python 3.9: install a newer one")
    assert launcher.complaint((3, 11, 0)) is None
    assert launcher.complaint((4, 0, 0)) is None


def test_windows_is_refused_with_a_remedy(launcher: ModuleType) -> None:
    """The embedded server and its locks are POSIX."""
    assert "WSL" in launcher.complaint((3, 13), system="nt")


def test_the_launcher_can_be_read_by_an_old_python() -> None:
    """A syntax error would hide the sentence about the version."""
    source = (ROOT / "tailback").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 7))
    assert [node.lineno for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.AnnAssign)] == []


def test_help_is_printed_without_setting_anything_up(tmp_path: Path) -> None:
    """The first look at the project must not start a download."""
    for name in ("tailback", "pyproject.toml", *LOCKS):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    result = subprocess.run(
        [sys.executable, tmp_path / "tailback", "--help"], capture_output=True, text=True, check=True
    )
    assert "./tailback demo" in result.stdout
    assert "./tailback test" in result.stdout
    assert not (tmp_path / ".venv").exists()


def test_an_environment_is_used_again_until_its_lock_changes(launcher: ModuleType, tmp_path: Path) -> None:
    """Later starts are instant; the environment of the tests serves the product too, not the other way round."""
    fake_project(launcher, tmp_path)
    assert not launcher.is_set_up("run")
    Path(launcher.stamp_file("run")).write_text(launcher.stamp("run"))
    assert launcher.is_set_up("run")
    assert not launcher.is_set_up("dev")
    Path(launcher.stamp_file("run")).unlink()
    Path(launcher.stamp_file("dev")).write_text(launcher.stamp("dev"))
    assert launcher.is_set_up("run")
    (tmp_path / "requirements-dev.lock").write_text("changed")
    assert not launcher.is_set_up("run")


def test_an_environment_for_aws_stays_one_when_it_is_renewed(
    launcher: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A later `./tailback run` or `./tailback test` must not take away the library that a scaler needs."""
    fake_project(launcher, tmp_path)
    installed = recorded_installations(launcher)
    launcher.main(["setup", "aws"])
    assert (installed, launcher.is_set_up("run"), launcher.is_set_up("aws")) == (["aws"], True, True)
    (tmp_path / "requirements-aws.lock").write_text("renewed")
    assert not launcher.is_set_up("run")
    launcher.set_up("run")
    assert installed == ["aws", "aws"]
    launcher.set_up("dev")
    (tmp_path / "requirements-dev.lock").write_text("renewed")
    launcher.set_up("run")
    assert installed == ["aws", "aws", "dev", "aws"]
    assert "set up with the AWS library" in capfd.readouterr().err


def test_the_environment_of_the_tests_remembers_that_aws_was_asked_for(launcher: ModuleType, tmp_path: Path) -> None:
    """It holds the library already, so that nothing is installed; the wish counts at the next renewal."""
    fake_project(launcher, tmp_path)
    installed = recorded_installations(launcher)
    launcher.main(["setup", "test"])
    launcher.main(["setup", "aws"])
    assert installed == ["dev"]
    (tmp_path / "requirements-dev.lock").write_text("renewed")
    launcher.set_up("run")
    assert installed == ["dev", "aws"]


@pytest.mark.parametrize("words", [["azure"], ["aws", "dev"]])
def test_an_unknown_thing_to_set_up_is_refused(launcher: ModuleType, words: list[str]) -> None:
    with pytest.raises(launcher.Problem, match=r"setup aws"):
        launcher.main(["setup", *words])


def recorded_installations(launcher: ModuleType) -> list[str]:
    installed: list[str] = []

    def install(kind: str) -> bool:
        installed.append(kind)
        return True

    vars(launcher).update(install_with_uv=install, link_project=lambda: None)
    return installed


def test_a_failed_installation_shows_the_installers_words(
    launcher: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert launcher.watch(["/bin/sh", "-c", "echo Collecting thing; echo 'no such version' >&2; exit 3"]) == 3
    output = capfd.readouterr()
    assert output.out == "", "standard output belongs to the command"
    assert "tailback:   Collecting thing" in output.err
    assert "| no such version" in output.err


def test_an_index_that_is_not_reached_is_named(launcher: ModuleType) -> None:
    """pip says `from versions: none` then, which reads as if the package did not exist."""
    script = "echo 'ERROR: Could not find a version that satisfies x (from versions: none)'; exit 1"
    assert launcher.watch(["/bin/sh", "-c", script]) == 1
    with pytest.raises(launcher.Problem, match="package index was not reached"):
        launcher.watch(["/bin/sh", "-c", script], last=True)


def test_a_checkout_that_cannot_be_written_is_to_be_copied(
    launcher: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trying again cannot help there."""
    fake_project(launcher, tmp_path)
    monkeypatch.setattr(launcher.os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(launcher.Problem, match="copy the checkout"):
        launcher.set_up("run")


def test_an_environment_of_another_release_of_python_is_made_anew(launcher: ModuleType, tmp_path: Path) -> None:
    """Its packages are for that release alone, and ensurepip fails in it."""
    fake_project(launcher, tmp_path)
    Path(launcher.PYTHON).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    assert not launcher.stale()
    Path(launcher.PYTHON).write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "import sys; sys.version_info = (3, 99, 0); $2"\n'
    )
    assert launcher.stale()


def test_a_signal_to_the_launcher_ends_what_it_has_started(tmp_path: Path) -> None:
    """An installer that goes on in the same folder would meet the next try."""
    started = tmp_path / "started"
    script = (
        "import importlib.machinery as m, importlib.util as u;"
        f"l = m.SourceFileLoader('launcher', {str(ROOT / 'tailback')!r});"
        "x = u.module_from_spec(u.spec_from_loader('launcher', l)); l.exec_module(x);"
        f"x.watch(['/bin/sh', '-c', 'echo $$ > {started}.new; mv {started}.new {started}; exec sleep 600'])"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL) as launched:
        until(started.exists, "the installer runs")
        launched.terminate()
        assert launched.wait(PATIENCE_SECONDS) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


RunBy = Callable[[str, list[str]], tuple[int, str]]


@pytest.fixture
def run_by(launcher: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> RunBy:
    """Runs the tests with a shell script as Python; gives the status and what was said."""

    def run(script: str, arguments: list[str]) -> tuple[int, str]:
        fake_project(launcher, tmp_path)
        Path(launcher.PYTHON).write_text(f"#!/bin/sh\n{script}\n")
        return launcher.run_tests(arguments), capfd.readouterr().err

    return run


def test_bad_style_ends_the_run_with_its_status(run_by: RunBy) -> None:
    status, output = run_by('[ "$2" != ruff ] || exit 7', ["tests/test_architecture.py"])
    assert status == 7
    assert "style failed with status 7; `.venv/bin/ruff check --fix .`" in output
    assert "pytest" not in output


def test_wrong_types_end_the_run_after_the_step_beside_them(run_by: RunBy) -> None:
    status, output = run_by('[ "$2" != mypy ] || { echo bad type; exit 7; }', [])
    assert status == 7
    assert output.index("quick tests: pytest") < output.index("bad type") < output.index("types failed with status 7")
    assert "slow tests" not in output


def test_every_step_of_the_tests_runs_whatever_failed_before(run_by: RunBy) -> None:
    """CI runs what failed once more: a step that never ran would count as passed."""
    status, output = run_by('case "$*" in *tests.measured*) exit 5;; esac', [])
    assert status == 5
    assert "quick tests failed with status 5" in output
    assert output.index("quick tests: pytest") < output.index("slow tests: pytest")
    assert "everything passed" not in output


def test_what_is_compiled_in_a_step_is_kept_for_the_next(
    launcher: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, collecting all tests takes each process of a run twice as long."""
    fake_project(launcher, tmp_path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    Path(launcher.PYTHON).write_text('#!/bin/sh\n[ -z "$PYTHONDONTWRITEBYTECODE" ]\n')
    assert launcher.run_tests(["tests/core"]) == 0


def test_the_steps_together_run_every_test_once(launcher: ModuleType) -> None:
    """What the quick step leaves out has a step of its own; the statistics are named by their files."""
    measured, slow = (command for _, command, _ in launcher.test_steps([]))
    ((_, [*quick, fewer], _),) = launcher.test_steps(["--quick"])
    assert measured == [*quick, "-p", "tests.measured"]
    assert fewer == "--hypothesis-profile=quick"
    assert [word.removeprefix("--ignore=") for word in quick if word.startswith("--ignore=")] == slow[
        -len(launcher.SLOW) :
    ]
    assert all((ROOT / "tests" / name).exists() for name in launcher.SLOW)
    files = (ROOT / "tests").rglob("test_*.py")
    mark = re.compile(r"^(pytestmark = |@)pytest\.mark\.fleet", re.MULTILINE)
    marked = [path for path in files if mark.search(path.read_text("utf-8"))]
    assert sorted(map(str, marked)) == [word for word in slow if word.endswith("_on_the_fleet.py")]
    assert [path for path in marked if path.relative_to(ROOT / "tests").parts[0] in launcher.SLOW] == []


def test_pytest_gets_the_arguments_of_a_person(launcher: ModuleType) -> None:
    """One run of what they name; several workers, unless they say otherwise."""
    ((name, command, _),) = launcher.test_steps(["tests/core", "-x"])
    assert (name, command[-2:]) == ("tests", ["tests/core", "-x"])
    assert "-n" in command
    ((_, alone, _),) = launcher.test_steps(["-n", "0", "--lf"])
    assert alone[3:] == ["-n", "0", "--lf"]


def test_the_procfile_names_the_two_processes() -> None:
    """A platform starts exactly these; by `exec`, so that SIGTERM reaches the process and its drain is waited for."""
    assert (ROOT / "Procfile").read_text().splitlines() == [
        "web: exec python -m handlers web",
        "worker: exec python -m handlers worker",
    ]


def test_what_the_readme_and_ci_call_is_executable() -> None:
    assert [name for name in ("tailback", ".ci/run") if not os.access(ROOT / name, os.X_OK)] == []


def fake_project(launcher: ModuleType, root: Path) -> None:
    """Points the launcher at a folder with locks and an environment whose Python does nothing."""
    for name in ("pyproject.toml", *LOCKS):
        (root / name).write_text(name)
    python = root / ".venv/bin/python"
    vars(launcher).update(ROOT=str(root), VENV=str(root / ".venv"), PYTHON=str(python))
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)


def test_generated_texts_are_written_where_their_tests_compare_them(launcher: ModuleType) -> None:
    """Every file of tests that compares one is found by the two names, and says what changed when it writes."""
    steps = launcher.golden_steps()
    named = {word for _, command, _ in steps for word in command if word.startswith("tests/")}
    assert {
        "tests/playground/test_story.py",
        "tests/playground/page/test_blocks.py",
        "tests/test_docs_tables.py",
    } < named
    assert steps[-1][1][-1] == "tests/playground/page/test_blocks.py", "it measures what the others have written"
    output = difference("docs/messages.md", "one\ntwo\n", "one\nthree\n")
    assert output.splitlines() == ["docs/messages.md: 2 lines", "  -two", "  +three"]
