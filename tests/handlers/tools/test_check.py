"""The doctor: every precondition is broken once, and the sentence and the remedy are read."""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.redis.safety_checks import nearly_full
from bot.adapters.slack.client import open_client, open_session
from bot.adapters.slack.doctor import SlackDoctor
from bot.config import Settings, load
from bot.context.context import PoolScaler
from bot.core.external import Problem
from bot.core.pool.pool import Gap, Snapshot
from bot.core.scaling.limits import ScalePolicy
from bot.diagnosis.registry import RULES
from bot.playground.slack.people import Channel
from bot.ports import Failure, Refused, Unreachable
from handlers.run import required
from handlers.tools.doctor.check import CheckTargets, examined, unusable
from handlers.tools.doctor.check_settings import of_settings
from handlers.tools.doctor.findings import CheckFinding, Level, failed, for_machines, for_people
from handlers.tools.manifest import SCOPES
from tests.fakes import FakeAlertmanager, FakeClock, FakeMetrics, FakePager, FakeScaler
from tests.playground.slack_kit import standing

FINE = {
    "SLACK_BOT_TOKEN": "xoxb-demo",
    "SLACK_SIGNING_SECRET": "a-signing-secret",
    "TAILBACK_WEBHOOK_TOKEN": "0123456789abcdef0123456789abcdef",
    "GRAFANA_TOKEN": "glsa_something",
}
FILE = """
[slack]
channel = "C0CIONCALL"
fallback_channel = "C0OPS"
mention = "S0ONCALL"
[permissions]
scale = ["S0INFRA"]
approve = ["S0INFRALEADS"]
[alertmanager.grafana]
kind = "grafana"
url = "http://127.0.0.1:9"
token_env = "GRAFANA_TOKEN"
[metrics.prometheus]
kind = "prometheus"
url = "http://127.0.0.1:9"
[pool."linux.2xlarge"]
metrics = "prometheus"
queued = "sum(q)"
[pool."linux.2xlarge".scaler]
kind = "http"
url = "http://127.0.0.1:9"
max = 40
approval_above = 20
"""
ALERTMANAGER = FILE[FILE.index("[alertmanager") : FILE.index("[metrics")]
METRICS_AND_POOLS = FILE[FILE.index("[metrics") :]
POOL = "linux.2xlarge"
NEEDED = frozenset(scope.name for scope in SCOPES)


