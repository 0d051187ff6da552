"""What one kind of metrics source declares, and how it is built from its tables."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import Field

from bot.adapters.build_context import BuildContext, Problems, ReachTable, read
from bot.adapters.http.client import Http
from bot.config import Seconds, Table
from bot.ports import Metrics

T = TypeVar("T", bound=Table)
P = TypeVar("P", bound=Table)
M = TypeVar("M", bound=Metrics)
Pools = Mapping[str, Mapping[str, object]]
"""Pool → its keys for one source, unread."""


class SourceTable(ReachTable):
    """Common settings of `[metrics.NAME]` for sources over HTTP."""

    kind: str
    timeout: Seconds | None = Field(default=None, gt=0, le=600)
    """Time limit for one request, 8 s by default; a slow answer counts at a later measurement, with its own age."""


@dataclass(frozen=True, slots=True)
class Given(Generic[T, P]):
    """Everything that a source is built from."""

    name: str
    place: str
    """Its place in tailback.toml, for error messages."""
    table: T
    pools: Mapping[str, P]
    context: BuildContext

    @property
    def now(self) -> Callable[[], float]:
        """The clock, in epoch seconds."""
        return self.context.now

    def token(self, key: str, variable: str) -> str:
        """The secret that the table names under `key`; empty if it names none. Raises ConfigError."""
        return self.context.token(self.place, key, variable)

    def http(  # noqa: PLR0913 - what a client of a back end is made of
        self,
        table: SourceTable,
        system: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        answers: frozenset[int] = frozenset(),
        token_file: str = "",
    ) -> Http:
        """An HTTP client with the table's connection settings and time limit; the rest as in `BuildContext.http`."""
        more = {"headers": headers, "answers": answers, "token_file": token_file, "seconds": table.timeout}
        return self.context.http(f"{system} ({self.name})", self.place, table, url, **more)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class SourceKind(Generic[T, P, M]):
    """One kind: its tables, what it can know, and how it is made. Calling it builds a source."""

    table: type[T]
    """The settings of `[metrics.NAME]`."""
    pool: type[P]
    """The keys of `[pool."NAME"]` that belong to it."""
    figures: Callable[[T, P], Collection[str]]
    """The figures that it can give for a pool with these keys."""
    make: Callable[[Given[T, P]], M]
    """Contacts nothing; raises ConfigError."""
    shared: bool = False
    """Whether replicas share one round of calls, made at most once in `every`."""

    def __call__(self, name: str, place: str, raw: Mapping[str, object], pools: Pools, context: BuildContext) -> M:
        """The source from its table and the keys of its pools; raises ConfigError with every problem of all of them."""
        problems, tables, keys, made = Problems(), list[T](), dict[str, P](), list[M]()
        with problems:
            tables.append(read(self.table, place, raw))
        for pool, given in pools.items():
            with problems:
                keys[pool] = read(self.pool, f'[pool."{pool}"]', given)
        for table in tables:
            with problems:
                made.append(self.make(Given(name, place, table, keys, context)))
        problems.settle()
        return made[0]

    def can_give(self, place: str, raw: Mapping[str, object], keys: Mapping[str, object]) -> frozenset[str]:
        """The figures that a valid table and a pool's valid keys can give."""
        return frozenset(self.figures(read(self.table, place, raw), read(self.pool, place, keys)))
