"""Every command of README and docs is run here in a way that does no harm, or is named with the test that runs it."""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from handlers.tools.commands import app
from tests.architecture.tree import ROOT
from tests.docs_pages import Command, command_of, page, pages, rows, shell_lines, spoken_commands
from tests.patience import PATIENCE_SECONDS
from tests.processes import Zygote

EXAMPLE_ALERT = "tests/fixtures/grafana/RECONSTRUCTED_seed_alert.json"
NOBODY = "http://127.0.0.1:1"
MADE_UP = {
    "SLACK_BOT_TOKEN": "xoxb-made-up-for-a-test",
    "SLACK_SIGNING_SECRET": "made-up-signing-secret",
    "SLACK_API_URL": f"{NOBODY}/api/",
    "TAILBACK_WEBHOOK_TOKEN": "made-up-webhook-token-0123456789",
    "GITHUB_WEBHOOK_SECRET": "made-up-github-secret-0123456789",
    "GRAFANA_TOKEN": "made-up-grafana-token",
}
"""Nothing of it leads anywhere: port 1 of this machine answers nobody."""

OUTCOMES = {
    ("demo", "--list"): (0, "surge"),
    ("manifest",): (0, '"slash_commands"'),
    ("restored",): (1, "slack.channel: is required"),
    ("check", "--json"): (1, '"ok": false'),
    ("check",): (1, "in order."),
    ("send",): (1, "Nobody listens at http://127.0.0.1:1"),
    ("export",): (1, "There are no records in"),
    ("audit",): (1, "There are no records in"),
    ("report", "linux.2xlarge"): (1, 'Unknown pool "linux.2xlarge". None is configured'),
    ("report",): (1, "There are no records in"),
    ("run",): (78, "slack.channel: is required"),
    ("web",): (78, "slack.channel: is required"),
    ("worker",): (78, "slack.channel: is required"),
    ("replay",): (0, "RunnerQueueTooLong"),
    ("--version",): (0, "tailback "),
    ("example",): (0, "tailback.toml"),
    ("job",): (1, "Tailback"),
}
"""How a command begins, the longest beginning first: its exit code here, and what it says."""

DEPLOY = {
    "curl --fail": "test_every_address_and_path_of_the_pages_is_served",
    "docker": "test_every_docker_command_names_what_is_there",
    "helm": "test_every_helm_command_renders_the_chart",
    "journalctl": "test_every_host_command_names_what_is_there",
    "kubectl": "test_every_kubectl_command_names_what_is_there",
    "mkdir": "test_the_steps_of_the_pipx_page_lead_to_a_running_tailback",
    "pip wheel": "test_the_steps_of_the_pipx_page_lead_to_a_running_tailback",
    "pipx": "test_the_steps_of_the_pipx_page_lead_to_a_running_tailback",
    "sudo": "test_every_host_command_names_what_is_there",
    "tailback completion": "test_the_steps_of_the_pipx_page_lead_to_a_running_tailback",
    "tailback example": "test_the_steps_of_the_pipx_page_lead_to_a_running_tailback",
}
COVERED = {
    "tailback demo": "tests/test_docs_commands.py::test_the_demo_prints_its_address_and_ends_on_request",
    "tailback demo --scenario": "tests/test_docs_commands.py::test_the_demo_prints_its_address_and_ends_on_request",
    "tailback demo --no-browser": "tests/test_docs_commands.py::test_the_demo_prints_its_address_and_ends_on_request",
    "tailback demo --workspace-only": "tests/journeys/test_quickstart.py",
    "tailback demo --speed": "tests/test_docs_commands.py::test_the_demo_prints_its_address_and_ends_on_request",
    "tailback init": "tests/journeys/test_quickstart.py",
    "tailback test": "tests/test_launcher.py",
    "tailback lock": "tests/test_launcher.py",
    "tailback setup": "tests/test_launcher.py",
    "curl -sG": "tests/handlers/tools/test_replay.py::test_the_documented_export_is_replayed_with_real_deliveries",
    "curl -s": "tests/handlers/api/test_contract.py::test_the_curl_lines_of_the_page_ask_every_path",
    "TAILBACK_URL=https://tailback.example.com tailback mcp": (
        "tests/handlers/api/test_mcp.py::test_the_same_tools_over_standard_input_and_output"
    ),
    "promtool check rules": "tests/integrations/test_monitoring_examples.py",
    "promtool test rules": "tests/integrations/test_monitoring_examples.py",
    "tailback golden": "tests/test_launcher.py",
    "tar": "tests/adapters/redis/test_embedded.py::test_the_lines_of_the_backup_page_bring_the_records_back",
    "amtool": "tests/integrations/test_monitoring_examples.py",
    **{beginning: f"tests/deploy/test_pages.py::{test}" for beginning, test in DEPLOY.items()},
    "cp": "tests/test_docs_commands.py::test_each_file_that_is_copied_is_there",
}
"""Lines that are not run as they stand, by how they begin, and the test that runs them."""


def runnable() -> list[Command]:
    """Every different command of the shell blocks that can be run as it stands."""
    found = {command for _, line in shell_lines() if not covered(line) and (command := command_of(line))}
    return sorted(found, key=lambda command: command.name)