@dataclass
class Place:
    """A folder with a tailback.toml, and the environment beside it."""

    folder: Path
    text: str = FILE
    variables: dict[str, str] = field(default_factory=lambda: dict(FINE))

    def settings(self, without: str = "", instead: str = "", /, **variables: str) -> Settings:
        """The settings with one piece of the file replaced; an empty variable is unset."""
        assert without in self.text
        path = self.folder / "tailback.toml"
        path.write_text(self.text.replace(without, instead) if without else self.text)
        return load({**self.variables, "TAILBACK_CONFIG": str(path), **variables})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Where everything is in order."""
    return Place(tmp_path)


def only(findings: list[CheckFinding], text: str) -> CheckFinding:
    """The one finding whose text contains this."""
    found = [finding for finding in findings if text in finding.text]
    assert len(found) == 1, for_people(findings)
    return found[0]


def levels(findings: list[CheckFinding]) -> set[Level]:
    return {finding.state for finding in findings}


def test_settings_in_order_have_nothing_to_do(place: Place) -> None:
    assert of_settings(place.settings()) == [
        CheckFinding("environment", Level.OK, "All required variables are set"),
        CheckFinding("configuration", Level.OK, f"{place.folder}/tailback.toml is complete"),
    ]


@pytest.mark.parametrize(
    ("variables", "state", "text", "remedy"),
    [
        ({"SLACK_BOT_TOKEN": ""}, "problem", "SLACK_BOT_TOKEN is not set", "create the app with `tailback manifest`"),
        ({"SLACK_BOT_TOKEN": "xoxp-1"}, "warning", "does not begin with xoxb-", "copy the bot token"),
        ({"SLACK_APP_TOKEN": "xoxb-1"}, "problem", "does not begin with xapp-", "connections:write"),
        ({"SLACK_SIGNING_SECRET": ""}, "problem", "SLACK_SIGNING_SECRET is not set", "or set SLACK_APP_TOKEN"),
        ({"SLACK_SIGNING_SECRET": "your-signing-secret"}, "problem", "still has the value of .env.example", "the real"),
        ({"TAILBACK_WEBHOOK_TOKEN": ""}, "problem", "TAILBACK_WEBHOOK_TOKEN is not set", "openssl rand -hex 32"),
        ({"TAILBACK_WEBHOOK_TOKEN": "long-enough-to-be-fine,short"}, "warning", "fewer than 16", "long random"),
        ({"TAILBACK_WEBHOOK_TOKEN": "", "TAILBACK_WEBHOOK_HMAC_SECRET": "a-long-enough-secret"}, "warning",
         "Alertmanager's alerts are refused", "TAILBACK_WEBHOOK_TOKEN too"),
        ({"GITHUB_WEBHOOK_SECRET": "short"}, "warning", "GITHUB_WEBHOOK_SECRET has fewer than 16", "long random"),
        ({"REDIS_URL": "rediss://redis.example:6379/0"}, "warning", "REDIS_URL has no password", "ACL user"),
        ({"REDIS_URL": "redis://:secret@redis.example/0"}, "warning", "redis.example is not encrypted", "rediss://"),
    ],
)  # fmt: skip
def test_a_gap_in_the_environment_is_named(
    place: Place, variables: Mapping[str, str], state: str, text: str, remedy: str
) -> None:
    finding = only(of_settings(place.settings(**variables)), text)
    assert finding.state == state
    assert remedy in finding.remedy


SENDER = '[[sender]]\nname = "prod"\ntoken_env = "PROD"\n'


@pytest.mark.parametrize(
    ("tables", "token", "state", "text"),
    [
        (SENDER, "", "problem", '[[sender]] "prod": token_env: PROD is not set'),
        (SENDER, "short", "warning", 'The token of [[sender]] "prod" has fewer than 16 characters'),
        (SENDER, FINE["TAILBACK_WEBHOOK_TOKEN"], "problem", "have the same token"),
        (SENDER * 2, "0123456789abcdef", "problem", "2 senders have this name"),
        (f'{SENDER}sources = ["grafna"]\n', "0123456789abcdef", "problem", "'grafna' is not a source"),
        (f'{SENDER}sources = ["sns"]\n', "0123456789abcdef", "problem", "'sns' is not a source that uses tokens"),
        (f'{SENDER}channels = ["C0NOWHERE"]\n', "0123456789abcdef", "warning", "no alert is routed to C0NOWHERE"),
    ],
)
def test_a_sender_that_cannot_be_meant_is_named(place: Place, tables: str, token: str, state: str, text: str) -> None:
    """What only the check notices is a warning; what stops the start is a problem."""
    settings = place.settings("[permissions]", f"{tables}[permissions]", PROD=token)
    assert only(of_settings(settings), text).state == state
    assert (state == "problem") == (text in "".join(map(str, required(settings, web=True))))


def test_senders_with_their_own_tokens_need_no_shared_one(place: Place) -> None:
    """Nor a warning that Alertmanager cannot sign."""
    given = {"PROD": "0123456789abcdef,fedcba9876543210", "TAILBACK_WEBHOOK_TOKEN": ""}
    found = of_settings(place.settings("[permissions]", f"{SENDER}[permissions]", **given))
    assert levels(found) == {Level.OK}


@pytest.mark.parametrize(
    ("without", "instead"),
    [
        ('kind = "prometheus"\nurl = "http://127.0.0.1:9"\n', 'kind = "github"\n'),
        ('kind = "http"\nurl = "http://127.0.0.1:9"\n', 'kind = "github_aws_runners"\n'),
    ],
)
def test_a_pool_that_lives_on_webhooks_needs_their_secret(place: Place, without: str, instead: str) -> None:
    """GitHub's deliveries would all be refused, and the queue would be told by REST alone."""
    finding = only(of_settings(place.settings(without, instead)), "GITHUB_WEBHOOK_SECRET is not set")
    assert finding.state is Level.WARNING
    assert finding.text.startswith("The jobs of linux.2xlarge are not seen")
    assert "to /github" in finding.remedy
    given = place.settings(without, instead, GITHUB_WEBHOOK_SECRET="0123456789abcdef0123456789abcdef")
    assert not [one for one in of_settings(given) if "GITHUB" in one.text]


