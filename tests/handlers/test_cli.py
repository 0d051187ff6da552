"""The command line: every command's help, one line for every failure, exit codes, and a run from end to end."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Never

import pytest

from handlers.__main__ import main
from tests.architecture.tree import ROOT
from tests.handlers.terminal import Terminal, ran
from tests.patience import PATIENCE_SECONDS, eventually
from tests.playground.slack_kit import Kit, standing
from tests.processes import Ran
from tests.wording import acknowledged

COMMANDS = (
    *("demo", "run", "web", "worker", "restored", "init"),
    *("check", "manifest", "send", "export", "audit", "report", "replay"),
    *("example", "completion", "mcp", "job"),
)
SEED_ALERT = ROOT / "tests" / "fixtures" / "grafana" / "RECONSTRUCTED_seed_alert.json"
FILE = '[slack]\nchannel = "C0CIONCALL"\nfallback_channel = "C0OPS"\n'
TOKEN = "0123456789abcdef0123456789abcdef"


def real(terminal: Terminal, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m handlers ARGUMENTS` as a person starts it, without the shortcut of the zygote."""
    return printed(terminal, sys.executable, "-m", "handlers", *arguments)


def printed(terminal: Terminal, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=terminal.folder,
        env=terminal.variables({}),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def test_ctrl_c_while_it_loads_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine that takes seconds."""

    class Loading(ModuleType):
        def __getattr__(self, name: str) -> Never:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "handlers.cli", Loading("handlers.cli"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


def test_the_program_lists_its_commands(terminal: Terminal) -> None:
    """A real process: `python -m handlers --help` names every command with what it does, none cut off."""
    output = real(terminal, "--help")
    assert (output.returncode, output.stderr) == (0, "")
    listed = re.findall(r"^  (\w+) {2,}(\S.*)$", output.stdout.partition("Commands:")[2], re.MULTILINE)
    assert [name for name, _ in listed] == list(COMMANDS)
    assert all(words.endswith(".") and "..." not in words for _, words in listed)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(
    command: str, here: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ran(capsys, command, "--help")
    assert output.code == 0
    (example,) = re.findall(r"Example: (.*)", output.out)
    assert f"tailback {command}" in example


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("queue",), 2, "No such command 'queue'. See `tailback --help`."),
        (("check", "--jsn"), 2, "No such option: --jsn"),
        (("send",), 1, "Name one FILE with a payload, or --example"),
        (("send", "alert.json", "--resolved"), 1, "--resolved goes with --example"),
        (("demo", "--port", "x"), 2, "Invalid value for '--port'"),
        (("audit", "--has"), 2, "Option '--has' requires an argument. See `tailback audit --help`."),
        (("audit", "--verify", "--has", "1f2e"), 1, "--has: a hash has 64 hexadecimal digits. Copy it from"),
        (("report", "--days", "50"), 2, "See `tailback report --help`."),
        (("demo", "--scenario", "nope"), 1, "There is no scenario \"nope\". Choose one of: surge"),
        (("manifest",), 1, "Choose how Slack reaches Tailback: --socket"),
        (("manifest", "--socket", "--url", "https://x.example"), 1, "Choose how Slack reaches Tailback"),
        (("manifest", "--url", "http://x.example"), 1, "--url: Slack delivers to https addresses only"),
        (("send", "none.json"), 1, "none.json: cannot be read"),
        (("send", "alert.json", "--to", "pager"), 1, "--to: there is no source 'pager'; known: alertmanager, event"),
        (("send", "alert.json"), 1, "TAILBACK_WEBHOOK_TOKEN is not set; set it"),
        (("export", "i1"), 1, "There are no records in"),
        (("export", "i1", "--sev", "--format", "json"), 1, "--sev is Markdown"),
        (("export", "i1", "--sev", "--json"), 1, "--sev is Markdown"),
        (("export", "i1", "--format", "pdf"), 2, "Invalid value for '--format'"),
        (("audit",), 1, "set TAILBACK_DATA or REDIS_URL"),
        (("audit", "--since", "soon"), 1, "--since: 'soon' is not a time; write for example 2h"),
        (("example", "nope"), 1, 'There is no example "nope". Choose one of: minimal.toml, tailback.toml'),
        (("completion", "tcsh"), 2, "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ],
)  # fmt: skip
def test_a_command_that_fails_says_why_in_one_line(
    arguments: tuple[str, ...], code: int, sentence: str, here: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, with what to do, and a code that is not 0; no folder is made on the way."""
    Path("alert.json").write_bytes(SEED_ALERT.read_bytes())
    result = ran(capsys, *arguments)
    assert result.code == code
    assert result.complaint.startswith("tailback: ")
    assert sentence in result.complaint
    assert result.out == ""
    assert [path.name for path in Path().iterdir()] == ["alert.json"]


WRONG = '[slack]\nchanel = "C1"\n[timing]\npoll = "soon"\n'
WRONG_BACK_ENDS = (
    '[slack]\nchanel = "C1"\n[metrics.prom]\nkind = "prometheus"\nurl = "nowhere"\n[alertmanager.am]\n'
    'kind = "alertmanger"\n[pool.a]\nmetrics = "prom"\nfloor = "none"\n[pool.b]\nmetrics = "other"\n'
)
BACK_ENDS = (
    *("SLACK_BOT_TOKEN", "pool.a.floor: is not a whole number", "[metrics.prom]: url: ", "REDIS_URL: the scheme"),
    "[alertmanager.am]: kind: there is no kind of that name",
    '[pool."b"]: metrics: there is no source "other"',
)


SERVERS, TOOLS = {"run", "web", "worker"}, {"check", "send alert.json", "audit", "restored"}


@pytest.mark.parametrize(
    ("command", "file", "expected"),
    [
        *((one, WRONG, ("timing.poll: ",)) for one in sorted(SERVERS | TOOLS)),
        *((one, WRONG_BACK_ENDS, BACK_ENDS) for one in ("run", "worker", "check")),
    ],
)
def test_every_problem_of_the_configuration_is_a_line(
    command: str, file: str, expected: tuple[str, ...], here: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person mends variables, file and back ends in one go; what rests on a wrong table is not complained of.

    A server ends with 78, EX_CONFIG, which the unit's RestartPreventExitStatus names; a tool with 1.
    """
    here.setenv("PORT", "eighty")
    here.setenv("REDIS_URL", "http://redis")
    Path("tailback.toml").write_text(file)
    Path("alert.json").write_bytes(SEED_ALERT.read_bytes())
    result = ran(capsys, *command.split())
    assert result.code == (78 if command in SERVERS else 1)
    lines = (result.out if command == "check" else result.err).splitlines()
    for problem in ("PORT: ", "slack.chanel: there is no such setting", *expected):
        assert len([line for line in lines if problem in line]) == 1, lines
    assert not [line for line in lines if "slack.channel" in line or '[pool."a"]' in line]


def test_an_empty_folder_is_told_whole(terminal: Terminal) -> None:
    """Real processes: the doctor's problems with remedies, exit 1; the manifest alone, to be piped; nothing is made.

    Without a command it says what there is, which is no failure.
    """
    output = terminal.run("check")
    assert (output.code, output.err) == (1, "")
    assert "problem  environment   SLACK_BOT_TOKEN is not set. To do: create the app" in output.out
    assert "in order." in output.out.splitlines()[-1]
    output = terminal.run("manifest", "--socket")
    assert (output.code, output.err, json.loads(output.out)["_metadata"]) == (0, "", {"major_version": 2})
    assert terminal.run() == terminal.run("--help")
    assert list(terminal.folder.iterdir()) == []


def test_a_redis_that_is_not_there_is_one_line(here: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Unreachable reaches the person as a sentence."""
    here.setenv("REDIS_URL", "unix:///nowhere/redis.sock")
    complaint = ran(capsys, "audit").complaint
    assert complaint.startswith("tailback: Redis: no connection (")
    assert "; check REDIS_URL" in complaint
    here.setenv("REDIS_URL", "http://redis")
    assert "REDIS_URL: the scheme 'http' is not known; write redis://" in ran(capsys, "audit").complaint


def test_a_closed_pipe_is_no_failure(terminal: Terminal) -> None:
    """`tailback demo --list | head -1`."""
    command = f"{sys.executable} -m handlers demo --list | head -1"
    done = printed(terminal, "/bin/bash", "-o", "pipefail", "-c", command)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "surge\n"


@pytest.mark.parametrize(
    ("closed", "code", "sentence"),
    [
        ("> /dev/full", 1, "tailback: Not all of the output was written (No space left on device). Free some space"),
        (">&-", 0, ""),
        ("<&- >&- 2>&-", 0, ""),
    ],
)
def test_an_output_that_takes_nothing_is_no_bug(closed: str, code: int, sentence: str, terminal: Terminal) -> None:
    """A full disk is said. Closed streams are those of a caller that wants to hear nothing."""
    done = printed(terminal, "/bin/sh", "-c", f"{sys.executable} -m handlers audit --help {closed}")
    assert done.returncode == code
    assert done.stderr.startswith(sentence)


@pytest.mark.parametrize(
    ("words", "never"),
    [
        ("demo --host 192.0.2.1", {"slack_bolt", "redis", "apscheduler", "bot.registry"}),
        ("--help", {"pydantic", "structlog", "slack_bolt", "redis", "httpx", "aiohttp", "uvloop", "bot.core.incident"}),
        ("example env", {"slack_bolt", "redis", "aiohttp", "bot.config"}),
        ("send none.json", {"slack_bolt", "redis", "aiohttp", "bot.playground.slack"}),
        ("audit", {"slack_bolt", "bot.playground.slack", "handlers.http"}),
        ("run", {"bot.playground", "typer", "boto3", "cryptography.x509", "jwt", "aiohttp.web_app"}),
    ],
)
def test_a_command_loads_only_what_it_uses(words: str, never: set[str], terminal: Terminal) -> None:
    """Start-up and memory of every command are paid for by import; none loads what only tests need."""
    listing = (
        "import sys\nfrom handlers.cli import main\ntry: main(sys.argv[1:])\n"
        "except SystemExit: print('loaded', *sys.modules)"
    )
    done = printed(terminal, sys.executable, "-c", listing, *words.split())
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {*never, "pytest", "hypothesis", "playwright", "tests"}


def test_a_port_that_is_taken_is_one_line(terminal: Terminal) -> None:
    """Whoever listens there already is not disturbed, and the folder can be used again at once."""
    (terminal.folder / "tailback.toml").write_text(FILE)
    given = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": "secret", "TAILBACK_WEBHOOK_TOKEN": TOKEN}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = terminal.run("run", **given, PORT=port)
    assert done.code == 1
    assert (
        done.err == f"tailback: PORT: cannot listen on 127.0.0.1:{port} (another program may be using it); "
        "set PORT to a free port above 1023\n"
    )
    assert terminal.run("audit", **given).code == 0


@asynccontextmanager
async def running(terminal: Terminal, kit: Kit, **more: str) -> AsyncIterator[tuple[str, dict[str, str], int]]:
    """`tailback run` as a real process against the stand-in: address, variables and process; ends by SIGTERM."""
    (terminal.folder / "tailback.toml").write_text(FILE)
    given = terminal.variables(
        {
            "SLACK_BOT_TOKEN": "xoxb-demo",
            "SLACK_SIGNING_SECRET": "demo-signing-secret",
            "SLACK_API_URL": f"{kit.url}/api/",
            "TAILBACK_WEBHOOK_TOKEN": TOKEN,
            "PORT": "0",
            **more,
        }
    )
    out, err, zygote = terminal.folder / "out.log", terminal.folder / "err.log", terminal.zygote
    pid = zygote.start(["run"], given, out, err=err, cwd=terminal.folder)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (ready := [line for line in lines(out) if line["event"] == "ready"]):
                assert zygote.code(pid) is None, err.read_text()
                await asyncio.sleep(0.02)
        yield str(ready[0]["web"]), given, pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (code := zygote.code(pid)) is None:  # noqa: ASYNC110 - the end of a process sets no event of ours
                await asyncio.sleep(0.02)
    assert (code, err.read_text()) == (0, "")
    assert all(line["level"] in {"info", "warning"} for line in lines(out))
    assert TOKEN not in out.read_text()


def lines(log: Path) -> list[dict[str, object]]:
    """The whole lines that a process has logged so far."""
    whole = log.read_text().rpartition("\n")[0] if log.exists() else ""
    return [json.loads(line) for line in whole.splitlines()]


async def command(terminal: Terminal, *arguments: str, **given: str) -> Ran:
    """One more process, while the stand-in goes on answering in this one."""
    return await asyncio.to_thread(terminal.run, *arguments, **given)


async def test_systemd_hears_that_it_is_ready_and_that_the_worker_works(terminal: Terminal, tmp_path: Path) -> None:
    """READY once alerts can be stored, although Slack is away; then the worker's own turns, and the stop."""
    address = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(address))
        systemd.settimeout(PATIENCE_SECONDS)
        async with standing() as kit:
            async with running(terminal, kit, NOTIFY_SOCKET=str(address), SLACK_API_URL="http://127.0.0.1:9/api/"):
                heard = {await asyncio.to_thread(systemd.recv, 100) for _ in range(2)}
                assert heard == {b"READY=1", b"WATCHDOG=1"}
            rest = {b""}
            while b"STOPPING=1" not in rest:
                rest.add(await asyncio.to_thread(systemd.recv, 100))
            assert rest <= {b"", b"READY=1", b"WATCHDOG=1", b"STOPPING=1"}


async def test_an_installation_is_tried_from_the_terminal(terminal: Terminal) -> None:
    """run (with SIGHUP), check, send, export, audit: real processes, embedded Redis and the stand-in for Slack."""
    log = terminal.folder / "out.log"
    async with standing() as kit:
        async with running(terminal, kit) as (address, given, pid):
            os.kill(pid, signal.SIGHUP)
            await eventually(
                lambda: any(line["event"] == "configuration reloaded" for line in lines(log)), log.read_text
            )
            output = await command(terminal, "send", str(SEED_ALERT), "--url", address, **given)
            assert (output.code, output.out) == (0, "Stored. The thread opens in Slack in a moment.\n"), output.err
            again = await command(terminal, "send", str(SEED_ALERT), "--url", address, **given)
            assert again.out.startswith("Stored before: this payload says nothing new.")
            wrong = await command(
                terminal, "send", str(SEED_ALERT), "--url", address, **{**given, "TAILBACK_WEBHOOK_TOKEN": "x" * 32}
            )
            assert wrong.code == 1
            assert "answered HTTP 401" in wrong.complaint
            doctor = await command(terminal, "check", **given)
            assert "ok       redis         Redis answers, and its settings are safe." in doctor.out
            assert doctor.code == 0, doctor.out
            posted = await kit.driver.channel("ci").parent("Jobs are Queued")
            link = f"https://acme.slack.com/archives/C0CIONCALL/p{posted.ts.replace('.', '')}"
            live = await command(terminal, "export", link, "--json", **given)
            assert json.loads(live.out)["slack"] == {"channel": "C0CIONCALL", "ts": posted.ts}
            kit.stand_in.settings.request_url = f"{address}/slack/events"
            await posted.click("Acknowledge")
            await posted.until(acknowledged("U0ANA"))
        after = await command(terminal, "export", link, "--sev", **given)
        assert after.out.startswith("## Current Status"), after.err
        assert "ana acknowledged it" in after.out
        without = await command(terminal, "export", link, "--sev", **{**given, "SLACK_BOT_TOKEN": ""})
        assert "U0ANA acknowledged it" in without.out, without.err
        trail = await command(terminal, "audit", "--verify", **given)
        assert trail.code == 0, trail.err
