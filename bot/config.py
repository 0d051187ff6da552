"""Environment and tailback.toml become Settings; every problem is reported at once, each with its place and remedy."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from bot.core.observe import Timing
from bot.core.pool import PoolRules
from bot.core.routing import Route
from bot.core.weekly import Appointment
from bot.core.written import DAYS, zone
from bot.core.written import seconds as seconds  # noqa: PLC0414 - others know it by this place

Seconds = Annotated[float, BeforeValidator(seconds)]
EMPTY_SAYS_SOMETHING = {"TAILBACK_WEBHOOK_HMAC_TIMESTAMP_HEADER"}
"""Set but empty, this one means that the body alone is signed; every other empty variable counts as not set."""


class ConfigError(Exception):
    """The configuration cannot be used; `problems` has one sentence each: place, what is wrong, what to do."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Table(BaseModel):
    """A table of tailback.toml: unknown keys are refused, values never printed."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class SlackTable(Table):
    """`[slack]`."""

    channel: str = ""
    fallback_channel: str = ""
    mention: str = ""
    pace: Seconds = 1.0
    """Least time between two messages in one channel; Slack allows about one a second. "0s": no pacing."""
    edit_pace: Seconds = 1.4
    """Least time between two edits of messages in the workspace; Slack allows about 50 a minute."""
    storm: int = Field(default=4, ge=1)
    """From this many incidents waiting for their thread in one channel, one digest names them all at once."""
    settle: Seconds = 10.0
    """How long a message that was sent without an answer may take to show up in Slack's history."""


class RouteTable(Table):
    """One `[[route]]`."""

    match: dict[str, str] = Field(default_factory=dict)
    channel: str
    mention: str = ""


class OutsideTable(Table):
    """`[outside_slack]`."""

    url_env: str
    after: Seconds = 300.0


class ActionsTable(Table):
    """`[actions]`."""

    enabled: bool = True
    shadow: bool = False
    per_minute: int = Field(default=20, ge=1)
    """Requests of one person in a minute before the next is refused; three times as many for one incident."""


class TimingTable(Table):
    """`[timing]`."""

    poll: Seconds = 30.0
    report: Seconds = 300.0
    drained_samples: int = Field(default=3, ge=1)
    reopen_within: Seconds = 1800.0
    escalate_after: Seconds = 900.0
    first_look: Seconds = 2.0
    """How long the first message may wait for its pools to be measured, so that it can name them."""
    speed: float = Field(default=1.0, gt=0)
    """How many of the pools' seconds pass in one second of the clock; other than 1 only in a simulation."""
    lease: Seconds = 10.0
    """How long one process may work on a record before another one may take it over."""
    resync: Seconds = 300.0
    """How often what fires is read from the alert source, to heal what deliveries missed."""
    sweep: Seconds = 60.0
    """How often Slack's own record is searched for a second thread of one incident, and silences are checked."""
    watch: Seconds = 60.0
    """How often pools are measured that no open incident speaks of, for their past and the early warning; "0s": off."""


class EarlyTable(Table):
    """`[early]`: the warning before an alert fires."""

    enabled: bool = True


class ReportTable(Table):
    """`[report]`: the weekly post, and by what the longer view judges."""

    enabled: bool = True
    day: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] = "monday"
    hour: int = Field(default=9, ge=0, le=23)
    zone: Annotated[str, AfterValidator(lambda name: zone(name) and name)] = "UTC"
    target_wait: Seconds = Field(default=900.0, gt=0)

    @property
    def appointment(self) -> Appointment:
        """When the weekly post is due."""
        return Appointment(DAYS.index(self.day), self.hour, zone(self.zone))


class PermissionsTable(Table):
    """`[permissions]`: user ids, user group ids, or "anyone" (full members of this workspace)."""

    ack: list[str] = ["anyone"]
    silence: list[str] = ["anyone"]
    diagnose: list[str] = ["anyone"]
    scale: list[str] = []
    approve: list[str] = []


class SnsTable(Table):
    """`[sns]`."""

    topics: list[str] = []