def test_a_signature_without_a_timestamp_is_named(place: Place) -> None:
    """C3: a captured request could be replayed."""
    settings = place.settings(TAILBACK_WEBHOOK_HMAC_SECRET="a-long-enough-secret")
    env = settings.env.model_copy(update={"tailback_webhook_hmac_timestamp_header": ""})
    finding = only(of_settings(replace(settings, env=env)), "could be replayed")
    assert finding.state is Level.WARNING
    assert "TAILBACK_WEBHOOK_HMAC_TIMESTAMP_HEADER" in finding.remedy


@pytest.mark.parametrize(
    ("without", "instead", "state", "text", "remedy"),
    [
        ('channel = "C0CIONCALL"\n', "", "problem", "slack.channel is not set", "add [slack] channel"),
        ('fallback_channel = "C0OPS"\n', "", "warning", "slack.fallback_channel is not set", "fallback_channel = "),
        ('"C0CIONCALL"', '"#ci"', "problem", "slack.channel: '#ci' is not a channel id", "copy the id (C…)"),
        ('"S0ONCALL"', '"@oncall"', "warning", "'@oncall' is not a user group id", "write its id"),
        ('metrics = "prometheus"\nqueued = "sum(q)"\n', "", "warning", "no metrics source is named",
         "add metrics ="),
        ('metrics = "prometheus"\nqueued = "sum(q)"\n', "", "warning", "No pool uses the metrics source prometheus",
         "or delete it"),
        ('scale = ["S0INFRA"]\n', "", "warning", "permissions.scale is empty", "scale = ["),
        ('approve = ["S0INFRALEADS"]\n', "", "warning", "permissions.approve is empty", "approve = ["),
        ('["S0INFRA"]', '["ana"]', "problem", "'ana' is neither a user id nor a user group id", 'or "anyone"'),
        ("[permissions]", "[actions]\nenabled = false\n[permissions]", "warning", "switched off", "set it to true"),
        ("[permissions]", "[actions]\nshadow = true\n[permissions]", "warning", "shadow mode is on", "set it to false"),
        (ALERTMANAGER, "", "warning", "Silence is not offered", "token_env"),
        (METRICS_AND_POOLS, "", "warning", "no pool is configured", 'add a table [pool."NAME"]'),
    ],
)  # fmt: skip
def test_a_gap_in_the_file_is_named(
    place: Place, *, without: str, instead: str, state: str, text: str, remedy: str
) -> None:
    """Each setting that is missing or contradicts another, with what to write."""
    finding = only(of_settings(place.settings(without, instead)), text)
    assert finding.state == state
    assert remedy in finding.remedy


def test_a_missing_file_is_named(place: Place) -> None:
    """Everything then has its default."""
    settings = load({**FINE, "TAILBACK_CONFIG": str(place.folder / "none.toml")})
    assert "TAILBACK_CONFIG" in only(of_settings(settings), "does not exist").remedy


def test_a_configuration_that_cannot_be_read_is_told_whole() -> None:
    """Every problem at once, each with its own remedy; and that nobody was asked anything."""
    found = unusable([Problem("PORT: is not a number"), Problem("t.toml: slack.chanel: no such setting", "check it")])
    assert [(f.state, f.text, f.remedy) for f in found] == [
        ("problem", "PORT: is not a number", ""),
        ("problem", "t.toml: slack.chanel: no such setting", "check it"),
        ("warning", "Slack, Redis and the back ends were not checked", "fix the problems, then check again"),
    ]


@dataclass
class FakeRedis:
    """A server with these unsafe settings."""

    unsafe: list[Problem] = field(default_factory=list)
    full: Problem | None = None
    error: Unreachable | None = None

    async def check(self) -> list[Problem]:
        if self.error:
            raise self.error
        return self.unsafe

    async def filling(self) -> Problem | None:
        return self.full

    indexes: dict[str, str] = field(default_factory=dict)

    async def find_many(self, indexes: Sequence[str]) -> tuple[str | None, ...]:
        return tuple(map(self.indexes.get, indexes))


