"""Reads environment and tailback.toml into Settings; reports every problem at once, with place and remedy."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator

from bot.api_settings import ApiClient, ApiTable, ApiTokenTable
from bot.core.alert import AlertSender
from bot.core.external import Problem
from bot.core.incident.observe import Timing
from bot.core.paging.page import OUTSIDE
from bot.core.pool.pool import PoolRules
from bot.core.routing import Route
from bot.environment import EMPTY_SAYS_SOMETHING
from bot.environment import SLACK as SLACK  # noqa: PLC0414 - others know it by this place
from bot.environment import Environment as Environment  # noqa: PLC0414 - the same
from bot.environment import parts as parts  # noqa: PLC0414 - the same
from bot.pool_settings import PoolTable, SignalTable
from bot.settings import (
    ActionsTable,
    EarlyTable,
    HttpTable,
    PermissionsTable,
    ReportTable,
    RouteTable,
    SenderTable,
    SlackTable,
    SnsTable,
    TimingTable,
)
from bot.settings import IssuesTable as IssuesTable  # noqa: PLC0414 - others know it by this place
from bot.settings import OutsideTable as OutsideTable  # noqa: PLC0414 - others know it by this place
from bot.settings import PagerTable as PagerTable  # noqa: PLC0414 - the same
from bot.settings import Period as Period  # noqa: PLC0414 - the same
from bot.settings import ReachTable as ReachTable  # noqa: PLC0414 - the same
from bot.settings import Seconds as Seconds  # noqa: PLC0414 - the same
from bot.settings import Table as Table  # noqa: PLC0414 - the same
from bot.settings import WrongSetting as WrongSetting  # noqa: PLC0414 - the same
from bot.wrong_settings import in_table, named, problem_of, toml_problem

Name = Annotated[str, AfterValidator(named)]
VARIABLE = re.compile("[A-Z_][A-Z0-9_]*")


class ConfigError(Exception):
    """The configuration cannot be used.

    `readable` is the valid rest, so that it can be checked in the same run; None if nobody kept it. `lasts` tells that
    the same settings fail again at the next start, whatever else changes.
    """

    def __init__(self, problems: Sequence[Problem], readable: "Settings | None" = None, *, lasts: bool = True) -> None:
        self.problems, self.readable, self.lasts = problems, readable, lasts
        super().__init__("\n".join(map(str, self.problems)))

    def at(self, place: str) -> list[Problem]:
        """The problems, with the place that holds them before each."""
        return [replace(one, place=f"{place}: {one.place}" if one.place else place) for one in self.problems]


def unusable(place: str, what: str, remedy: str = "", *, lasts: bool = True) -> ConfigError:
    """The error of one setting; `place` is that in tailback.toml, or a variable."""
    return ConfigError([Problem(what, remedy, place=place)], lasts=lasts)


class File(Table):
    """tailback.toml as a whole; tables of integrations stay raw and are validated by their integration."""

    slack: SlackTable = SlackTable()
    route: list[RouteTable] = Field(default_factory=list)
    sender: list[SenderTable] = Field(default_factory=list)
    outside_slack: OutsideTable | None = None
    issues: IssuesTable | None = None
    pager: dict[Name, PagerTable] = Field(default_factory=dict)
    actions: ActionsTable = ActionsTable()
    timing: TimingTable = TimingTable()
    early: EarlyTable = EarlyTable()
    report: ReportTable = ReportTable()
    permissions: PermissionsTable = PermissionsTable()
    http: HttpTable = HttpTable()
    api: ApiTable | None = None
    alertmanager: dict[Name, dict[str, object]] = Field(default_factory=dict)
    sns: SnsTable = SnsTable()
    metrics: dict[Name, dict[str, object]] = Field(default_factory=dict)
    pool: dict[Name, PoolTable] = Field(default_factory=dict)
    signal: dict[Name, SignalTable] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _pager_of_its_own(cls, raw: Any) -> Any:
        """`[outside_slack]` with a `kind` is short for a pager of that name."""
        outside, pagers = (raw.get(key, {}) if isinstance(raw, dict) else None for key in ("outside_slack", "pager"))
        if not isinstance(outside, dict) or "kind" not in outside or not isinstance(pagers, dict):
            return raw
        after = {key: outside[key] for key in ("after", "pager") if key in outside}
        own = {key: value for key, value in outside.items() if key not in after}
        return {**raw, "pager": {**pagers, OUTSIDE: own}, "outside_slack": {"pager": OUTSIDE, **after}}

    @cached_property
    def of_the_start(self) -> dict[str, object]:
        """What applies from the next start only, by its table."""
        kinds = ("metrics", "alertmanager", "pager", "signal")
        tables = {f"[{kind}.{name}]": table for kind in kinds for name, table in getattr(self, kind).items()}
        pools = {f'[pool."{name}"]': one.of_the_start for name, one in self.pool.items()}
        found = {**tables, **pools, "[issues]": self.issues, "[sns]": self.sns, "[http]": self.http}
        return {place: table for place, table in found.items() if table}

    @cached_property
    def paces(self) -> Timing:
        """The intervals that the core uses."""
        t = self.timing
        return Timing(t.poll, t.report, t.drained_samples, t.reopen_within, t.escalate_after, t.first_look, t.watch)

    @cached_property
    def pools(self) -> dict[str, PoolRules]:
        """The core's settings of each pool."""
        return {name: self.rules_of(name) for name in self.pool}

    def rules_of(self, name: str) -> PoolRules:
        """The core's settings of one pool; the defaults if it is not configured."""
        if (pool := self.pool.get(name)) is None:
            return PoolRules(name)
        return PoolRules(
            name,
            dict(pool.match),
            pool.floor,
            pool.boot_time,
            bool(pool.scaler),
            pool.warn_wait,
            pool.warn_queued,
            runners_per_machine=pool.runners_per_machine,
            status_url=pool.status_url,
            counts_assigned=pool.figures.get("preset") == "arc" and not pool.figures.get("queued"),
        )

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """The routing rules, in order."""
        return tuple(Route(r.channel, dict(r.match), r.mention or None) for r in self.route)

    @cached_property
    def default_route(self) -> Route:
        """The destination of incidents without a route."""
        return Route(self.slack.channel, {}, self.slack.mention or None)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, but what is computed from the tables is computed again."""
        copy = super().model_copy(update=update, deep=deep)
        for name in ("paces", "pools", "routes", "default_route"):
            copy.__dict__.pop(name, None)
        return copy


@dataclass(frozen=True)
class Settings:
    """Environment and file together; `secret` looks up the variable that a `token_env` names."""

    env: Environment
    file: File
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def sender_tokens(self) -> tuple[tuple[str, AlertSender], ...]:
        """Each valid token of a `[[sender]]`; one whose variable is not set has none."""
        return tuple(
            (token, AlertSender(table.name, tuple(table.sources), tuple(table.channels)))
            for table in self.file.sender
            for token in parts(SecretStr(self.variables.get(table.token_env, "")))
        )

    @property
    def api_tokens(self) -> tuple[tuple[str, ApiClient], ...]:
        """Each valid token of the API; one whose variable is not set has none."""
        tables: Sequence[ApiTokenTable] = self.file.api.tokens if self.file.api else ()
        return tuple(
            (token, ApiClient(table.name, frozenset(table.channels)))
            for table in tables
            for token in parts(SecretStr(self.variables.get(table.token_env, "")))
        )

    def secret(self, variable: str) -> str:
        """The value of a variable that the file names, stripped.

        Raises ConfigError if it is not set.
        """
        if not (value := self.variables.get(variable, "").strip()):
            if not VARIABLE.fullmatch(variable):  # it may be the secret itself, which is never told
                raise unusable("", "names no variable that is set", "write its NAME here, and the secret into .env")
            raise unusable(variable, "is not set, but tailback.toml names it", "set the variable or remove the line")
        return value


def load(variables: Mapping[str, str] | None = None) -> Settings:
    """Read environment and file; raises ConfigError with every problem of both, and with the valid rest."""
    variables = dict(os.environ if variables is None else variables)
    problems: list[Problem] = []
    given = {name.lower(): value for name, value in variables.items() if value or name in EMPTY_SAYS_SOMETHING}
    try:
        env = Environment.model_validate(given)
    except ValidationError as error:
        problems += [problem_of(str(p["loc"][0]).upper(), p) for p in error.errors()]
        wrong = {p["loc"][0] for p in error.errors()}
        env = Environment.model_validate({name: value for name, value in given.items() if name not in wrong})
    file, more = _read(Path(given.get("tailback_config", env.tailback_config)))
    settings = Settings(env, file, variables)
    if problems or more:
        raise ConfigError([*problems, *more], settings)
    return settings


def environment() -> Environment:
    """The variables alone, for commands that need no configuration; raises ConfigError."""
    return load({**os.environ, "TAILBACK_CONFIG": os.devnull}).env


def read_file(path: Path) -> File:
    """Read tailback.toml; a missing file is an empty one. Raises ConfigError."""
    file, problems = _read(path)
    if problems:
        raise ConfigError(problems)
    return file


def _read(path: Path) -> tuple[File, list[Problem]]:
    """(the valid part of tailback.toml, the problems of the rest)."""
    try:
        raw = tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        return File(), []
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return File(), [toml_problem(error, str(path))]
    except OSError as error:
        remedy = "name a file that Tailback's user may read in TAILBACK_CONFIG"
        return File(), [Problem(f"cannot be read ({error.strerror})", remedy, place=str(path))]
    if found := list(_with_nul(raw)):
        return File(), [Problem("contains a NUL character", "remove it", place=f"{path}: {place}") for place in found]
    try:
        return File.model_validate(raw), []
    except ValidationError as error:
        return File.model_validate(_without(raw, error)), in_table(str(path), error, File, whole=True)


def _with_nul(raw: object, place: str = "") -> Iterator[str]:
    """The places whose name or value has a NUL character."""
    if "\0" in place or (isinstance(raw, str) and "\0" in raw):
        yield place.replace("\0", "?")
    elif isinstance(raw, Mapping | list):
        for name, part in raw.items() if isinstance(raw, Mapping) else enumerate(raw):
            yield from _with_nul(part, f"{place}.{name}" if place else str(name))


def _without(raw: Mapping[str, object], error: ValidationError) -> dict[str, object]:
    """The valid tables; pools are judged one by one, or all together if the metrics sources are unknown.

    A pager may have been written as `[outside_slack]`, so that goes with the pagers.
    """
    rest = dict(raw)
    for section, *inner in (problem["loc"] for problem in error.errors()):
        pools = rest.get("pool")
        if section == "pool" and inner and isinstance(pools, Mapping):
            rest["pool"] = {name: table for name, table in pools.items() if name != inner[0]}
        else:
            rest.pop(str(section), None)
        if section == "metrics":
            rest.pop("pool", None)
        if section == "pager":
            rest.pop("outside_slack", None)
    return rest
