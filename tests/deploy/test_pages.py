"""The pages in docs/how-to: their commands name what is there, and the page on pipx is followed to the letter.

Commands for Docker, a cluster or a host's service manager are read and compared with the files that they use, since
nothing of that runs in a test environment: what they build or install is tested in the other files of this folder.
"""

import os
import re
import shlex
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from handlers.tools.commands import app
from handlers.tools.examples import EXAMPLES
from handlers.version import VERSION
from tests.architecture.tree import ROOT
from tests.deploy.charts import CHART, only, rendered
from tests.deploy.dockerfile import final, unit_settings, variables
from tests.docs_pages import page
from tests.processes import program

PAGES = {name: page(f"docs/how-to/{name}.md") for name in ("container", "kubernetes", "systemd", "pipx")}
GIVEN = variables()
COMMANDS = set(getattr(get_command(app), "commands", {}))


def lines(program: str) -> list[list[str]]:
    """The words of every line of the pages that begins with a program, or with sudo and it."""
    every = [line for one in PAGES.values() for block in one.code("sh") for line in block.splitlines()]
    return [shlex.split(line) for line in every if line.removeprefix("sudo ").startswith(f"{program} ")]


def values(words: list[str], option: str) -> list[str]:
    """What an option is given, each time it stands there."""
    return [following for word, following in pairwise(words) if word == option]