@dataclass
class Tools:
    """Instruments whose parts are fakes that are in order; break what the test is about."""

    clock: FakeClock = field(default_factory=FakeClock)
    redis: FakeRedis = field(default_factory=FakeRedis)
    scaler: FakeScaler = field(default_factory=FakeScaler)

    def __post_init__(self) -> None:
        self.metrics = FakeMetrics(self.clock)
        self.metrics.show(POOL, {"queued": 14, "oldest_wait_seconds": 6840.0})
        self.alertmanager = FakeAlertmanager(self.clock)

    def made(self, **parts: object) -> CheckTargets:
        given = {
            "now": self.clock.now,
            "redis": self.redis,
            "metrics": {POOL: self.metrics},
            "pool_scalers": {POOL: PoolScaler(self.scaler, ScalePolicy(40))},
            "alertmanagers": {"grafana": self.alertmanager},
        }
        return CheckTargets(**{**given, **parts})  # type: ignore[arg-type]  # field names are checked by the dataclass


async def found(place: Place, tools: Tools, **parts: object) -> list[CheckFinding]:
    """What the doctor finds with the configuration in order."""
    return await examined(place.settings(), tools.made(**parts))


async def test_block_types_are_said_as_far_as_they_were_tried(place: Place) -> None:
    """Nothing is claimed before the first message."""
    tools = Tools()
    assert "container, context_actions, data_visualization, plan and table" in only(
        await found(place, tools), "not tried yet"
    ).text.replace("1 more", "table")
    tools.redis.indexes = {"block:table": "5.0", "block:plan": "5.0", "no_block:plan": f"{tools.clock.now() - 7200}"}
    findings = await found(place, tools)
    assert only(findings, "accepts").text == "Block types that this workspace accepts: table"
    refused = only(findings, "refused the block type plan 2 h ago")
    assert (refused.state, refused.remedy) == (
        Level.WARNING,
        "nothing; Tailback tries it again a day after the refusal",
    )


async def test_back_ends_in_order_are_said_with_what_was_seen(place: Place) -> None:
    """The proof that it looked: figures, sizes, alerts; and nothing was set or created."""
    tools = Tools()
    findings = await found(place, tools)
    assert levels(findings) == {Level.OK}
    assert only(findings, POOL + ": 14").text == "linux.2xlarge: 14 jobs queued, longest wait 1 h 54 min"
    assert only(findings, "10 runners now").text == (
        "linux.2xlarge: 10 runners now, at most 40; only read access was tested"
    )
    assert {finding.area for finding in findings} == {
        *("environment", "configuration", "host", "redis", "blocks", "clock", "metrics", "scaler", "alertmanager")
    }
    assert tools.scaler.requests == []
    assert tools.alertmanager.silences == {}
    assert tools.scaler.script.calls == ["read"]
    assert tools.alertmanager.script.calls == ["firing", "find"]


@pytest.mark.parametrize(
    ("failure", "text", "remedy"),
    [
        (Failure.CREDENTIALS, "refused the credentials (HTTP 401)", "check the token that [metrics.prometheus]"),
        (Failure.UNCONNECTED, "cannot be reached", "and the url in [metrics.prometheus]"),
        (Failure.LATER, "failed (HTTP 502)", "check again in a minute"),
        (Failure.PLACE, "answered with a redirect", "correct the url in [metrics.prometheus]"),
        (Failure.SHAPE, "HTTP 400: parse error", "correct [metrics.prometheus]"),
    ],
)
async def test_a_metrics_source_that_fails_is_named(place: Place, failure: Failure, text: str, remedy: str) -> None:
    """By what the failure means: token, address, or only busy."""
    tools = Tools()
    tools.metrics.script.fail("snapshot", error=Unreachable("Prometheus (prometheus)", text, failure=failure))
    finding = only(await found(place, tools), text)
    assert (finding.area, finding.state) == ("metrics", Level.PROBLEM)
    assert finding.text.startswith("linux.2xlarge: Prometheus (prometheus): ")
    assert remedy in finding.remedy


async def test_a_source_that_fails_for_many_pools_is_one_line(place: Place) -> None:
    """Sixty pools behind one dead Prometheus are one finding."""
    tools = Tools()
    tools.metrics.script.fail("snapshot", times=None, error=Unreachable("Prometheus", "cannot be reached"))
    pools = {f"pool{n}": tools.metrics for n in range(60)}
    finding = only(await found(place, tools, metrics=pools), "cannot be reached")
    assert finding.text.startswith("pool0, pool1, pool2, pool3 and 56 more: ")


