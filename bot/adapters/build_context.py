"""What an integration is built from, and how its tables of tailback.toml are read: all problems of a table at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Annotated, TypeVar, cast

from pydantic import AfterValidator, ValidationError

from bot.adapters.http.client import Http, HttpPool
from bot.adapters.http.connection import Way
from bot.config import ConfigError, Table, in_table
from bot.config import ReachTable as ReachTable  # noqa: PLC0414 - integrations know it by this place
from bot.core.words import listed
from bot.ports import Jobs

T = TypeVar("T", bound=Table)
S = TypeVar("S")
P = TypeVar("P")


def _no_secret(headers: dict[str, str]) -> dict[str, str]:
    if any(name.lower() in {"authorization", "cookie"} for name in headers):
        raise ValueError("credentials are not written here; name their variable in token_env or basic_env")
    return headers


MoreHeaders = Annotated[dict[str, str], AfterValidator(_no_secret)]
"""Headers that a file may hold, since they are no secrets."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What every integration may use: the shared connections, and the variables that the file names."""

    wire: HttpPool
    secret: Callable[[str], str] = field(repr=False)
    """The value of a variable; raises ConfigError when it is not set."""
    now: Callable[[], float]
    """Epoch seconds."""
    jobs: Jobs | None = None
    """What GitHub's webhooks told; None where nobody keeps it, as for the doctor."""
    kept: dict[tuple[type, str], object] = field(default_factory=dict, repr=False)
    """What integrations share in this process; ask by `shared`."""

    def shared(self, kind: type[S], key: str, make: Callable[[], S]) -> S:
        """The one `kind` of this process for a key, such as a region; made when it is first asked for."""
        if (kind, key) not in self.kept:
            self.kept[kind, key] = make()
        return cast("S", self.kept[kind, key])

    def token(self, place: str, key: str, variable: str) -> str:
        """The secret that a table names under `key`; empty when it names none. Raises ConfigError with the place."""
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
    ) -> Http:
        """A client of the back end at `url`, by the way that its table names. Raises ConfigError with the place.

        `token_file` holds a bearer token that is read before every request.
        """
        way = way_of(place, table, self.secret, token_file)
        return self.wire.http(system, url, headers=headers, way=way, answers=answers)


def way_of(place: str, table: ReachTable, secret: Callable[[str], str], token_file: str = "") -> Way:
    """The way that a table names; `secret` as in `Parts`. Raises ConfigError with the place."""
    login = _token(place, "proxy_basic_env", table.proxy_basic_env, secret)
    if login and not table.proxy:
        raise ConfigError([f"{place}: proxy_basic_env: there is no proxy to use it for; add proxy, or drop it"])
    if login and ":" not in login:
        raise ConfigError([f"{place}: proxy_basic_env: {table.proxy_basic_env} must hold user:password"])
    way = Way(table.ca_file, table.proxy, login, token_file)
    if trouble := way.trouble:
        raise ConfigError([f"{place}: ca_file: {trouble}"])
    return way


def _token(place: str, key: str, variable: str, secret: Callable[[str], str]) -> str:
    if not variable:
        return ""
    try:
        return secret(variable)
    except ConfigError as error:
        raise ConfigError([f"{place}: {key}: {problem}" for problem in error.problems]) from None


def read(model: type[T], place: str, raw: Mapping[str, object]) -> T:
    """Validate a table; raises ConfigError with one sentence per problem, each beginning with `place`."""
    try:
        return model.model_validate(dict(raw))
    except ValidationError as error:
        raise ConfigError(in_table(place, error)) from None


def more_than_one(**given: str) -> str:
    """Why these settings cannot stand together, of which one is meant to be enough; empty when they can."""
    found = [name for name, value in given.items() if value]
    return f"{listed(found)} exclude each other; keep one" if len(found) > 1 else ""


def together(
    own: Callable[[], S], pools: Mapping[str, Mapping[str, object]], each: Callable[[str, Mapping[str, object]], P]
) -> tuple[S, dict[str, P]]:
    """What `own` makes of a source's table, and `each` of every pool's name and keys.

    Raises ConfigError with every problem of all of them.
    """
    problems, made, found = Problems(), list[S](), dict[str, P]()
    with problems:
        made.append(own())
    for pool, keys in pools.items():
        with problems:
            found[pool] = each(pool, keys)
    problems.settle()
    return made[0], found


class Problems:
    """Collects what is wrong with many tables, so that a person mends all of it at once: `with problems: ...`."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def __enter__(self) -> None:
        """What raises ConfigError inside is kept, and the program goes on after the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, ConfigError):
            self.found += error.problems
        return isinstance(error, ConfigError)

    def settle(self) -> None:
        """Raise ConfigError with every problem once; nothing when there is none."""
        if self.found:
            raise ConfigError(list(dict.fromkeys(self.found)))
