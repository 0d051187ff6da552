"""The image: what can be checked without a builder everywhere, and built and started where there is one."""

import contextlib
import os
import re
import shutil
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
from starlette.responses import Response

from tests.answering import answering_aside
from tests.architecture.tree import ROOT
from tests.deploy.dockerfile import BUILD, FINAL, copied, final, reaches_the_builder, variables
from tests.patience import PATIENCE_SECONDS, until
from tests.processes import Ran, program

HEALTH = ROOT / "deploy/healthcheck.py"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_everything_that_is_copied_exists_and_reaches_the_builder() -> None:
    """A file that .dockerignore holds back, or that was moved, fails here and not in a release."""
    sources = [source for source, _ in copied()]
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [source for source in sources if not reaches_the_builder(source)] == []
    assert [secret for secret in (".env", ".git/config", "data/x", "tests") if reaches_the_builder(secret)] == []


def test_the_copied_files_alone_make_a_wheel_with_the_whole_product(tmp_path: Path) -> None:
    """Every module, the page of the demo and every shipped example is in the wheel that is made from them."""
    for source, target in copied():
        place = tmp_path / (Path(source).name if target == "./" else source)
        place.parent.mkdir(parents=True, exist_ok=True)
        program("cp", "-r", ROOT / source, place)
    program(sys.executable, "-m", "hatchling", "build", "-t", "wheel", cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    shutil.unpack_archive(wheel, tmp_path / "out", "zip")
    files = [path for top in ("bot", "handlers") for path in (ROOT / top).rglob("*") if path.is_file()]
    kept = [path.relative_to(ROOT) for path in files if "__pycache__" not in path.parts]
    assert [path for path in kept if not (tmp_path / "out" / path).exists()] == []


def test_the_process_runs_as_a_numbered_user_that_is_not_root() -> None:
    """Kubernetes refuses `runAsNonRoot` for a user that is only a name."""
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", final("USER"))
    names = [each.name for each in FINAL]
    assert names.index("USER") > max(place for place, name in enumerate(names) if name in {"RUN", "COPY"})


def test_signals_reach_tailback_itself() -> None:
    """The exec form has no shell in between; SIGTERM is what Tailback drains on."""
    (entry,) = [each for each in FINAL if each.name == "ENTRYPOINT"]
    (command,) = [each for each in FINAL if each.name == "CMD"]
    assert entry.words[0] in PROJECT["scripts"]
    assert command.words == ["run"]
    assert final("STOPSIGNAL") == "SIGTERM"


def test_only_locked_packages_with_their_hashes_are_installed() -> None:
    """Every `pip install` checks hashes, or installs our own wheel alone; nothing else is downloaded."""
    steps = [step for each in (*BUILD, *FINAL) if each.name == "RUN" for step in each.value.split("&&")]
    installs = [step for step in steps if "pip" in step and "install " in step and "--directory" not in step]
    assert len(installs) == 3
    assert [step for step in installs if "--require-hashes" not in step and "--no-deps dist/" not in step] == []
    assert [step for step in steps if re.search(r"\b(curl|wget|apt-get|git)\b", step)] == []
    assert [each for each in (*BUILD, *FINAL) if each.name == "ADD"] == []
    assert "requirements-aws.lock" in dict(copied())


def test_the_base_is_one_tag_with_a_python_that_tailback_supports() -> None:
    """Both stages share it, so that the environment fits; `latest` would be another one tomorrow."""
    (base,) = [each.value.partition("=")[2] for each in BUILD if each.name == "ARG"]
    python = re.fullmatch(r"python:(3\.\d+)-slim-[a-z]+", base)
    assert python is not None, base
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert tuple(map(int, python[1].split("."))) >= tuple(map(int, oldest.split(".")))
    assert [each.value for each in BUILD if each.name == "FROM"] == ["${PYTHON_IMAGE} AS build"]
    assert final("FROM") == "${PYTHON_IMAGE}"


def test_the_image_holds_no_secret_and_writes_only_to_its_volume_and_tmp() -> None:
    """The root file system may be read-only: data, home and the configuration lie outside of it."""
    given = variables()
    assert [name for name in given if re.search("TOKEN|SECRET|PASSWORD|KEY", name)] == []
    assert given["TAILBACK_DATA"].startswith(f"{final('VOLUME')}/")
    assert (given["HOME"], given["PYTHONDONTWRITEBYTECODE"]) == ("/tmp", "1")
    assert final("EXPOSE").split() == [given["PORT"], given["TAILBACK_WORKER_PORT"]]


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (404, True), (500, False), (503, False)])
@pytest.mark.parametrize("variable", ["PORT", "TAILBACK_WORKER_PORT"])
def test_the_health_check_asks_the_web_process_or_the_worker(variable: str, status: int, healthy: bool) -> None:
    """One image for all processes: whichever of the two ports answers decides. A proxy of the environment does not."""
    with answering_aside(lambda asked: Response(status_code=status if asked.path == "/healthz" else 404)) as port:
        given = {"PORT": "1", "TAILBACK_WORKER_PORT": "1", "http_proxy": "http://127.0.0.1:1", variable: str(port)}
        ran = program(sys.executable, HEALTH, env=given, code=0 if healthy else 1)
    assert ran.err == ""


def test_the_health_check_fails_when_nobody_listens() -> None:
    """Without a word: Docker shows what it prints."""
    given = {"PORT": "1", "TAILBACK_WORKER_PORT": "none"}
    assert program(sys.executable, HEALTH, env=given, code=1) == Ran(1, "", "")


@pytest.mark.needs("hadolint")
def test_hadolint_has_nothing_to_say() -> None:
    """The usual linter for Dockerfiles."""
    assert program("hadolint", ROOT / "Dockerfile").out == ""


def engine() -> str | None:
    """A container engine that answers here."""
    found = (name for name in ("docker", "podman") if shutil.which(name) and not program(name, "info", code=None).code)
    return next(found, None)


def test_the_image_is_built_started_read_only_and_stopped_in_order(request: pytest.FixtureRequest) -> None:
    """The demo answers from a read-only container of an unprivileged user, and ends with 0 on SIGTERM.

    Set PYTHON_IMAGE to build from another base than the Dockerfile's.
    """
    docker = engine()
    if docker is None:
        pytest.skip("no container engine answers here: start Docker or Podman to build and start the image")
    base = os.environ.get("PYTHON_IMAGE") or BUILD[0].value.partition("=")[2]
    if program(docker, "pull", "--quiet", base, code=None).code:
        pytest.skip(f"the base image {base} cannot be pulled here: set PYTHON_IMAGE to one that can")
    program(docker, "build", "--quiet", f"--build-arg=PYTHON_IMAGE={base}", "--tag", "tailback:test", ROOT)
    options = ["--detach", "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--publish=127.0.0.1::8080"]
    name = program(docker, "run", *options, "tailback:test", "demo", "--host", "0.0.0.0").out.strip()
    request.addfinalizer(lambda: program(docker, "rm", "--force", name, code=None))
    address = program(docker, "port", name, "8080").out.split()[0]
    assert page(f"http://{address}/") == 200
    program(docker, "exec", name, "python", "/opt/tailback/healthcheck.py")
    program(docker, "stop", "--time=30", name)
    assert program(docker, "inspect", "--format", "{{.State.ExitCode}}", name).out.strip() == "0"


def page(address: str) -> int:
    """The status of a page once it answers."""
    found: list[int] = []

    def answers() -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=PATIENCE_SECONDS) as answer:
            found.append(int(answer.status))
        return bool(found)

    until(answers, f"an answer of {address}")
    return found[0]
