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
from bot.core.pool.backfill import LEFT
from bot.core.pool.pool import Gap, Snapshot
from bot.core.scaling.limits import ScalePolicy
from bot.diagnosis.registry import RULES
from bot.playground.slack.people import Channel
from bot.pool_settings import PoolTable
from bot.ports import Failure, Refused, Unreachable
from handlers.doctor.check import CheckTargets, examined, unusable
from handlers.doctor.check_host import Host
from handlers.doctor.check_settings import of_settings
from handlers.doctor.findings import CheckFinding, Level, failed, for_machines, for_people, ok, problem, warning
from handlers.run import required
from handlers.slack_app.manifest import SCOPES
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
FIGURES = 'metrics = "prometheus"\nqueued = "sum(q)"\n'
API = '[api]\nurl = "https://tailback.example"\ntokens = [{ name = "grafana", token_env = "PROD" }]\n'
TWICE = API.replace(" }]", ' }, { name = "grafana", token_env = "PROD" }]')
SENDER = '[[sender]]\nname = "prod"\ntoken_env = "PROD"\n'
UNFED = "The jobs of linux.2xlarge are not seen: GITHUB_WEBHOOK_SECRET is not set"


class Place:
    """A folder with a tailback.toml, and the environment beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def settings(self, without: str = "", instead: str = "", /, **variables: str) -> Settings:
        """The settings with one piece of the file replaced; an empty variable is unset."""
        assert without in FILE
        path = self.folder / "tailback.toml"
        path.write_text(FILE.replace(without, instead) if without else FILE)
        return load({**FINE, "TAILBACK_CONFIG": str(path), **variables})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Where everything is in order."""
    return Place(tmp_path)


def only(findings: list[CheckFinding], text: str, state: str = "", remedy: str = "") -> CheckFinding:
    """The one finding whose text contains this, with its state and a part of its remedy."""
    found = [finding for finding in findings if text in finding.text]
    assert len(found) == 1, for_people(findings)
    assert found[0].state == state or not state
    assert remedy in found[0].remedy
    return found[0]


def levels(findings: list[CheckFinding]) -> set[Level]:
    return {finding.state for finding in findings}


def test_settings_in_order_have_nothing_to_do(place: Place) -> None:
    """Senders with their own tokens need no shared one, nor a warning that Alertmanager cannot sign."""
    assert of_settings(place.settings()) == [
        CheckFinding("environment", Level.OK, "All required variables are set"),
        CheckFinding("configuration", Level.OK, f"{place.folder}/tailback.toml is complete"),
    ]
    given = {"PROD": "0123456789abcdef,fedcba9876543210", "TAILBACK_WEBHOOK_TOKEN": ""}
    assert levels(of_settings(place.settings("[permissions]", f"{SENDER}[permissions]", **given))) == {Level.OK}