@pytest.mark.parametrize(
    ("look", "state", "text", "remedy"),
    [
        ({"queued": None, "missing": (Gap("queued", "no such series"),)}, "problem",
         "the queue length is unknown (no such series)", 'fix `queued` in [pool."linux.2xlarge"]'),
        ({"queued": None}, "problem", "unknown (its source does not report it)", "fix `queued`"),
        ({"queued": None, "missing": (Gap("queued", "nobody has these tags", "correct tags"),)}, "problem",
         "the queue length is unknown (nobody has these tags)", "correct tags"),
        ({"queued": 3, "missing": (Gap("idle", "no such series"), Gap("limit", "parse error"))}, "warning",
         "no value for idle (no such series); limit (parse error)", "fix these queries"),
        ({"queued": 3, "missing": (
            Gap("busy", "may not read", "allow it"), Gap("idle", "may not read", "allow it"), Gap("limit", "none")
        )},
         "warning", "no value for busy (may not read); idle (may not read); limit (none)", "allow it"),
    ],
)  # fmt: skip
async def test_a_figure_that_cannot_be_had_is_named(
    place: Place, look: Mapping[str, object], state: str, text: str, remedy: str
) -> None:
    """An empty query, an unknown metric: which figure, and why."""
    tools = Tools()
    tools.metrics.show(POOL, look)
    finding = only(await found(place, tools), text)
    assert finding.state == state
    assert remedy in finding.remedy


async def test_the_matrix_of_sources_names_the_figures_and_the_causes(place: Place) -> None:
    """Which source gives what, what nothing gave just now, and what can never be found; alike pools share it."""
    tools = Tools()
    sources = {"github": frozenset({"queued", "busy", "idle"}), "prometheus": frozenset({"queued", "limit"})}
    figures = {"a": sources, "b": sources}
    for pool in figures:
        tools.metrics.show(pool, {"queued": None})
    lines = [
        one.text
        for one in await found(place, tools, metrics=dict.fromkeys(figures, tools.metrics), figures=figures)
        if one.area == "figures"
    ]
    assert lines[:3] == [
        "a and b: github gives queued, busy and idle",
        "a and b: prometheus gives limit",
        "a and b: unknown right now: queued, busy, idle and limit",
    ]
    causes = len({rule.cause for rule in RULES})
    never = "never found: rows that only look queued, "
    assert re.match(rf"a and b: \d+ causes of {causes} can be found; {never}", lines[3])


async def test_a_source_that_is_not_asked_by_queries_has_other_remedies(place: Place) -> None:
    """`queued` is a key of Prometheus's pools alone."""
    tools = Tools()
    settings = place.settings('queued = "sum(q)"\n', "")
    file = settings.file.model_copy(update={"metrics": {"prometheus": {"kind": "github"}}})
    settings = replace(settings, file=file)
    tools.metrics.show(POOL, {"queued": None, "missing": (Gap("queued", "no such label"),)})
    found = only(await examined(settings, tools.made()), "no such label")
    assert found.remedy == 'fix the settings in [pool."linux.2xlarge"]'
    tools.metrics.show(POOL, {"queued": 3, "missing": (Gap("busy", "no such label"),)})
    assert only(await examined(settings, tools.made()), "no such label").remedy == found.remedy


async def test_the_remedy_that_a_source_tells_goes_before_the_usual_one(place: Place) -> None:
    """Also of a scaler and an alertmanager: each sentence knows better than the doctor."""
    tools = Tools()
    told = Unreachable("GitHub", "may not read (HTTP 403)", remedy="give it actions=read", failure=Failure.CREDENTIALS)
    tools.metrics.script.fail("snapshot", error=told)
    tools.scaler.script.fail("read", error=told)
    tools.alertmanager.script.fail("firing", error=told)
    findings = [one for one in await found(place, tools) if "HTTP 403" in one.text]
    assert {(one.area, one.remedy) for one in findings} == {
        (area, "give it actions=read") for area in ("metrics", "scaler", "alertmanager")
    }


async def test_old_figures_are_named(place: Place) -> None:
    """A source that answers with the past."""
    tools = Tools()
    tools.metrics.show(POOL, Snapshot(POOL, tools.clock.now() - 600, 0))
    finding = only(await found(place, tools), "the newest figures are 10 min old")
    assert finding.state is Level.WARNING
    assert "check the exporter" in finding.remedy


