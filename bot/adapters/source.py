"""What every metrics source is made of: its declaration, and listings that its pools share."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import Field

from bot.adapters.build_context import BuildContext, Problems, ReachTable, read
from bot.adapters.http.background import begun
from bot.adapters.http.client import LONGEST_PAUSE_SECONDS, Http
from bot.config import Seconds, Table
from bot.core.pool.pool import Snapshot
from bot.ports import Failure, Metrics, Unreachable

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


V = TypeVar("V")
USUAL_SECONDS = 20.0
"""Shorter than the default poll of 30 s, so that every measurement gets a newer listing."""
PATIENCE_SECONDS = 6.0
"""How long a measurement waits for a listing; with the request that it makes afterwards it fits into a lease."""
KEPT_SECONDS = 60.0
"""How long a listing counts, with its own time, while newer ones fail or take long."""


@dataclass(frozen=True, slots=True)
class Listed(Generic[V]):
    value: V
    at: float
    """When the source measured (epoch seconds)."""
    good_seconds: float = 0.0
    """How long the source asks not to be called again."""


class Listing(Generic[V]):
    """Keeps the newest response, or failure, for the period; concurrent callers share one request."""

    def __init__(
        self,
        ask: Callable[[float], Awaitable[Listed[V]]],
        now: Callable[[], float],
        seconds: float = USUAL_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`ask` gets the time at which it is called; `seconds` is the least time between two requests."""
        self._ask, self._now, self._seconds, self._patience = ask, now, seconds, patience_seconds
        self._reading: asyncio.Task[None] | None = None
        self._kept: Listed[V] | None = None
        self._problem: Unreachable | None = None
        self._from, self._until = 0.0, 0.0

    async def get(self) -> Listed[V]:
        """The newest listing. Raises Unreachable while there is none, also for a failure earlier in this period.

        A request that takes longer than the patience goes on, and an older listing counts until it is answered.
        """
        now = self._now()
        if self._reading is None and not self._from <= now < self._until:
            self._from = now
            self._reading = begun(self._read())
        if (reading := self._reading) is not None:
            done, _ = await asyncio.wait({reading}, timeout=self._patience)
            for one in done:
                one.result()
        if self._kept is not None and (self._problem is None or 0 <= now - self._kept.at < KEPT_SECONDS):
            return self._kept
        if self._problem is not None:
            raise self._problem.with_traceback(None)
        late = f"has not answered within {self._patience:g} s; the request goes on"
        raise Unreachable("The metrics source", late, failure=Failure.LATER)

    async def _read(self) -> None:
        pause = 0.0
        try:
            self._kept, self._problem = await self._ask(self._from), None
            pause = self._kept.good_seconds
        except Unreachable as problem:
            self._problem, pause = problem, problem.retry_after_seconds or 0.0
        finally:
            self._until = self._from + max(self._seconds, min(pause, LONGEST_PAUSE_SECONDS))
            self._reading = None


async def tried(listing: Listing[V]) -> Listed[V] | Unreachable:
    """The listing, or why there is none; for optional parts."""
    try:
        return await listing.get()
    except Unreachable as problem:
        return problem


class Present:
    async def history(self, *_: object) -> tuple[Snapshot, ...]:
        """Always empty: the source knows the present alone."""
        return ()