@pytest.mark.parametrize(
    ("change", "state", "text", "remedy"),
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
        ({"TAILBACK_WEBHOOK_HMAC_SECRET": "a-long-enough-secret", "TAILBACK_WEBHOOK_HMAC_TIMESTAMP_HEADER": ""},
         "warning", "could be replayed", "TAILBACK_WEBHOOK_HMAC_TIMESTAMP_HEADER"),
        ({"TAILBACK_WEBHOOK_TOKEN": "'a-long-random-value-1'"}, "warning", "_TOKEN has quotes", "take them away"),
        ({"SLACK_SIGNING_SECRET": '"0123456789abcdef"'}, "warning", "SIGNING_SECRET has quotes", "take them away"),
        ({"SLACK_BOT_TOKEN": "xapp-1", "SLACK_APP_TOKEN": "xoxb-1"}, "problem", "hold one another's token", "swap"),
        ({"TAILBACK_WEBHOK_TOKEN": "x"}, "warning", "Nothing reads the variable TAILBACK_WEBHOK_TOKEN",
         "write TAILBACK_WEBHOOK_TOKEN"),
        (("max = 40", "max = 10"), "warning", "approval_above is 20, and max is 10", "lower approval_above"),
        ({"SLACK_BOT_TOKEN": '"xoxb-demo"'}, "problem", "SLACK_BOT_TOKEN has quotes", "take them away"),
        ({"SLACK_APP_TOKEN": "'xapp-demo'"}, "problem", "SLACK_APP_TOKEN has quotes", "take them away"),
        ({"TAILBACK_WEBHOOK_TOKEN": "a-long-random\nvalue-1"}, "warning", "a line break or a letter", "copy it again"),
        ({"GITHUB_WEBHOOK_SECRET": "short"}, "warning", "GITHUB_WEBHOOK_SECRET has fewer than 16", "long random"),
        ({"REDIS_URL": "rediss://redis.example:6379/0"}, "warning", "REDIS_URL has no password", "ACL user"),
        ({"REDIS_URL": "redis://:secret@redis.example/0"}, "warning", "redis.example is not encrypted", "rediss://"),
        ({"TAILBACK_CONFIG": "none.toml"}, "warning", "none.toml does not exist", "TAILBACK_CONFIG"),
        (('channel = "C0CIONCALL"\n', ""), "problem", "slack.channel is not set", "add [slack] channel"),
        (('fallback_channel = "C0OPS"\n', ""), "warning", "slack.fallback_channel is not set", "fallback_channel = "),
        (('"C0CIONCALL"', '"#ci"'), "problem", "slack.channel: '#ci' is not a channel id", "copy the id (C…)"),
        (('"S0ONCALL"', '"@oncall"'), "warning", "'@oncall' is not a user group id", "write its id"),
        ((FIGURES, ""), "warning", "no metrics source is named", "add metrics ="),
        ((FIGURES, ""), "warning", "No pool uses the metrics source prometheus", "or delete it"),
        (('scale = ["S0INFRA"]\n', ""), "warning", "permissions.scale is empty", "scale = ["),
        (('approve = ["S0INFRALEADS"]\n', ""), "warning", "permissions.approve is empty", "approve = ["),
        (('["S0INFRA"]', '["ana"]'), "problem", "'ana' is neither a user id nor a user group id", 'or "anyone"'),
        (("[permissions]", "[actions]\nenabled = false\n[permissions]"), "warning", "switched off", "set it to true"),
        (("[permissions]", "[actions]\nshadow = true\n[permissions]"), "warning", "shadow mode is on", "to false"),
        ((ALERTMANAGER, ""), "warning", "Silence is not offered", "token_env"),
        ((METRICS_AND_POOLS, ""), "warning", "no pool is configured", 'add a table [pool."NAME"]'),
        (('kind = "prometheus"\nurl = "http://127.0.0.1:9"\n', 'kind = "github"\n'), "warning", UNFED, "to /github"),
        (('kind = "http"\nurl = "http://127.0.0.1:9"\n', 'kind = "github_aws_runners"\n'), "warning", UNFED, "/github"),
    ],
)  # fmt: skip
def test_a_gap_in_the_settings_is_named(
    place: Place, change: dict[str, str] | tuple[str, str], state: str, text: str, remedy: str
) -> None:
    """Each variable or setting that is missing or contradicts another, with what to write."""
    settings = place.settings(**change) if isinstance(change, dict) else place.settings(*change)
    only(of_settings(settings), text, state, remedy)