async def test_a_scaler_is_only_read(place: Place) -> None:
    """Unreachable, refused, without a size, and with a lower limit than ours: each its own remedy."""
    tools = Tools()
    tools.scaler.script.fail("read", error=Unreachable("Scaler of linux.2xlarge", "cannot be reached"))
    finding = only(await found(place, tools), "cannot be reached")
    assert 'and the url in [pool."linux.2xlarge".scaler]' in finding.remedy
    tools.scaler.script.fail("read", error=Refused("The scaler of linux.2xlarge refused reading its size (HTTP 404)"))
    assert "the permissions of its token" in only(await found(place, tools), "HTTP 404").remedy
    tools.scaler = FakeScaler(maximum=30)
    finding = only(await found(place, tools), "max is 40, but the autoscaler allows 30")
    assert finding.state is Level.WARNING
    tools.scaler = FakeScaler(current=None)
    assert only(await found(place, tools), "its current size is unknown").state is Level.PROBLEM
    assert tools.scaler.requests == []


async def test_an_alertmanager_that_fails_is_named(place: Place) -> None:
    """Wrong token at the alerts, forbidden at the silences."""
    tools = Tools()
    refused = Unreachable("Grafana (grafana)", "refused the credentials (HTTP 403)", failure=Failure.CREDENTIALS)
    tools.alertmanager.script.fail("firing", error=refused)
    finding = only(await found(place, tools), "HTTP 403")
    assert "check the token that [alertmanager.grafana] names" in finding.remedy
    tools.alertmanager.script.fail("find", error=Refused("Grafana refused listing the silences (HTTP 404)"))
    assert "correct [alertmanager.grafana]" in only(await found(place, tools), "HTTP 404").remedy


async def test_a_dangerous_redis_is_told_with_its_remedies(place: Place) -> None:
    """The store's own sentences, the clock in an area of its own."""
    tools = Tools()
    tools.redis.unsafe = [
        Problem("Maxmemory-policy is allkeys-lru, so it may silently drop incidents", "set it to noeviction", "redis"),
        Problem("This machine is 5.0 s ahead of Redis TIME", "let both follow the same time server (NTP)", "clock"),
    ]
    findings = await found(place, tools)
    policy = only(findings, "Maxmemory-policy is allkeys-lru")
    assert (policy.area, policy.remedy) == ("redis", "set it to noeviction")
    clock = only(findings, "This machine is 5.0 s ahead of Redis TIME")
    assert (clock.area, clock.state) == ("clock", Level.PROBLEM)
    assert failed(findings)


async def test_a_redis_that_is_nearly_full_is_named(place: Place) -> None:
    """Before alerts cannot be stored; incidents can still be kept."""
    tools = Tools()
    tools.redis.full = nearly_full({"maxmemory": 100, "used_memory": 95})
    finding = only(await found(place, tools), "Redis uses 95% of its maxmemory")
    assert (finding.state, finding.area) == (Level.WARNING, "redis")
    assert "raise maxmemory" in finding.remedy


async def test_a_redis_that_does_not_answer_is_told(place: Place) -> None:
    """With the way out, and without a word on the clock."""
    tools = Tools(
        redis=FakeRedis(
            error=Unreachable("Redis", "no connection (refused)", remedy="check REDIS_URL and that it runs")
        )
    )
    findings = await found(place, tools)
    assert only(findings, "no connection").remedy == "check REDIS_URL and that it runs"
    assert not [finding for finding in findings if finding.area == "clock"]


async def test_without_redis_url_the_embedded_engine_is_told(place: Place) -> None:
    """Found: which one. Not found: the sentence that the wiring gives."""
    findings = await found(place, Tools(), redis=None, engine="Valkey 9.1.2")
    assert only(findings, "will start Valkey 9.1.2").state is Level.OK
    missing = Problem("No Valkey or Redis server was found on this machine", "install the bundled server", "redis")
    findings = await found(place, Tools(), redis=None, problems=(missing,))
    assert only(findings, "No Valkey or Redis server").remedy == "install the bundled server"