def test_every_docker_command_names_what_is_there() -> None:
    """Services, commands, the mounted paths and the published port are those of compose.yaml and of the image."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    composed = [words[2:] for words in lines("docker") if words[1] == "compose"]
    named = [
        words[-2:] if words[0] == "run" else words[-1:] for words in composed if words[-1] not in {"build", "--detach"}
    ]
    assert [words for words in named if words[0] not in services or not set(words[1:]) <= COMMANDS] == []
    started = [words for words in lines("docker") if words[1] == "run"]
    assert len(started) == 2
    for words in started:
        targets = {target.split(":")[1] for target in values(words, "--volume")}
        assert targets <= {GIVEN["TAILBACK_CONFIG"], final("VOLUME")}
        assert {port.split(":")[-1] for port in values(words, "--publish")} <= {GIVEN["PORT"]}
        assert words[-1] == "tailback" or (words[-2] == "tailback" and words[-1] in COMMANDS)
    assert any(words[:2] == ["docker", "build"] and values(words, "--tag") == ["tailback"] for words in lines("docker"))


@pytest.mark.skipif(not shutil.which("docker"), reason="needs the client of Docker")
def test_docker_knows_the_options_of_the_commands() -> None:
    """Its client tells without an engine."""
    for words in lines("docker"):
        if words[1] != "compose":
            known = program("docker", words[1], "--help").out
            given = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert given <= set(re.findall(r"--[a-z-]+", known)), words


@pytest.mark.needs("helm")
def test_every_helm_command_renders_the_chart(tmp_path: Path) -> None:
    """With the values that it sets; the file with the configuration is the example."""
    commands = lines("helm")
    assert {words[1] for words in commands} == {"install", "upgrade"}
    for words in commands:
        assert (words[2], ROOT / words[3], values(words, "--namespace")) == ("tailback", CHART, ["tailback"])
        given: dict[str, Any] = {}
        for name, _, value in (one.partition("=") for one in values(words, "--set")):
            outer, _, inner = name.partition(".")
            given[outer] = {inner: value} if inner else value
        for name, _, _ in (one.partition("=") for one in values(words, "--set-file")):
            given[name] = (ROOT / "docs/examples/tailback.toml").read_text("utf-8")
        assert rendered(**given)


@pytest.mark.needs("helm")
def test_every_kubectl_command_names_what_is_there() -> None:
    """Objects, the secret and the manifest."""
    documents = rendered()
    for words in lines("kubectl"):
        for kind, name in (word.split("/") for word in words if word.startswith("statefulset/")):
            assert only(documents, {"statefulset": "StatefulSet"}[kind], name)
        if "secret" in words:
            assert (
                words[words.index("generic") + 1]
                == yaml.safe_load((CHART / "values.yaml").read_text())["existingSecret"]
            )
        assert [file for file in values(words, "--filename") if not (ROOT / file).is_file()] == []
        assert "--namespace" in words or "namespace" in words
        if "--" in words:
            assert words[words.index("--") + 1 :][1] in COMMANDS


def test_every_host_command_names_what_is_there() -> None:
    """Paths are those of the unit, files those of the project, and the wheel is that of this version."""
    unit = unit_settings()
    assert unit["ExecStart"] == ["/usr/local/bin/tailback run"]
    (link,) = lines("ln")
    assert link[-2:] == ["/opt/tailback/bin/tailback", "/usr/local/bin/tailback"]
    targets = {words[-1] for words in lines("install")}
    assert targets == {*unit["EnvironmentFile"], "/etc/tailback/tailback.toml"}
    assert "TAILBACK_CONFIG=/etc/tailback/tailback.toml" in unit["Environment"]
    pip = lines("/opt/tailback/bin/pip")
    assert [values(words, "--requirement") for words in pip] == [["requirements.lock"], []]
    assert pip[1][-1] == f"dist/tailback-{VERSION}-py3-none-any.whl"
    piped = re.findall(r"tailback example (\S+) \| sudo tee (\S+)", PAGES["systemd"].text)
    assert {name for name, _ in piped} == {"tailback.service", "nginx.conf", "Caddyfile"} <= set(EXAMPLES)
    assert [target for name, target in piped if name.endswith(".service")] == ["/etc/systemd/system/tailback.service"]
    assert {words[-1] for words in lines("systemctl")} <= {"tailback", "daemon-reload", "nginx", "caddy"}


def test_every_address_and_path_of_the_pages_is_served() -> None:
    """The port is the image's and the default of `web`; the path is one of the product's."""
    assert {words[-1] for words in lines("curl")} == {f"http://127.0.0.1:{GIVEN['PORT']}/readyz"}


def script(page_name: str, until: str, changes: dict[str, str]) -> str:
    """The shell blocks of a page up to a heading, in their order; each line that matches a pattern is changed."""
    part = replace(PAGES[page_name], text=PAGES[page_name].text.partition(f"\n## {until}\n")[0])
    lines = [line for block in part.code("sh") for line in block.splitlines()]
    for pattern, instead in changes.items():
        assert any(re.search(pattern, line) for line in lines), pattern
        lines = [re.sub(pattern, instead, line) for line in lines]
    return "\n".join(lines)


def follow(steps: str, project: Path, **variables: str) -> str:
    """Run the steps in a clone with the two files that a person fills in; gives what they print."""
    if not project.exists():
        program("git", "clone", "--quiet", ROOT, project)
    return program(
        "bash", "-eux", "-c", steps, cwd=project, env={**os.environ, "SLACK_API_URL": NOBODY, **variables}
    ).out


NOBODY = "http://127.0.0.1:1/api/"
FILLED_IN = f"echo SLACK_API_URL={NOBODY} >> .env; printf '[slack]\\nchannel = \"C0CIONCALL\"\\n' > tailback.toml"
"""Instead of a person with an editor; no real Slack is asked."""
ENDS = r"timeout --signal=TERM 10 \g<0> || test $? = 124"
"""What serves until it is stopped is stopped after some seconds."""
FINDS = r"\g<0> || test $? = 1"
"""The doctor finds that nobody filled in real tokens."""


def test_the_steps_of_the_pipx_page_lead_to_a_running_tailback(tmp_path: Path) -> None:
    """Every line in its order, in a home of its own."""
    if not shutil.which("pipx"):
        pytest.skip("needs pipx, and a package registry within reach")
    home = tmp_path / "home"
    home.mkdir()
    answers = "--bot-token xoxb-made-up --app-token xapp-made-up --channel C0CIONCALL </dev/null"
    changes = {r"^tailback (?:demo|run)$": ENDS, r"^tailback init$": f"tailback init {answers} || test $? = 1"}
    path = f"{home}/.local/bin:{os.environ['PATH']}"
    output = follow(
        script("pipx", "Nothing stands here", changes), tmp_path / "project", HOME=str(home), PATH=path, PORT="0"
    )
    assert f"tailback {VERSION}" in output
    assert not (home / ".local/bin/tailback").exists()
    assert "complete" in (home / ".local/share/bash-completion/completions/tailback").read_text("utf-8")


def test_the_steps_of_the_container_page_lead_to_a_running_tailback(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The demo, one container, and the stack, one after the other; what they leave behind is removed."""
    if not shutil.which("docker") or program("docker", "info", code=None).code:
        pytest.skip("needs a Docker engine, its plugin compose, and the base images within reach")
    clean = "docker rm --force tailback; docker compose down --volumes; docker volume rm --force tailback"
    project = tmp_path / "project"
    request.addfinalizer(lambda: program("sh", "-c", clean, cwd=project, code=None))
    changes = {
        r"^docker compose up demo$": ENDS.replace("10", "90"),
        r"^cp docs/examples/tailback.toml tailback.toml$": FILLED_IN,
        r"^docker (run --rm|compose run).* check$": FINDS,
        r"^docker compose build$": r"docker rm --force tailback; \g<0>",
        r"^docker compose logs.*$": ENDS,
    }
    follow(script("container", "What the image does", changes), project)


def test_the_steps_of_the_systemd_page_lead_to_a_running_service(tmp_path: Path) -> None:
    """Only on a machine to throw away, since the steps install into /opt, /etc and systemd."""
    if not os.environ.get("TAILBACK_TEST_HOST"):
        pytest.skip("changes the host: set TAILBACK_TEST_HOST=1 on a machine to throw away, with systemd and sudo")
    changes = {
        r"^sudo install -D --mode=0600 .env .*$": f"cp .env.example .env\n{FILLED_IN}\n\\g<0>",
        r"^journalctl .*$": ENDS,
    }
    follow(script("systemd", "Put a proxy in front", changes), tmp_path / "project")