@pytest.mark.parametrize(
    ("tables", "token", "state", "text"),
    [
        (SENDER, "", "problem", '[[sender]] "prod": token_env: PROD is not set'),
        (SENDER, "short", "warning", 'The token of [[sender]] "prod" has fewer than 16 characters'),
        (SENDER, FINE["TAILBACK_WEBHOOK_TOKEN"], "problem", "have the same token"),
        (SENDER * 2, "0123456789abcdef", "problem", "2 tables have this name"),
        (API, "", "problem", '[api] "grafana": token_env: PROD is not set'),
        (API, "short", "warning", 'The token of [api] "grafana" has fewer than 16 characters'),
        (API, FINE["TAILBACK_WEBHOOK_TOKEN"], "problem", "have the same token"),
        (TWICE, "0123456789abcdef", "problem", "2 tables have this name"),
        (API.replace(" }]", ', channels = ["#ci"] }]'), "0123456789abcdef", "problem", "'#ci' is not a channel id"),
        (f'{SENDER}sources = ["grafna"]\n', "0123456789abcdef", "problem", "'grafna' is not a source"),
        (f'{SENDER}sources = ["sns"]\n', "0123456789abcdef", "problem", "'sns' is not a source that uses tokens"),
        (f'{SENDER}channels = ["C0NOWHERE"]\n', "0123456789abcdef", "warning", "no alert is routed to C0NOWHERE"),
    ],
)
def test_a_sender_that_cannot_be_meant_is_named(place: Place, tables: str, token: str, state: str, text: str) -> None:
    """What only the check notices is a warning; what stops the start is a problem."""
    settings = place.settings("[permissions]", f"{tables}[permissions]", PROD=token)
    only(of_settings(settings), text, state)
    stops = "channel id" not in text and state == "problem"
    assert stops == (text in "".join(map(str, required(settings, web=True))))


def test_a_pool_that_lives_on_webhooks_is_content_with_their_secret(place: Place) -> None:
    given = {"GITHUB_WEBHOOK_SECRET": "0123456789abcdef0123456789abcdef"}
    settings = place.settings('kind = "prometheus"\nurl = "http://127.0.0.1:9"\n', 'kind = "github"\n', **given)
    assert not [one for one in of_settings(settings) if "GITHUB" in one.text]


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


async def test_it_tells_how_much_history_is_left_to_fill_in(place: Place) -> None:
    tools = Tools()
    tools.redis.indexes = dict(zip(LEFT, ("5840", "412"), strict=True))
    sentence = "The history of 412 pools is being filled in: 5,840 days are left."
    assert only(await found(place, tools), "history of").text == sentence


async def test_a_second_tailback_with_the_same_app_is_told_with_the_line_to_write(place: Place) -> None:
    """Whether it takes clicks now, and whose messages stood in the channels when the records began."""
    tools = Tools()
    tools.redis.indexes = {"foreign": "1", "strangers": "3f9c01ab default"}
    findings = await found(place, tools)
    only(findings, "At least 1 process of another Tailback takes clicks", "warning", "a Slack app of its own")
    text = only(findings, "Messages of another Tailback (3f9c01ab and default) are left alone").text
    assert 'write installation = "3f9c01ab" or installation = "default" under [slack]' in text


async def test_block_types_are_said_as_far_as_they_were_tried(place: Place) -> None:
    """Nothing is claimed before the first message."""
    tools = Tools()
    assert "container, context_actions, data_visualization, plan and table" in only(
        await found(place, tools), "not tried yet"
    ).text.replace("1 more", "table")
    tools.redis.indexes = {"block:table": "5.0", "block:plan": "5.0", "no_block:plan": f"{tools.clock.now() - 7200}"}
    findings = await found(place, tools)
    assert only(findings, "accepts").text == "Block types that this workspace accepts: table"
    again = "nothing; Tailback tries it again a day after the refusal"
    only(findings, "refused the block type plan 2 h ago", "warning", again)


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
        *(
            "environment",
            "configuration",
            "host",
            "redis",
            "blocks",
            "clock",
            "metrics",
            "figures",
            "scaler",
            "alertmanager",
        )
    }
    assert (tools.scaler.requests, tools.scaler.script.calls) == ([], ["read"])
    assert (tools.alertmanager.silences, tools.alertmanager.script.calls) == ({}, ["firing", "find"])


TOLD = Unreachable("GitHub", "may not read (HTTP 403)", remedy="give it actions=read", failure=Failure.CREDENTIALS)


def failing(failure: Failure, text: str) -> Unreachable:
    return Unreachable("Back end (its name)", text, failure=failure)