class PoolTable(Table):
    """`[pool."NAME"]`: what is the same for every source; the rest is read by the pool's metrics source."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    match: dict[str, str] = Field(default_factory=dict)
    metrics: str = ""
    floor: int = Field(default=0, ge=0)
    boot_time: Seconds = 180.0
    warn_wait: Seconds | None = None
    """The early warning speaks of this oldest wait; absent: of what past alerts fired at."""
    warn_queued: int | None = Field(default=None, ge=1)
    """And of this many queued jobs."""
    scaler: dict[str, object] = Field(default_factory=dict)

    @property
    def figures(self) -> dict[str, object]:
        """The keys that belong to the metrics source: a preset, or each figure by hand."""
        return dict(self.model_extra or {})


class File(Table):
    """tailback.toml as a whole. Tables of integrations stay raw here: each is read beside its integration."""

    slack: SlackTable = SlackTable()
    route: list[RouteTable] = []
    outside_slack: OutsideTable | None = None
    actions: ActionsTable = ActionsTable()
    timing: TimingTable = TimingTable()
    early: EarlyTable = EarlyTable()
    report: ReportTable = ReportTable()
    permissions: PermissionsTable = PermissionsTable()
    alertmanager: dict[str, dict[str, object]] = {}
    sns: SnsTable = SnsTable()
    metrics: dict[str, dict[str, object]] = {}
    pool: dict[str, PoolTable] = {}

    @property
    def paces(self) -> Timing:
        """The paces that the core judges by."""
        t = self.timing
        return Timing(
            t.poll, t.report, t.drained_samples, t.reopen_within, t.escalate_after, t.first_look, t.speed, t.watch
        )

    @property
    def pools(self) -> dict[str, PoolRules]:
        """What the core needs to know of each pool."""
        return {
            name: PoolRules(
                name, dict(pool.match), pool.floor, pool.boot_time, bool(pool.scaler), pool.warn_wait, pool.warn_queued
            )
            for name, pool in self.pool.items()
        }

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routing rules, in order."""
        return tuple(Route(r.channel, dict(r.match), r.mention or None) for r in self.route)

    @property
    def default_route(self) -> Route:
        """Where incidents without a route go."""
        return Route(self.slack.channel, {}, self.slack.mention or None)


class Environment(Table):
    """The variables of the environment, by their fixed names in lower case."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    slack_bot_token: SecretStr = SecretStr("")
    slack_signing_secret: SecretStr = SecretStr("")
    slack_app_token: SecretStr = SecretStr("")
    slack_api_url: str = "https://slack.com/api/"
    redis_url: SecretStr = SecretStr("")
    tailback_data: Path = Path("./data")
    tailback_config: Path = Path("./tailback.toml")
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    tailback_worker_port: int | None = Field(default=None, ge=0, le=65535)
    tailback_webhook_token: SecretStr = SecretStr("")
    tailback_webhook_hmac_secret: SecretStr = SecretStr("")
    tailback_webhook_hmac_timestamp_header: str = "X-Grafana-Alerting-Timestamp"
    github_webhook_secret: SecretStr = SecretStr("")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["json", "console", ""] = ""

    @property
    def webhook_tokens(self) -> tuple[str, ...]:
        """Every token that is valid now; two during a rotation."""
        return parts(self.tailback_webhook_token)

    @property
    def github_secrets(self) -> tuple[str, ...]:
        """Every secret of GitHub's webhooks that is valid now; two during a rotation."""
        return parts(self.github_webhook_secret)


def parts(secret: SecretStr) -> tuple[str, ...]:
    """The values of a variable that may hold several, with commas between them."""
    return tuple(part.strip() for part in secret.get_secret_value().split(",") if part.strip())


@dataclass(frozen=True)
class Settings:
    """The environment and the file together; `secret` looks up what `token_env` names."""

    env: Environment
    file: File
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    def secret(self, variable: str) -> str:
        """The value of a variable that the file names; raises ConfigError when it is not set."""
        if not (value := self.variables.get(variable, "")):
            raise ConfigError([f"{variable}: tailback.toml names this variable, but it is not set; set it or drop it"])
        return value


def load(variables: Mapping[str, str] | None = None) -> Settings:
    """Read environment and file; raises ConfigError with every problem found in either."""
    variables = dict(os.environ if variables is None else variables)
    problems: list[str] = []
    env, file = Environment(), File()
    try:
        given = {name.lower(): value for name, value in variables.items() if value or name in EMPTY_SAYS_SOMETHING}
        env = Environment.model_validate(given)
    except ValidationError as error:
        problems += [f"{str(p['loc'][0]).upper()}: {_sentence(p)}" for p in error.errors()]
    try:
        file = read_file(env.tailback_config)
    except ConfigError as error:
        problems += error.problems
    if problems:
        raise ConfigError(problems)
    return Settings(env, file, variables)


def read_file(path: Path) -> File:
    """Read tailback.toml; a missing file is an empty one. Raises ConfigError."""
    if not path.exists():
        return File()
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
        return File.model_validate(raw)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: not valid TOML: {error}"]) from None
    except ValidationError as error:
        raise ConfigError(in_table(str(path), error)) from None


def in_table(place: str, error: ValidationError) -> list[str]:
    """One sentence per problem of a table, with the full name of the key; never the value, it may be a secret."""
    return [f"{place}: {'.'.join(map(str, p['loc'])) or 'table'}: {_sentence(p)}" for p in error.errors()]


def _sentence(problem: Mapping[str, object] | object) -> str:
    facts = problem if isinstance(problem, Mapping) else {}
    if facts.get("type") == "extra_forbidden":
        return "there is no such setting; check its spelling in docs/configuration.md"
    if facts.get("type") == "missing":
        return "is required; add it"
    return str(facts.get("msg", "cannot be read")).removeprefix("Value error, ")
