"""`tailback init`: what it asks, refuses and writes."""

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.config import load
from bot.ports import Failure, Refused, Unreachable
from handlers.doctor.check_settings import of_settings
from handlers.doctor.findings import Level
from handlers.slack_app.manifest import manifest
from handlers.tools.init import init as module
from handlers.tools.init.files import InitAnswers, InitSender, env_text, toml_text, write
from handlers.tools.init.questions import Asker, InitOptions, answered, link
from tests.architecture.tree import ROOT
from tests.handlers.endpoint import Endpoint
from tests.handlers.terminal import Terminal

TOKENS = {"SLACK_BOT_TOKEN": "xoxb-1-abc", "SLACK_APP_TOKEN": "xapp-1-abc"}
GIVEN = InitOptions(url="", channel="C0CIONCALL", alerts="grafana", prometheus="", secrets=TOKENS)
KNOWN = (("ci", "linux.2xlarge", "node_exporter", 'job="node", pool="linux.2xlarge"'), ("arc", 'a "b"', "", ""))


@dataclass
class Person(Asker):
    """Answers from a list, and is asked again as at a terminal."""

    answers: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.heard.append(text)

    def prompt(self, question: str, default: str | None) -> str:
        self.heard.append(question)
        return self.answers.pop(0) or default or ""


async def known(url: str, token: str) -> tuple[tuple[str, str, str, str], ...]:
    """A Prometheus at one address."""
    if url != "http://prometheus":
        raise Unreachable("Prometheus", "nobody listens", failure=Failure.UNCONNECTED)
    return KNOWN


async def test_a_person_answers_one_question_after_the_other() -> None:
    """A wrong answer is explained and asked for again; an empty one takes what is proposed."""
    person = Person(
        True, ["", "#ci", "C0CIONCALL", "pager", "", "http://x", "http://prometheus", "", "xapp-1", "xoxb-1", "xapp-1"]
    )
    answers = await answered(InitOptions(), person, known)
    assert answers.alerts is InitSender.ALERTMANAGER
    assert [name for _, name, *_ in answers.pools] == ["linux.2xlarge", 'a "b"']
    output = "\n".join(person.heard)
    for words in ("begins with xoxb-", "'#ci' is not a channel id", "'pager' is not known", "nobody listens"):
        assert words in output
    assert not person.answers


async def test_without_prometheus_a_label_gets_its_figures_from_githubs_webhooks(tmp_path: Path) -> None:
    """The first thread has a queue then, although nobody has written a query."""
    answers = await answered(replace(GIVEN, label="linux.2xlarge"), Asker(False), known)
    (tmp_path / "tailback.toml").write_text(toml_text(answers))
    settings = load({**answers.secrets, "TAILBACK_CONFIG": str(tmp_path / "tailback.toml")})
    assert settings.file.pool["linux.2xlarge"].match == {"runner_label": "linux.2xlarge"}
    assert settings.file.metrics["github"] == {"kind": "github_webhooks"}
    assert len(answers.secrets["GITHUB_WEBHOOK_SECRET"]) == 64
    with pytest.raises(Refused, match="more than one label"):
        await answered(replace(GIVEN, label="a,b"), Asker(False), known)
    with pytest.raises(Refused, match="--label is for an installation without Prometheus"):
        await answered(replace(GIVEN, label="a", prometheus="http://prometheus"), Asker(False), known)


def test_a_terminal_shows_the_long_link_as_words(capsys: pytest.CaptureFixture[str]) -> None:
    """Two thousand characters would push the question out of sight; a file or a pipe gets the address."""
    Asker(True).show_link("Create the Slack app", "https://example.com/x")
    Asker(False).show_link("Create the Slack app", "https://example.com/x")
    assert capsys.readouterr().out == (
        "\x1b]8;;https://example.com/x\x1b\\Create the Slack app\x1b]8;;\x1b\\\n\nhttps://example.com/x\n\n"
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"secrets": {}}, "--bot-token is needed"),
        ({"channel": None}, "--channel is needed"),
        ({"channel": "#ci"}, "'#ci' is not a channel id"),
        ({"url": "http://plain.example"}, "--url: Slack delivers to https"),
        ({"url": "https://ci.example"}, "--signing-secret is needed"),
        ({"alerts": "pager"}, "Choose one of: alertmanager, grafana, event, github"),
        ({"prometheus": "http://prometheus", "pools": "mac"}, "Prometheus has no metrics of mac"),
        ({"prometheus": "http://x"}, "--prometheus: .*nobody listens; correct the address, or leave it empty"),
        ({"prometheus": None, "pools": "mac"}, "--pools goes with --prometheus. Nothing was written."),
        ({"alerts": "github", "prometheus": "http://prometheus"}, "--prometheus goes with other --alerts."),
        ({"secrets": {**TOKENS, "SLACK_APP_TOKEN": "xapp-1 x"}}, "--app-token: not the value that Slack shows"),
    ],
)
async def test_without_a_terminal_options_and_defaults_count(change: dict[str, object], sentence: str) -> None:
    """What is missing or wrong is named by its option."""
    options = InitOptions(**{**{name: getattr(GIVEN, name) for name in InitOptions.__slots__}, **change})
    with pytest.raises(Refused, match=sentence):
        await answered(options, Asker(False), known)