@pytest.mark.parametrize(
    ("part", "method", "error", "remedy"),
    [
        ("metrics", "snapshot", failing(Failure.CREDENTIALS, "HTTP 401"), "check the token that [metrics.prometheus]"),
        ("metrics", "snapshot", failing(Failure.UNCONNECTED, "gone"), "and the url in [metrics.prometheus]"),
        ("metrics", "snapshot", failing(Failure.LATER, "failed (HTTP 502)"), "check again in a minute"),
        ("metrics", "snapshot", failing(Failure.PLACE, "a redirect"), "correct the url in [metrics.prometheus]"),
        ("metrics", "snapshot", failing(Failure.SHAPE, "parse error"), "correct [metrics.prometheus]"),
        ("metrics", "snapshot", TOLD, "give it actions=read"),
        ("scaler", "read", failing(Failure.UNCONNECTED, "gone"), 'and the url in [pool."linux.2xlarge".scaler]'),
        ("scaler", "read", Refused("The scaler refused reading its size"), "the permissions of its token"),
        ("scaler", "read", TOLD, "give it actions=read"),
        ("alertmanager", "firing", failing(Failure.CREDENTIALS, "403"), "the token that [alertmanager.grafana] names"),
        ("alertmanager", "find", Refused("Grafana refused listing the silences"), "correct [alertmanager.grafana]"),
        ("alertmanager", "firing", TOLD, "give it actions=read"),
    ],
)
async def test_a_back_end_that_fails_is_named(
    place: Place, part: str, method: str, error: Refused | Unreachable, remedy: str
) -> None:
    """By what the failure means: token, address, or only busy; its own remedy goes before the usual one."""
    tools = Tools()
    getattr(tools, part).script.fail(method, error=error)
    text = f"{error.system}: {error.what}" if isinstance(error, Unreachable) else error.what
    finding = only(await found(place, tools), text, "problem", remedy)
    assert finding.area == part
    assert finding.text == (f"linux.2xlarge: {text}" if part == "metrics" else text)


async def test_a_source_that_fails_for_many_pools_is_one_line(place: Place) -> None:
    """Sixty pools behind one dead Prometheus are one finding."""
    tools = Tools()
    tools.metrics.script.fail("snapshot", times=None, error=Unreachable("Prometheus", "cannot be reached"))
    pools = {f"pool{n}": tools.metrics for n in range(60)}
    finding = only(await found(place, tools, metrics=pools), "cannot be reached")
    assert finding.text.startswith("pool0, pool1, pool2, pool3 and 56 more: ")


NOT_READ = (Gap("busy", "may not read", "allow it"), Gap("idle", "may not read", "allow it"), Gap("limit", "none"))
LABEL = (Gap("queued", "no such label"),)


@pytest.mark.parametrize(
    ("look", "kind", "state", "text", "remedy"),
    [
        ({"queued": None, "missing": (Gap("queued", "no such series"),)}, "prometheus", "problem",
         "the queue length is unknown (no such series)", 'fix `queued` in [pool."linux.2xlarge"]'),
        ({"queued": None}, "prometheus", "problem", "unknown (its source does not report it)", "fix `queued`"),
        ({"queued": None, "missing": (Gap("queued", "nobody has these tags", "correct tags"),)}, "prometheus",
         "problem", "the queue length is unknown (nobody has these tags)", "correct tags"),
        ({"queued": None, "missing": LABEL}, "github", "problem", "no such label",
         'fix the settings in [pool."linux.2xlarge"]'),
        ({"queued": 3, "missing": (Gap("busy", "no such label"),)}, "github", "warning", "no such label",
         'fix the settings in [pool."linux.2xlarge"]'),
        ({"queued": 3, "missing": (Gap("idle", "no such series"), Gap("limit", "parse error"))}, "prometheus",
         "warning", "no value for idle (no such series); limit (parse error)", "fix these queries"),
        ({"queued": 3, "missing": NOT_READ}, "prometheus", "warning",
         "no value for busy (may not read); idle (may not read); limit (none)", "allow it"),
        (Snapshot(POOL, 86400.0, 0), "prometheus", "problem", "old by their own time", "seconds since 1970"),
        (Snapshot(POOL, FakeClock().now() - 600, 0), "prometheus", "warning", "the newest figures are 10 min old",
         "check the exporter"),
    ],
)  # fmt: skip
async def test_a_figure_that_cannot_be_had_is_named(  # noqa: PLR0917 - the columns of the table above
    place: Place, look: Mapping[str, object] | Snapshot, kind: str, state: str, text: str, remedy: str
) -> None:
    """Which figure, and why; `queued` is a key of Prometheus's pools alone."""
    tools, settings = Tools(), place.settings()
    file = settings.file.model_copy(update={"metrics": {"prometheus": {"kind": kind}}})
    tools.metrics.show(POOL, look)
    only(await examined(replace(settings, file=file), tools.made()), text, state, remedy)


