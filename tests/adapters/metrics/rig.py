"""Builds a source as tailback.toml would name it, in front of a stand-in."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot.adapters.registry import METRICS
from bot.core.pool.pool import Snapshot
from bot.ports import Metrics
from tests.adapters.back_end import parts_with, patient_pool


class StandIn(Protocol):
    def url(self) -> AbstractAsyncContextManager[str]:
        """Its address, for as long as the block lasts."""


@dataclass(frozen=True, slots=True)
class Rig:
    """One kind of source, with what its tests usually write."""

    kind: str
    table: Callable[[str], Mapping[str, object]]
    """Address of the stand-in → the source's table."""
    secrets: Mapping[str, str]
    at: float
    """The time of the payloads (epoch seconds)."""
    pool: str
    keys: Mapping[str, object] = field(default_factory=dict)

    @asynccontextmanager
    async def source(
        self,
        system: StandIn,
        pools: Mapping[str, Mapping[str, object]] | None = None,
        now: Callable[[], float] | None = None,
        **table: object,
    ) -> AsyncIterator[Metrics]:
        """The source with these pools; `table` has further settings."""
        async with system.url() as url, patient_pool() as wire:
            raw = {"kind": self.kind, **self.table(url), **table}
            parts = parts_with(wire, self.secrets, self.at)
            parts = replace(parts, now=now) if now else parts
            yield METRICS[self.kind]("x", "[metrics.x]", raw, pools or {self.pool: self.keys}, parts)

    async def look(
        self, system: StandIn, pool: str = "", keys: Mapping[str, Any] | None = None, **table: Any
    ) -> Snapshot:
        """One snapshot of a pool."""
        name = pool or self.pool
        async with self.source(system, {name: self.keys if keys is None else keys}, **table) as found:
            return await found.snapshot(name)
