"""What integrations are built with, and validation of their tables; reports all problems of a table at once."""

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Self, TypeVar, cast

from pydantic import AfterValidator, Field, ValidationError, model_validator

from bot.adapters.http.client import Http, HttpPool, basic, bearer
from bot.adapters.http.connection import ConnectOptions
from bot.config import ConfigError, Table, WrongSetting, unusable
from bot.config import ReachTable as ReachTable  # noqa: PLC0414 - integrations know it by this place
from bot.core.external import Problem
from bot.core.words import listed
from bot.ports import Store, WebhookJobs
from bot.wrong_settings import in_table

T = TypeVar("T", bound=Table)
S = TypeVar("S")
P = TypeVar("P")


def _no_secret(headers: dict[str, str]) -> dict[str, str]:
    if any(name.lower() in {"authorization", "cookie"} for name in headers):
        raise WrongSetting("credentials are not written here", "name their variable in token_env or basic_env")
    return headers


MoreHeaders = Annotated[dict[str, str], AfterValidator(_no_secret)]
"""Headers that the file may contain, because they are not secret."""


class LoginTable(ReachTable):
    """Credentials for Prometheus, Alertmanager, or a proxy in front of them."""

    token_env: str = ""
    """Names the variable that holds a bearer token."""
    token_file: str = ""
    """A bearer token that is renewed while we run, as a service account's is; read before every request."""
    basic_env: str = ""
    """Names the variable that holds `user:password`."""
    org_id: str = ""
    """Tenant of Mimir, Cortex or Thanos, sent as X-Scope-OrgID."""
    headers: MoreHeaders = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_credential(self) -> Self:
        found = [name for name in ("token_env", "token_file", "basic_env") if getattr(self, name)]
        if len(found) > 1:
            raise WrongSetting(f"{listed(found)} exclude each other", "keep one")
        return self

    def login(self, token: Callable[[str, str], str]) -> dict[str, str]:
        """The headers; `token` gives the secret that a key's variable holds. Raises ConfigError with the place."""
        login = {**bearer(token("token_env", self.token_env)), **basic(token("basic_env", self.basic_env))}
        return {**self.headers, **login, **({"X-Scope-OrgID": self.org_id} if self.org_id else {})}


AWS_SECONDS = 4.5


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long a group of calls may take, in seconds; together shorter than the lease of the caller."""

    aws: float = AWS_SECONDS
    """For one call."""
    reading: float = 4.0
    """How long a measurement waits for figures; a slower source goes on in the background."""


@dataclass(frozen=True, slots=True)
class BuildContext:
    """Shared by all integrations: connections, and the variables that the file names."""

    wire: HttpPool
    secret: Callable[[str], str] = field(repr=False)
    """The value of a variable; raises ConfigError when it is not set."""
    now: Callable[[], float]
    """Epoch seconds."""
    store: Store | None = None
    """Where replicas share what one of them read; None if there are none."""
    jobs: WebhookJobs | None = None
    """Jobs from GitHub's webhooks; None if nobody stores them, as in the check."""
    kept: dict[tuple[type, str], object] = field(default_factory=dict, repr=False)
    """Objects shared between integrations in this process; use `shared`."""
    limits: TimeLimits = TimeLimits()

    def shared(self, kind: type[S], key: str, make: Callable[[], S]) -> S:
        """The shared object of a kind and a key, such as a region; created on first use."""
        if (kind, key) not in self.kept:
            self.kept[kind, key] = make()
        return cast("S", self.kept[kind, key])

    def token(self, place: str, key: str, variable: str) -> str:
        """The secret that a table names under `key`; empty if it names none. Raises ConfigError with the place."""
        return _token(place, key, variable, self.secret)

    def http(  # noqa: PLR0913 - what a client of a back end is made of
        self,
        system: str,
        place: str,
        table: ReachTable,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        answers: frozenset[int] = frozenset(),
        token_file: str = "",
        seconds: float | None = None,
    ) -> Http:
        """An HTTP client of the back end at `url`, with the table's proxy and CA. Raises ConfigError with the place.

        `token_file` contains a bearer token that is read before every request; `seconds` limits one request.
        """
        options = options_of(place, table, self.secret, token_file)
        return self.wire.http(system, url, headers=headers, options=options, answers=answers, seconds=seconds)


def options_of(place: str, table: ReachTable, secret: Callable[[str], str], token_file: str = "") -> ConnectOptions:
    """The connection settings of a table; `secret` as in `BuildContext`. Raises ConfigError with the place."""
    login = _token(place, "proxy_basic_env", table.proxy_basic_env, secret)
    if login and not table.proxy:
        raise unusable(f"{place}: proxy_basic_env", "there is no proxy to use it for", "add proxy, or drop it")
    if login and ":" not in login:
        raise unusable(f"{place}: proxy_basic_env", f"{table.proxy_basic_env} must hold user:password")
    options = ConnectOptions(table.ca_file, table.proxy, login, token_file)
    try:
        _ = options.verify
    except OSError as error:
        why = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        remedy = "name a file with certificates in PEM that Tailback's user may read"
        raise unusable(f"{place}: ca_file", f"{options.ca_file} cannot be used ({why})", remedy) from None
    return options


def _token(place: str, key: str, variable: str, secret: Callable[[str], str]) -> str:
    if not variable:
        return ""
    try:
        return secret(variable)
    except ConfigError as error:
        raise ConfigError(error.at(f"{place}: {key}")) from None


def read(model: type[T], place: str, raw: Mapping[str, object]) -> T:
    """Validate a table; raises ConfigError with every problem."""
    try:
        return model.model_validate(dict(raw))
    except ValidationError as error:
        raise ConfigError(in_table(place, error, model)) from None


class Problems:
    """Collects the problems of many tables, so that people can fix them all at once: `with problems: ...`."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def __enter__(self) -> None:
        """Collect a ConfigError raised inside the block; the program continues after the block."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, ConfigError):
            self.found += error.problems
        return isinstance(error, ConfigError)

    def settle(self) -> None:
        """Raise ConfigError with every problem, without repeats; do nothing if there is none."""
        if self.found:
            raise ConfigError(list(dict.fromkeys(self.found)))