async def test_a_figure_of_a_preset_that_the_exporter_lacks_is_optional(place: Place) -> None:
    """Its query is ours, so nobody can fix it; a query of the operator's own beside it still is to be fixed."""
    tools, settings = Tools(), place.settings()
    table = PoolTable.model_validate({"metrics": "prometheus", "preset": "ci", "idle": "sum(mine)"})
    file = settings.file.model_copy(update={"metrics": {"prometheus": {"kind": "prometheus"}}, "pool": {POOL: table}})
    missing = (Gap("create_failures", "no such series"), Gap("booting", "no such series"))
    tools.metrics.show(POOL, {"queued": 3, "missing": missing})
    fine = only(await examined(replace(settings, file=file), tools.made()), "3 jobs queued", "ok")
    assert "optional and without a value: " in fine.text
    tools.metrics.show(POOL, {"queued": 3, "missing": (*missing, Gap("idle", "parse error"))})
    only(await examined(replace(settings, file=file), tools.made()), "no value for idle (parse error)", "warning")


async def test_in_a_cluster_the_network_policy_is_named_beside_what_is_not_reached(place: Place) -> None:
    """A policy drops packets in silence: nothing but a time limit tells it."""
    for inside in (True, False):
        tools = Tools()
        tools.metrics.script.fail("snapshot", error=Unreachable("Prometheus", "is away", failure=Failure.UNCONNECTED))
        finding = only(await found(place, tools, host=Host(in_cluster=inside)), "is away", "problem")
        assert ("networkPolicy.egress" in finding.remedy) is inside


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
        if one.area == "figures" and one.text.startswith("a and b")
    ]
    assert lines[:3] == [
        "a and b: github gives queued, busy and idle",
        "a and b: prometheus gives limit",
        "a and b: unknown right now: queued, busy, idle and limit",
    ]
    causes = len({rule.cause for rule in RULES})
    named = (
        r"the queue is unknown, .*machines do not come.*the pool's limit is reached.*; never named: rows that only look"
    )
    assert re.match(rf"a and b: \d+ causes of {causes} can be named: {named}", lines[3])


async def test_every_configured_pool_has_its_causes(place: Place) -> None:
    """Also the one whose source does not answer now, with the kinds of its signals."""
    tools = Tools()
    tools.metrics.script.fail("snapshot", error=Unreachable("Prometheus", "is away", failure=Failure.UNCONNECTED))
    figures = {POOL: {"prometheus": frozenset({"queued", "disk"})}}
    lines = [one.text for one in await found(place, tools, figures=figures) if one.area == "figures"]
    assert lines[0] == f"{POOL}: prometheus gives queued and disk"
    assert "machines are short of disk" in lines[1].partition("; never named")[0]
    assert len(lines) == 2, "that nothing is known just now is told by the error"


@pytest.mark.parametrize(
    ("scaler", "state", "text"),
    [
        (FakeScaler(maximum=30), "warning", "max is 40, but the autoscaler allows 30"),
        (FakeScaler(current=None), "problem", "its current size is unknown"),
    ],
)
async def test_a_scaler_that_does_not_fit_is_named(place: Place, scaler: FakeScaler, state: str, text: str) -> None:
    only(await found(place, Tools(scaler=scaler)), text, state)
    assert scaler.requests == []