def all_answers() -> Iterable[InitAnswers]:
    """Each sender, with and without Prometheus."""
    for alerts in InitSender:
        yield InitAnswers("C0CIONCALL", alerts, secrets=TOKENS)
        yield InitAnswers("C0CIONCALL", alerts, "http://prometheus", KNOWN, {**TOKENS, "PROMETHEUS_TOKEN": "secret"})


@pytest.mark.parametrize("answers", list(all_answers()))
def test_the_files_are_used_as_they_are_written(answers: InitAnswers, tmp_path: Path) -> None:
    """Every table is valid, every variable is used, and the doctor finds no gap."""
    (tmp_path / "tailback.toml").write_text(toml_text(answers))
    variables = dict(line.split("=", 1) for line in env_text(answers).splitlines())
    token = {"TAILBACK_WEBHOOK_TOKEN": "x" * 32, "GITHUB_WEBHOOK_SECRET": "x" * 32}
    settings = load({**variables, **token, "TAILBACK_CONFIG": str(tmp_path / "tailback.toml")})
    assert [one for one in of_settings(settings) if one.state is Level.PROBLEM] == []
    assert all(settings.file.pool[name].signals == ((of,) if of else ()) for _, name, of, _ in answers.pools)
    assert set(settings.file.pool) >= {name for _, name, *_ in answers.pools}


async def test_secrets_are_made_and_only_what_is_used_is_written() -> None:
    """A secret that exists is kept; GitHub's is there only for its webhooks."""
    first = await answered(GIVEN, Asker(False), known)
    assert len(first.secrets["TAILBACK_WEBHOOK_TOKEN"]) == 64
    assert "GITHUB_WEBHOOK_SECRET" not in env_text(first)
    assert "SLACK_SIGNING_SECRET" not in env_text(first)
    github = InitOptions("", "C0CIONCALL", "github", None, "", {**TOKENS, "TAILBACK_WEBHOOK_TOKEN": "kept"})
    second = await answered(github, Asker(False), known)
    assert (second.secrets["TAILBACK_WEBHOOK_TOKEN"], len(second.secrets["GITHUB_WEBHOOK_SECRET"])) == ("kept", 64)


def test_the_link_creates_the_app_with_the_manifest() -> None:
    """Slack's page reads it from the address."""
    for url in ("", "https://tailback.example.com"):
        query = parse_qs(urlsplit(f"https://api.slack.com/apps?new_app=1&manifest_json={link(url)}").query)
        assert json.loads(query["manifest_json"][0]) == manifest(url or None)


def test_the_docs_show_what_it_writes() -> None:
    """The minimal example, and the preset without alerts."""
    pools = (("ci", "linux.2xlarge", "", ""),)
    minimal = toml_text(InitAnswers("C0CIONCALL", prometheus="http://localhost:9090", pools=pools))
    assert (ROOT / "docs/examples/minimal.toml").read_text("utf-8") == minimal
    page = (ROOT / "docs/how-to/github-webhooks-only.md").read_text("utf-8").replace("\n   ", "\n")
    assert toml_text(InitAnswers("C0CIONCALL", InitSender.GITHUB)).partition("\n\n")[2] in page
    assert tomllib.loads(minimal)


def test_a_file_is_never_replaced_without_asking(terminal: Terminal) -> None:
    """Nothing is written, and nothing is asked of Slack."""
    (terminal.folder / "tailback.toml").write_text("# mine\n")
    ran = terminal.run("init", "--channel", "C0CIONCALL", **TOKENS)
    assert "--force is needed: tailback.toml would be replaced. Nothing was written." in ran.complaint
    assert (terminal.folder / "tailback.toml").read_text() == "# mine\n"
    assert not (terminal.folder / ".env").exists()
    (terminal.folder / "mine").mkdir()
    ran = terminal.run("init", "--force", "--channel", "C0CIONCALL", **TOKENS, TAILBACK_CONFIG="mine")
    assert "mine is a folder. Name a file in TAILBACK_CONFIG. Nothing was written." in ran.complaint
    assert not (terminal.folder / ".env").exists()


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    """Secrets are readable to their owner only."""
    write(tmp_path / ".env", "A=1\n", 0o600)
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    with pytest.raises(Refused, match="cannot be written"):
        write(tmp_path / "none" / ".env", "", 0o600)


async def test_a_test_alert_without_a_thread_is_no_bug_of_tailback(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slack may be slow: what failed is said, and no traceback's words."""
    monkeypatch.setattr(module, "THREAD_SECONDS", 0.01)
    with pytest.raises(Unreachable, match="no thread has opened"):
        await module._thread(endpoint.runtime)