async def test_a_back_end_that_cannot_be_built_hides_nothing_else(place: Place) -> None:
    """Its problems are findings, and the rest is looked at all the same."""
    wrong = Problem('[metrics.x]: kind: is required; known kinds: "prometheus"', area="configuration")
    findings = await found(place, Tools(), metrics={}, problems=(wrong,))
    assert only(findings, "[metrics.x]: kind: is required").remedy == ""
    assert only(findings, "Redis answers").state is Level.OK


@asynccontextmanager
async def doctor(token: str = "xoxb-demo", app_token: str = "", **settings: Any) -> AsyncIterator[SlackDoctor]:
    """The real questions against the strict stand-in, by HTTP."""
    async with standing(**{"scopes": NEEDED, **settings}) as kit, open_session() as session:
        kit.stand_in.workspace.channels["C0ARCHIVED"] = Channel("C0ARCHIVED", "old", {"U0TAILBACK"}, is_archived=True)
        shared = Channel("C0SHARED", "partners", {"U0TAILBACK"}, is_ext_shared=True)
        kit.stand_in.workspace.channels["C0SHARED"] = shared
        url = f"{kit.url}/api/"
        yield SlackDoctor(open_client(token, url, session), open_client(app_token, url, session) if app_token else None)
        assert {call.method for call in kit.stand_in.log.calls} <= {
            *("auth.test", "conversations.info", "conversations.history"),
            *("usergroups.users.list", "apps.connections.open"),
        }, "the doctor may only ask"


async def told(place: Place, doctor: SlackDoctor, *change: str) -> list[CheckFinding]:
    """What the doctor says about Slack."""
    findings = await examined(place.settings(*change), Tools().made(slack=doctor))
    return [finding for finding in findings if finding.area == "slack"]


async def test_slack_in_order_is_said(place: Place) -> None:
    """With exactly the manifest's scopes: token, scopes, channels, groups, Socket Mode."""
    async with doctor(app_token="xapp-demo") as slack:
        findings = await told(place, slack)
    assert levels(findings) == {Level.OK}
    texts = [finding.text for finding in findings]
    assert "Connected to Acme CI as tailback" in texts
    assert "The bot token has exactly the scopes that Tailback uses" in texts
    assert "The bot is in #ci (C0CIONCALL, slack.channel)" in texts
    assert "The user group S0INFRA (permissions.scale) has 2 members" in texts
    assert "Socket Mode connects" in texts


async def test_a_wrong_token_is_the_only_thing_said(place: Place) -> None:
    """Everything else would fail for the same reason."""
    async with doctor(token="xoxb-wrong") as slack:
        (finding,) = await told(place, slack)
    assert (finding.state, finding.text) == (Level.PROBLEM, "The bot token: auth.test: invalid_auth")
    assert finding.remedy == "copy the bot token from OAuth & Permissions into SLACK_BOT_TOKEN"


@pytest.mark.parametrize(
    ("there", "instead", "state", "text", "remedy"),
    [
        ("C0CIONCALL", "C0SHARED", "warning", "organizations read every incident in #partners (C0SHARED", ""),
        ("C0CIONCALL", "C0ARCHIVED", "problem", "#old (C0ARCHIVED, slack.channel) is archived", "unarchive it"),
        ('S0INFRA"', 'S0NOBODY"', "problem",
         "The user group S0NOBODY (permissions.scale): usergroups.users.list: no_such_subteam",
         "correct the id of the user group"),
    ],
)  # fmt: skip
async def test_a_channel_or_group_that_does_not_fit_is_named(  # noqa: PLR0917 - the columns of the table above
    place: Place, there: str, instead: str, state: str, text: str, remedy: str
) -> None:
    """Other organizations read what is posted there; nobody reads it; nobody is meant."""
    async with doctor() as slack:
        finding = only(await told(place, slack, there, instead), text)
    assert finding.state == state
    assert remedy in finding.remedy


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.name)
async def test_a_missing_scope_is_named_with_what_is_lost(place: Place, scope: object) -> None:
    """Each scope of the manifest, taken away."""
    name = scope.name  # type: ignore[attr-defined]  # a parameter of pytest is an object
    async with doctor(scopes=NEEDED - {name}) as slack:
        findings = await told(place, slack)
    finding = only(findings, f"The scope {name} is missing: ")
    assert f"add {name} under OAuth & Permissions" in finding.remedy
    grave = name in {"chat:write", "users:read", "usergroups:read"}
    assert finding.state is (Level.PROBLEM if grave else Level.WARNING)