MISSING = Problem("No Valkey or Redis server was found on this machine", "install the bundled server", "redis")
WRONG = Problem('[metrics.x]: kind: is required; known kinds: "prometheus"', area="configuration")


@pytest.mark.parametrize(
    ("redis", "text", "area", "remedy"),
    [
        (FakeRedis([Problem("Maxmemory-policy is allkeys-lru", "set it to noeviction", "redis")]),
         "Maxmemory-policy is allkeys-lru", "redis", "set it to noeviction"),
        (FakeRedis([Problem("This machine is 5.0 s ahead of Redis TIME", "let both follow NTP", "clock")]),
         "This machine is 5.0 s ahead of Redis TIME", "clock", "let both follow NTP"),
        (FakeRedis(full=nearly_full({"maxmemory": 100, "used_memory": 95})), "Redis uses 95% of its maxmemory",
         "redis", "raise maxmemory"),
        (FakeRedis(error=Unreachable("Redis", "no connection (refused)", remedy="check REDIS_URL and that it runs")),
         "no connection", "redis", "check REDIS_URL and that it runs"),
    ],
)  # fmt: skip
async def test_a_dangerous_redis_is_told_with_its_remedies(
    place: Place, redis: FakeRedis, text: str, area: str, remedy: str
) -> None:
    """The store's own sentences, the clock in an area of its own; nearly full is a warning before alerts are lost."""
    findings = await found(place, Tools(redis=redis))
    assert only(findings, text, "warning" if redis.full else "problem", remedy).area == area
    assert failed(findings) is not bool(redis.full)
    assert [one.state for one in findings if one.area == "clock"] == (
        [] if redis.error else [Level.PROBLEM if area == "clock" else Level.OK]
    )


async def test_what_cannot_be_built_is_told_and_hides_nothing_else(place: Place) -> None:
    """The embedded engine that would be started, or that there is none; a back end's wrong table."""
    only(await found(place, Tools(), redis=None, engine="Valkey 9.1.2"), "will start Valkey 9.1.2", "ok")
    only(await found(place, Tools(), redis=None, problems=(MISSING,)), "No Valkey or Redis", "", "the bundled server")
    findings = await found(place, Tools(), metrics={}, problems=(WRONG,))
    assert only(findings, "[metrics.x]: kind: is required").remedy == ""
    only(findings, "Redis answers", "ok")


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


async def findings_of(place: Place, slack: SlackDoctor, *change: str) -> list[CheckFinding]:
    """What the doctor says about Slack."""
    findings = await examined(place.settings(*change), Tools().made(slack=slack))
    return [finding for finding in findings if finding.area == "slack"]


async def test_slack_in_order_is_said(place: Place) -> None:
    """With exactly the manifest's scopes: token, scopes, channels, groups, Socket Mode."""
    async with doctor(app_token="xapp-demo") as slack:
        findings = await findings_of(place, slack)
    assert levels(findings) == {Level.OK}
    assert {finding.text for finding in findings} > {
        "Connected to Acme CI as tailback",
        "The bot token has exactly the scopes that Tailback uses",
        "The bot is in #ci (C0CIONCALL, slack.channel)",
        "The user group S0INFRA (permissions.scale) has 2 members",
        "Socket Mode connects",
    }


