"""C20: a release can be traced to its tag, and anybody can build the same bytes."""

import hashlib
import os
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path

import yaml

from tests.architecture.tree import ROOT
from tests.processes import program

WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
JOBS = WORKFLOW["jobs"]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
SOURCES = ("bot", "handlers", "pyproject.toml", "README.md", "LICENSE", ".env.example", "docs", "deploy")


def copied(folder: Path) -> Path:
    """The tree that a wheel is made of, in a new place with new times."""
    folder.mkdir()
    for name in SOURCES:
        program("cp", "-r", ROOT / name, folder / name)
    for path in folder.rglob("*.py"):
        os.utime(path, (1, 1))
    return folder


def built(folder: Path) -> Path:
    program(sys.executable, "-m", "hatchling", "build", "-t", "wheel", cwd=folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def test_a_wheel_is_the_same_bytes_wherever_it_is_built(tmp_path: Path) -> None:
    """Two places, two times, one hash; and nothing but the product lies in it."""
    first, second = (built(copied(tmp_path / name)) for name in ("here", "there"))
    assert hashlib.sha256(first.read_bytes()).digest() == hashlib.sha256(second.read_bytes()).digest()
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(first).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bot", "handlers"}


def steps(job: str) -> str:
    """Everything that the steps of one job run or use, in their order."""
    return "\n".join(str(step.get("run") or step["uses"]) for step in JOBS[job]["steps"])


def before(job: str) -> set[str]:
    """The jobs that must have passed when this one starts."""
    needs = JOBS[job].get("needs", [])
    direct = {needs} if isinstance(needs, str) else set(needs)
    return direct.union(*(before(one) for one in direct))


def test_a_release_is_tested_scanned_built_attested_and_published_in_this_order() -> None:
    assert ".ci/run" in steps("test")
    built = {"test", "audit"}
    assert {job: before(job) for job in JOBS} == {
        "test": set(),
        "audit": set(),
        "build": built,
        "image": built,
        "attest": built | {"build", "image"},
        "registry": built | {"build", "image", "attest"},
        "publish": built | {"build", "image", "attest", "registry"},
    }
    for job, parts in (
        ("audit", [".github/audit"]),
        ("build", ["-m build", "cyclonedx-py", "server.py bom", "helm package", "notes.md", "upload-artifact"]),
        ("image", ["setup-qemu", "linux/amd64,linux/arm64 --sbom=true --provenance=mode=max", "type=oci", "upload"]),
        ("attest", ["download-artifact", "attest-build-provenance"]),
        ("registry", ["download-artifact", "skopeo copy --all --preserve-digests", "helm push"]),
        ("publish", ["download-artifact", "gh release create"]),
    ):
        places = [steps(job).index(part) for part in parts]
        assert places == sorted(places), job


def test_each_job_of_a_release_has_the_rights_that_it_needs_and_no_others() -> None:
    """What runs foreign code can write nothing and sign nothing; what can write never has the code at hand."""
    assert WORKFLOW["permissions"] == {"contents": "read"}
    written = {job: set(one.get("permissions", {})) for job, one in JOBS.items()}
    rights = {"attest": {"attestations", "id-token"}, "registry": {"packages"}, "publish": {"contents"}}
    assert written == {job: rights.get(job, set()) for job in JOBS}
    checkouts = {job: [step["with"] for step in one["steps"] if "actions/checkout@" in str(step.get("uses"))]
                 for job, one in JOBS.items()}  # fmt: skip
    assert {job for job, found in checkouts.items() if found} == {job for job, rights in written.items() if not rights}
    assert all(found == [{"persist-credentials": False}] for found in checkouts.values() if found)


def run(line: str, tag: str, folder: Path = ROOT) -> int:
    """The code of one line of the pipeline, run by a shell as the pipeline does."""
    given = {**os.environ, "GITHUB_REF_NAME": tag, "IMAGE": "ghcr.io/Example/Tailback"}
    return program("bash", "-c", line, cwd=folder, env=given, code=None).code


def line(job: str, part: str) -> str:
    """The only line of a job that contains `part`."""
    (found,) = [one for one in steps(job).splitlines() if part in one]
    return found


def test_a_tag_of_another_version_than_the_code_and_the_changelog_say_is_stopped() -> None:
    """The version stands in pyproject.toml, and CHANGELOG.md has its section."""
    for part, tag in (("pyproject.toml", f"v{VERSION}"), ("CHANGELOG.md", "v0.2.0")):
        assert run(line("test", part), tag) == 0
        assert run(line("test", part), "v99.0.0") != 0


def test_the_notes_of_a_release_are_its_section_of_the_changelog(tmp_path: Path) -> None:
    """From below its heading to the next version's."""
    (tmp_path / "dist").mkdir()
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## 2.0.0, today\n\n* New.\n\n### More\n\n## 1.2.0, before\n\n* Old.\n"
    )
    assert run(line("build", "notes.md"), "v2.0.0", tmp_path) == 0
    assert (tmp_path / "dist/notes.md").read_text().split() == ["*", "New.", "###", "More"]


def test_the_released_chart_names_the_released_image(tmp_path: Path) -> None:
    """Registries take small letters alone; exactly one line of the values changes."""
    shutil.copytree(ROOT / "deploy/helm", tmp_path / "deploy/helm")
    assert run(line("build", "sed -i"), "v2.0.0", tmp_path) == 0
    name = "deploy/helm/tailback/values.yaml"
    values, released = ((folder / name).read_text("utf-8").splitlines() for folder in (ROOT, tmp_path))
    changed = [after for before, after in zip(values, released, strict=True) if before != after]
    assert changed == ["  repository: ghcr.io/example/tailback"]