async def test_surplus_scopes_are_named(place: Place) -> None:
    """C14: rights that nothing uses; those of the manifest are let pass."""
    async with doctor(scopes=NEEDED | {"chat:write.public", "channels:join"}) as slack:
        finding = only(await told(place, slack), "scopes that Tailback does not use")
    assert finding.text == "The bot token has scopes that Tailback does not use: channels:join and chat:write.public"
    assert finding.state is Level.WARNING


@pytest.mark.parametrize("sharp", [True, False])
@pytest.mark.parametrize(
    ("channel", "text", "remedy"),
    [("C0RANDOM", "The bot is not in", "/invite @tailback"), ("C0NOWHERE", "channel_not_found", "correct the id")],
)
async def test_a_channel_that_cannot_be_used_is_named(
    place: Place, channel: str, text: str, remedy: str, sharp: bool
) -> None:
    """With channels:read and without it, where the history answers instead."""
    async with doctor(scopes=NEEDED - (set() if sharp else {"channels:read"})) as slack:
        finding = only(await told(place, slack, "C0CIONCALL", channel), text)
    assert finding.state is Level.PROBLEM
    assert channel in finding.text
    assert remedy in finding.remedy


async def test_a_socket_mode_token_that_is_refused_is_named(place: Place) -> None:
    """The bot token itself is still looked at."""
    async with doctor(app_token="xapp-wrong") as slack:
        findings = await told(place, slack)
    finding = only(findings, "Socket Mode: apps.connections.open: invalid_auth")
    assert "connections:write into SLACK_APP_TOKEN" in finding.remedy
    assert only(findings, "Connected to Acme CI").state is Level.OK


async def test_a_slack_that_cannot_be_reached_is_named(place: Place) -> None:
    """Where to look: the address, the network."""
    async with open_session() as session:
        slack = SlackDoctor(open_client("xoxb-demo", "http://127.0.0.1:9/api/", session))
        (finding,) = await told(place, slack)
    assert finding.text.startswith("The bot token: auth.test: ")
    assert finding.remedy == "check SLACK_API_URL and that this machine may reach Slack, or name a proxy in [slack]"


def test_people_read_one_line_for_each_with_the_worst_last() -> None:
    """State in words, remedy in the same line, the sum at the end."""
    findings = [
        CheckFinding("slack", Level.PROBLEM, "The bot is\nnot in #ci", "write `/invite @tailback` there"),
        CheckFinding("redis", Level.OK, "Redis answers"),
        CheckFinding("clock", Level.WARNING, "It is late.", "did you mean sleep?"),
    ]
    assert for_people(findings).splitlines() == [
        "ok       redis         Redis answers.",
        "warning  clock         It is late. To do: did you mean sleep?",
        "problem  slack         The bot is not in #ci. To do: write `/invite @tailback` there.",
        "1 problem, 1 warning, 1 in order.",
    ]
    assert json.loads(for_machines(findings[1:])) == {
        "ok": True,
        "findings": [
            {"area": "redis", "state": "ok", "text": "Redis answers", "remedy": ""},
            {"area": "clock", "state": "warning", "text": "It is late.", "remedy": "did you mean sleep?"},
        ],
    }
    assert json.loads(for_machines(findings))["ok"] is False


async def test_a_pager_is_tried_only_where_that_pages_nobody(place: Place) -> None:
    """A refused key is a problem with its remedy; a pager that cannot be tried is named all the same."""

    class Keyed(FakePager):
        wrong: tuple[Problem, ...] = ()

        async def lacking(self) -> tuple[Problem, ...]:
            return self.wrong

    refused = Keyed()
    refused.wrong = (Problem("PagerDuty (night): answered HTTP 400: Event object is invalid", ""),)
    findings = await found(place, Tools(), pagers={"oncall": Keyed(), "night": refused, "bridge": FakePager()})
    assert [(one.state, one.text) for one in findings if one.area == "pager"] == [
        (Level.OK, "oncall (PagerDuty) accepts the key; nobody was paged"),
        (Level.PROBLEM, "PagerDuty (night): answered HTTP 400: Event object is invalid"),
        (Level.OK, "bridge (PagerDuty) is configured; it was not tested, because a test would page somebody"),
    ]
    assert only(findings, "HTTP 400").remedy == "correct [pager.night]"
    assert refused.events == []