@pytest.mark.parametrize(
    ("away", "there", "instead", "state", "text", "remedy"),
    [
        ("", "C0CIONCALL", "C0RANDOM", "problem", "The bot is not in #random (C0RANDOM", "/invite @tailback"),
        ("channels:read", "C0CIONCALL", "C0RANDOM", "problem", "The bot is not in C0RANDOM", "/invite @tailback"),
        ("", "C0CIONCALL", "C0NOWHERE", "problem", "C0NOWHERE (slack.channel): ", "correct the id"),
        ("channels:read", "C0CIONCALL", "C0NOWHERE", "problem", "channel_not_found", "correct the id"),
        ("", "C0CIONCALL", "C0SHARED", "warning", "organizations read every incident in #partners (C0SHARED", ""),
        ("", "C0CIONCALL", "C0ARCHIVED", "problem", "#old (C0ARCHIVED, slack.channel) is archived", "unarchive it"),
        ("", 'S0INFRA"', 'S0NOBODY"', "problem",
         "The user group S0NOBODY (permissions.scale): usergroups.users.list: no_such_subteam",
         "correct the id of the user group"),
    ],
)  # fmt: skip
async def test_a_channel_or_group_that_does_not_fit_is_named(  # noqa: PLR0917 - the columns of the table above
    place: Place, away: str, there: str, instead: str, state: str, text: str, remedy: str
) -> None:
    """Other organizations read what is posted there; nobody reads it; nobody is meant. Without channels:read the
    history answers instead."""
    async with doctor(scopes=NEEDED - {away}) as slack:
        only(await findings_of(place, slack, there, instead), text, state, remedy)


@pytest.mark.parametrize("scope", sorted(NEEDED))
async def test_a_missing_scope_is_named_with_what_is_lost(place: Place, scope: str) -> None:
    """Each scope of the manifest, taken away."""
    async with doctor(scopes=NEEDED - {scope}) as slack:
        findings = await findings_of(place, slack)
    state = "problem" if scope in {"chat:write", "users:read", "usergroups:read"} else "warning"
    only(findings, f"The scope {scope} is missing: ", state, f"add {scope} under OAuth & Permissions")


async def test_surplus_scopes_are_named(place: Place) -> None:
    """C14: rights that nothing uses; those of the manifest are let pass."""
    async with doctor(scopes=NEEDED | {"chat:write.public", "channels:join"}) as slack:
        findings = await findings_of(place, slack)
    only(findings, "has scopes that Tailback does not use: channels:join and chat:write.public", "warning")


async def test_a_wrong_token_is_named(place: Place) -> None:
    """Of the bot, it is the only thing said: all else would fail for the same reason. Socket Mode's hides nothing."""
    async with doctor(token="xoxb-wrong") as slack:
        copy = "copy the bot token from OAuth & Permissions into SLACK_BOT_TOKEN"
        refused = CheckFinding("slack", Level.PROBLEM, "The bot token: auth.test: invalid_auth", copy)
        assert await findings_of(place, slack) == [refused]
    async with doctor(app_token="xapp-wrong") as slack:
        findings = await findings_of(place, slack)
    only(findings, "Socket Mode: apps.connections.open: invalid_auth", "", "connections:write into SLACK_APP_TOKEN")
    only(findings, "Connected to Acme CI", "ok")


async def test_a_slack_that_cannot_be_reached_is_named(place: Place) -> None:
    """Where to look: the address, the network."""
    async with open_session() as session:
        slack = SlackDoctor(open_client("xoxb-demo", "http://127.0.0.1:9/api/", session))
        (finding,) = await findings_of(place, slack)
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


def test_many_pools_that_answer_alike_share_a_line() -> None:
    """500 lines that say the same hide the one that does not; programs get each of them."""
    names = [f"pool-{number:03}" for number in range(500)]
    fine = [
        replace(ok("metrics", f"{name}: {place} jobs queued", "their queues are known"), pool=name)
        for place, name in enumerate(names[:400])
    ]
    blind = [
        replace(problem("metrics", f"{name}: unknown (no series)", f'fix `queued` in [pool."{name}"]'), pool=name)
        for name in names[400:]
    ]
    apart = [warning("scaler", "pool-001: max is 40", "lower it"), warning("scaler", "pool-002: max is 40", "lower it")]
    lines = for_people([*fine, *blind, *apart]).splitlines()
    assert len(lines) == 1 + 1 + 2 + 1
    assert [("pool-000" in line, "396 more" in line) for line in lines[:1]] == [(True, True)]
    assert lines[3].count("pool-400") == 2
    assert len(json.loads(for_machines([*fine, *blind]))["findings"]) == 500
    assert len(for_people(fine[:5]).splitlines()) == 5 + 1
