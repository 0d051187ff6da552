"""`tailback example`, `tailback completion` and `tailback --version`: what an installation carries with it."""

import json
import subprocess
import sys
import tomllib
from datetime import UTC, datetime

import pytest

from handlers.tools.examples import EXAMPLES
from handlers.version import VERSION
from tests.architecture.tree import ROOT
from tests.handlers.terminal import Terminal, ran

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "alert.json"])
def test_an_example_is_printed_as_it_is_kept(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Byte for byte, so that `>` makes the file."""
    output = ran(capsys, "example", name)
    assert (output.code, output.out) == (0, (ROOT / EXAMPLES[name][0]).read_text("utf-8"))


def test_the_example_alert_begins_now_and_can_be_sent(capsys: pytest.CaptureFixture[str]) -> None:
    """An older one would have resolved since, or tell nothing new; `tailback send -` reads it from the pipe."""
    alert = json.loads(ran(capsys, "example", "alert.json").out)["alerts"][0]
    began = datetime.fromisoformat(alert["startsAt"])
    assert abs((datetime.now(UTC) - began).total_seconds()) < 3600
    assert alert["annotations"]["summary"].startswith("Jobs are queueing.")


def test_without_a_name_every_example_is_listed_with_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    output = ran(capsys, "example")
    assert [line.split()[0] for line in output.out.splitlines()] == list(EXAMPLES)
    assert [line for line in output.out.splitlines() if len(line.split()) < 3] == []


def test_the_version_is_that_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever way it was installed."""
    assert PROJECT["project"]["version"] == VERSION
    assert ran(capsys, "--version").out == f"tailback {VERSION}\n"


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "complete -o default -F _tailback_completion tailback"),
        ("zsh", "#compdef tailback"),
        ("fish", "complete --command tailback"),
    ],
)
def test_a_shell_gets_the_script_that_it_understands(shell: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert line in ran(capsys, "completion", shell).out


def test_bash_completes_commands_options_and_values(terminal: Terminal) -> None:
    """The printed script, loaded by a real bash, asks the program itself."""
    program = terminal.folder / "tailback"
    program.write_text('#!/bin/sh\nexec "$PYTHON" -m handlers "$@"\n')
    program.chmod(0o755)
    (terminal.folder / "script").write_text(terminal.run("completion", "bash").out)
    for typed, expected in (("demo --s", "--scenario --seed --speed"), ("completion f", "fish")):
        words = " ".join(f'"{word}"' for word in ["tailback", *typed.split()])
        ask = f". ./script; COMP_WORDS=({words}); COMP_CWORD={len(typed.split())}; _tailback_completion ./tailback"
        command = f'{ask}; printf "%s\\n" "${{COMPREPLY[@]}}" | sort | xargs'
        environment = terminal.variables({"PYTHON": sys.executable})
        bash = ["bash", "-c", command]
        done = subprocess.run(bash, cwd=terminal.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == expected, done.stderr