def covered(line: str) -> str:
    """The test that runs such a line; empty when it is run as it stands."""
    words = line.removeprefix("./")
    beginnings = [start for start in COVERED if words == start or words.startswith(f"{start} ")]
    if "--list" in words:
        return ""
    return COVERED[max(beginnings, key=len)] if beginnings else ""


def commands() -> dict[str, set[str]]:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    return {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in group.commands.items()
    }


@pytest.mark.parametrize("line", sorted({line for _, line in shell_lines()}))
def test_each_line_of_a_shell_block_is_run_by_a_test(line: str) -> None:
    """A line is a `tailback` command with a known outcome, or it is named with the test that runs it."""
    test = covered(line)
    if test:
        file, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / file).read_text("utf-8"), test
        return
    command = command_of(line)
    assert command is not None, f"no test runs {line!r}: add it to COVERED"
    assert outcome_of(command), f"no outcome is known for {line!r}: add it to OUTCOMES"


def outcome_of(command: Command) -> tuple[int, str] | None:
    beginnings = [start for start in OUTCOMES if command.words[: len(start)] == start]
    return OUTCOMES[max(beginnings, key=len)] if beginnings else None


@pytest.mark.parametrize("command", runnable(), ids=lambda command: command.name)
def test_each_documented_command_does_what_it_should(command: Command, tmp_path: Path, zygote: Zygote) -> None:
    """It really runs, with made-up values in an empty place, and exits with the known code and a known sentence."""
    outcome = outcome_of(command)
    assert outcome is not None
    code, sentence = outcome
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "alert.json").write_bytes((ROOT / EXAMPLE_ALERT).read_bytes())
    if command.words[0] == "check":
        write_example(tmp_path)
    words = [word.replace("http://127.0.0.1:8080", NOBODY) for word in command.words]
    ran = zygote.run(words, environment({**MADE_UP, **dict(command.variables), "PORT": "1"}), tmp_path)
    output = ran.out + ran.err
    assert (ran.code, sentence in output) == (code, True), output
    assert "Traceback" not in output


def environment(variables: dict[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}


def write_example(place: Path) -> None:
    text = (ROOT / "docs/examples/tailback.toml").read_text("utf-8")
    (place / "tailback.toml").write_text(re.sub(r'"https?://[^/"]+', f'"{NOBODY}', text))


def test_the_doctor_finds_the_example_complete_and_its_back_ends_missing(tmp_path: Path, zygote: Zygote) -> None:
    """With every variable set, all that is left are the servers that do not run here, each with a remedy."""
    write_example(tmp_path)
    ran = zygote.run(["check"], environment(MADE_UP), tmp_path)
    areas = {line.split()[1] for line in ran.out.splitlines() if line.startswith("problem")}
    assert ran.code == 1
    assert areas == {"slack", "metrics", "scaler", "alertmanager"}, ran.out
    assert all("To do: " in line for line in ran.out.splitlines() if line.startswith("problem"))


async def test_the_demo_prints_its_address_and_ends_on_request(tmp_path: Path) -> None:
    """The first command of the README, with the other options that the docs show."""
    words = ["demo", "--scenario", "limit-reached", "--seed", "7", "--port", "0", "--speed", "30", "--no-browser"]
    demo = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "handlers", *words),
        cwd=tmp_path,
        env=environment({}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert demo.stdout is not None
            output = await demo.stdout.readuntil(b"/?channel=")
            demo.terminate()
            await demo.communicate()
    finally:
        with contextlib.suppress(ProcessLookupError):
            demo.kill()
    assert re.search(rb"http://127.0.0.1:\d+/\?channel=$", output)
    assert demo.returncode == 0


def test_each_file_that_is_copied_is_there() -> None:
    """`cp A B` names a file of the project."""
    copied = [line.split() for _, line in shell_lines() if line.startswith("cp ")]
    assert copied
    assert [words[1] for words in copied if not (ROOT / words[1]).is_file()] == []


def test_the_example_environment_can_be_loaded_by_a_shell(tmp_path: Path) -> None:
    """A shell may read the same file, with `set -a; . ./.env`: its variables are those of the next command."""
    (tmp_path / ".env").write_bytes((ROOT / ".env.example").read_bytes())
    ran = subprocess.run(
        ["sh", "-c", "set -a; . ./.env; set +a; env"],
        cwd=tmp_path,
        env=environment({}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "SLACK_BOT_TOKEN=xoxb-your-bot-token" in ran.stdout.splitlines()


@pytest.mark.parametrize(("path", "words"), sorted(set(spoken_commands())), ids=lambda value: str(value)[:60])
def test_each_command_in_running_text_exists_with_its_options(path: str, words: tuple[str, ...]) -> None:
    """`tailback …` in a sentence or a table names a command and options that there are."""
    if words[0] in {"test", "lock", "setup", "golden"}:
        return
    known = commands()
    assert words[0] in known, f"{path}: tailback {' '.join(words)}"
    assert {word for word in words if word.startswith("--")} - {"--help"} <= known[words[0]]


def test_each_command_stands_in_the_table_of_commands_and_in_an_example() -> None:
    """Nobody finds a command that no page names."""
    table = rows(page("docs/reference/commands.md").section("Command line"))
    assert {f"tailback {name}" for name in commands()} == set(table)
    shown = {line for one in pages() for block in one.code("sh") for line in block.splitlines()}
    assert [name for name in commands() if not any(f"tailback {name}" in line for line in shown)] == []
